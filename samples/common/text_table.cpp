// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/text_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "fuseq/error.hpp"

namespace fuseq::samples {

void TextTable::add(std::vector<std::string> cells) {
    if (cells.size() != columns_.size()) {
        throw Error("table",
                    fmt::format("row has {} cells, expected {}", cells.size(), columns_.size()));
    }
    rows_.push_back(std::move(cells));
}

std::string TextTable::cell(std::size_t column, const std::string& value) const {
    constexpr std::size_t kDots = 3;
    const std::size_t widest = columns_[column].widest;
    if (widest <= kDots || value.size() <= widest) {
        return value;
    }
    const std::size_t kept = widest - kDots;
    const std::size_t tail = kept / 2;  // names of layers differ at both ends
    return value.substr(0, kept - tail) + "..." + value.substr(value.size() - tail);
}

std::string TextTable::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
        std::size_t width = columns_[c].title.size();
        for (const auto& row : rows_) {
            width = std::max(width, cell(c, row[c]).size());
        }
        widths.push_back(width);
    }
    std::string out;
    const auto add_line = [&](const auto& value_of) {
        std::string line;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const std::string value = value_of(c);
            const std::string space(widths[c] - value.size(), ' ');
            line += c == 0 ? "" : "  ";
            line += columns_[c].align == Align::kRight ? space + value : value + space;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    };
    add_line([&](std::size_t c) { return columns_[c].title; });
    add_line([&](std::size_t c) { return std::string(widths[c], '-'); });
    for (const auto& row : rows_) {
        add_line([&](std::size_t c) { return cell(c, row[c]); });
    }
    return out;
}

std::string fixed(double value, int digits) {
    return fmt::format("{:.{}f}", value, digits);
}

}  // namespace fuseq::samples
