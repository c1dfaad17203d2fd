// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/operator_table.hpp"

#include "readers/common/operator_rows.hpp"

namespace fuseq::tflite_reader {

std::span<const OperatorRow* const> all_operators() {
#define FUSEQ_TFLITE_FILE(name) name##_operators::rows(),
    static const auto rows = readers::sorted_by_type<OperatorRow>({
#include "readers/tflite/op_files.inc"
    });
#undef FUSEQ_TFLITE_FILE
    return rows;
}

const OperatorRow* find_operator(std::string_view type) {
    return readers::find_by_type(all_operators(), type);
}

}  // namespace fuseq::tflite_reader
