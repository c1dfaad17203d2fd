// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/operator_table.hpp"

#include <algorithm>

namespace fuseq::mxnet_reader {
namespace {

std::vector<const OperatorRow*> collect() {
    std::vector<const OperatorRow*> rows;
    const auto take = [&](std::span<const OperatorRow> file) {
        for (const OperatorRow& row : file) {
            rows.push_back(&row);
        }
    };
#define FUSEQ_MXNET_FILE(name) take(name##_operators());
#include "readers/mxnet/op_files.inc"
#undef FUSEQ_MXNET_FILE
    std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->type < b->type; });
    return rows;
}

}  // namespace

std::span<const OperatorRow* const> all_operators() {
    static const std::vector<const OperatorRow*> rows = collect();
    return rows;
}

const OperatorRow* find_operator(std::string_view type) {
    const auto rows = all_operators();
    const auto found = std::lower_bound(rows.begin(), rows.end(), type,
                                        [](auto* row, auto name) { return row->type < name; });
    return found != rows.end() && (*found)->type == type ? *found : nullptr;
}

}  // namespace fuseq::mxnet_reader
