// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/operator_table.hpp"

#include <algorithm>
#include <tuple>

namespace fuseq::onnx_reader {
namespace {

auto key(const OperatorRow* row) {
    return std::tie(row->domain, row->type, row->since);
}

std::vector<const OperatorRow*> collect() {
    std::vector<const OperatorRow*> rows;
    const auto take = [&](std::span<const OperatorRow> file) {
        for (const OperatorRow& row : file) {
            rows.push_back(&row);
        }
    };
#define FUSEQ_ONNX_FILE(name) take(name##_operators::rows());
#include "readers/onnx/op_files.inc"
#undef FUSEQ_ONNX_FILE
    std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return key(a) < key(b); });
    return rows;
}

}  // namespace

std::span<const OperatorRow* const> all_operators() {
    static const std::vector<const OperatorRow*> rows = collect();
    return rows;
}

const OperatorRow* find_operator(std::string_view domain, std::string_view type, int version) {
    const OperatorRow* found = nullptr;
    for (const OperatorRow* row : all_operators()) {
        if (row->domain == domain && row->type == type && row->since <= version) {
            found = row;
        }
    }
    return found;
}

}  // namespace fuseq::onnx_reader
