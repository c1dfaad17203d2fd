// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/layout.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kDots = "...";
// Where the reader of IRs keeps <attribute name="layout" layout="[N,C,H,W]"/>.
constexpr const char* kRtInfo = "layout.layout";

std::string upper_name(std::string_view name) {
    std::string upper(name);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return upper;
}

std::string_view without_spaces(std::string_view text) {
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    while (!text.empty() && text.back() == ' ') {
        text.remove_suffix(1);
    }
    return text;
}

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
    throw Error("layout",
                fmt::format("'{}' is no layout: {}; expected one as NCHW, [N,C,H,W], N...C or NC??",
                            text, why));
}

// "NC...W" -> N, C, ..., W
std::vector<std::string> letters(std::string_view text) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i, kDots.size()) == kDots) {
            parts.emplace_back(kDots);
            i += kDots.size() - 1;
        } else {
            parts.emplace_back(1, text[i]);
        }
    }
    return parts;
}

// "N, C, ..., W"
std::vector<std::string> listed(std::string_view text) {
    std::vector<std::string> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.emplace_back(without_spaces(text.substr(0, comma)));
        if (comma == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(comma + 1);
    }
}

bool is_name(std::string_view part) {
    return part == "?" || (!part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
           }));
}

}  // namespace

Layout::Layout(std::string_view text) {
    const std::string_view whole = without_spaces(text);
    if (whole.empty()) {
        return;
    }
    const bool bracket = whole.front() == '[';
    if (bracket != (whole.back() == ']') || whole == "[]") {
        refuse(text, "a bracket is missing, or nothing stands between them");
    }
    const std::vector<std::string> parts =
        bracket ? listed(whole.substr(1, whole.size() - 2)) : letters(whole);
    for (const std::string& part : parts) {
        if (part == kDots) {
            if (dots_) {
                refuse(text, "it has dots twice");
            }
            dots_ = names_.size();
            continue;
        }
        if (!is_name(part)) {
            refuse(text, fmt::format("'{}' is no name of a dimension", part));
        }
        const std::string name = upper_name(part);
        if (name != "?" && has_name(name)) {
            refuse(text, fmt::format("it has {} twice", name));
        }
        names_.push_back(name);
    }
}

bool Layout::has_name(std::string_view name) const {
    return std::find(names_.begin(), names_.end(), upper_name(name)) != names_.end();
}

std::int64_t Layout::get_index_by_name(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), upper_name(name));
    if (found == names_.end()) {
        throw Error("layout", fmt::format("layout {} has no dimension {}",
                                          empty() ? "'' (not set)" : to_string(), name));
    }
    const auto index = static_cast<std::int64_t>(found - names_.begin());
    const bool after_dots = dots_ && index >= static_cast<std::int64_t>(*dots_);
    return after_dots ? index - static_cast<std::int64_t>(names_.size()) : index;
}

std::optional<std::size_t> Layout::index_in(std::string_view name, std::size_t rank) const {
    if (!has_name(name) || (dots_ ? names_.size() > rank : names_.size() != rank)) {
        return std::nullopt;
    }
    const std::int64_t index = get_index_by_name(name);
    return static_cast<std::size_t>(index < 0 ? index + static_cast<std::int64_t>(rank) : index);
}

std::optional<std::size_t> Layout::rank() const {
    return dots_ || names_.empty() ? std::nullopt : std::optional(names_.size());
}

std::string Layout::to_string() const {
    if (empty()) {
        return {};
    }
    std::string text;
    const auto append = [&](std::string_view part) {
        text += text.empty() ? "[" : ",";
        text += part;
    };
    for (std::size_t i = 0; i <= names_.size(); ++i) {
        if (dots_ == i) {
            append(kDots);
        }
        if (i < names_.size()) {
            append(names_[i]);
        }
    }
    return text + "]";
}

Layout get_layout(const Output& port) {
    const auto& info = port.node->rt_info;
    const auto found = info.find(kRtInfo);
    return found == info.end() ? Layout() : Layout(found->second);
}

void set_layout(const Output& port, const Layout& layout) {
    const PartialShape& shape = port.partial_shape();
    if (layout.rank() && shape.rank_is_static() && *layout.rank() != shape.rank()) {
        throw Error("layout",
                    fmt::format("layout {} has {} dimensions, '{}' {}", layout.to_string(),
                                *layout.rank(), port.get_any_name(), to_string(shape)));
    }
    if (layout.empty()) {
        port.node->rt_info.erase(kRtInfo);
        return;
    }
    port.node->rt_info[kRtInfo] = layout.to_string();
}

}  // namespace fuseq
