// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/nearest_name.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace fuseq {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
    const auto edits = [&](std::string_view other) {
        const auto same = std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first;
        return std::pair(edit_distance(name, other), name.end() - same);
    };
    const auto nearest =
        std::min_element(names.begin(), names.end(),
                         [&](const auto& a, const auto& b) { return edits(a) < edits(b); });
    return nearest == names.end() ? std::string() : *nearest;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
    const std::string nearest = nearest_name(name, names);
    const bool alike = 2 * edit_distance(name, nearest) <= std::max(name.size(), nearest.size());
    return nearest.empty() || !alike ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace fuseq
