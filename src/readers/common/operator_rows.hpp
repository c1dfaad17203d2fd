// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tables of operators: rows with a `type`, one list a file, looked up by name.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace fuseq::readers {

template <class Row>
std::vector<const Row*> sorted_by_type(std::initializer_list<std::span<const Row>> files) {
    std::vector<const Row*> rows;
    for (const std::span<const Row> file : files) {
        for (const Row& row : file) {
            rows.push_back(&row);
        }
    }
    std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->type < b->type; });
    return rows;
}

// Null where there is none. `rows` are sorted by type.
template <class Row>
const Row* find_by_type(std::span<const Row* const> rows, std::string_view type) {
    const auto found = std::lower_bound(rows.begin(), rows.end(), type,
                                        [](auto* row, auto name) { return row->type < name; });
    return found != rows.end() && (*found)->type == type ? *found : nullptr;
}

}  // namespace fuseq::readers
