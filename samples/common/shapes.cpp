// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/shapes.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "common/tool.hpp"
#include "model/nearest_name.hpp"
#include "model/type_names.hpp"

namespace fuseq::samples {
namespace {

bool is_named(const Output& port, const std::string& name) {
    return port.node->name() == name || port.get_names().contains(name);
}

}  // namespace

std::map<std::string, std::vector<std::string>> split_by_name(std::string_view text,
                                                              std::string_view option) {
    std::map<std::string, std::vector<std::string>> by_name;
    std::size_t at = 0;
    std::string name;
    while (at < text.size()) {
        const std::size_t open = text.find('[', at);
        const std::size_t close = open == std::string_view::npos ? open : text.find(']', open);
        if (close == std::string_view::npos) {
            throw UsageError(fmt::format("{}: expected name[...] or [...] in '{}'", option, text));
        }
        std::string_view before = text.substr(at, open - at);
        const bool next_name = before.starts_with(",") || at == 0;
        if (before.starts_with(",")) {
            before.remove_prefix(1);
        }
        if (next_name) {
            name = std::string(before);
        } else if (!before.empty()) {
            throw UsageError(fmt::format("{}: expected ',' before '{}'", option, before));
        }
        by_name[name].emplace_back(text.substr(open + 1, close - open - 1));
        at = close + 1;
    }
    return by_name;
}

std::vector<std::string> texts_for(const std::map<std::string, std::vector<std::string>>& by_name,
                                   const Output& port) {
    for (const auto& [name, texts] : by_name) {
        if (!name.empty() && is_named(port, name)) {
            return texts;
        }
    }
    const auto all = by_name.find("");
    return all == by_name.end() ? std::vector<std::string>{} : all->second;
}

ElementType parse_type(const std::string& text, std::string_view option) {
    const auto type = parse_element_type(text);
    if (!type) {
        throw UsageError(fmt::format("{}: {}", option, refused_type_text(text)));
    }
    return *type;
}

void require_known_names(const std::map<std::string, std::vector<std::string>>& by_name,
                         const std::vector<Output>& ports,
                         std::string_view option) {
    for (const auto& [name, texts] : by_name) {
        const auto named = [&, &wanted = name](const Output& port) {
            return is_named(port, wanted);
        };
        if (!name.empty() && std::none_of(ports.begin(), ports.end(), named)) {
            std::vector<std::string> names(ports.size());
            std::transform(ports.begin(), ports.end(), names.begin(),
                           [](const Output& port) { return port.get_any_name(); });
            throw UsageError(fmt::format("{}: there is no '{}'; there are: '{}'{}", option, name,
                                         fmt::join(names, "', '"), did_you_mean(name, names)));
        }
    }
}

std::map<std::string, PartialShape> parse_input_shapes(std::string_view text,
                                                       const std::vector<Output>& inputs) {
    const auto by_name = split_by_name(text, "-shape");
    require_known_names(by_name, inputs, "-shape");
    std::map<std::string, PartialShape> shapes;
    for (const Output& port : inputs) {
        const std::vector<std::string> texts = texts_for(by_name, port);
        if (texts.empty()) {
            continue;
        }
        try {
            shapes[port.node->name()] = PartialShape::parse("[" + texts.front() + "]");
        } catch (const Error& error) {
            throw UsageError(std::string("-shape: ") + error.what());
        }
    }
    return shapes;
}

std::vector<float> parse_numbers(const std::string& text, std::string_view option) {
    std::vector<float> numbers;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (at != end) {
        float value = 0;
        const auto [rest, error] = std::from_chars(at, end, value);
        if (error != std::errc() || (rest != end && *rest != ',')) {
            throw UsageError(fmt::format("{}: '{}' is no list of numbers", option, text));
        }
        numbers.push_back(value);
        at = rest == end ? end : rest + 1;
    }
    return numbers;
}

}  // namespace fuseq::samples
