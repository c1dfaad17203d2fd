// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/operator_table.hpp"

#include "readers/common/operator_rows.hpp"

namespace fuseq::mxnet_reader {

std::span<const OperatorRow* const> all_operators() {
#define FUSEQ_MXNET_FILE(name) name##_operators::rows(),
    static const auto rows = readers::sorted_by_type<OperatorRow>({
#include "readers/mxnet/op_files.inc"
    });
#undef FUSEQ_MXNET_FILE
    return rows;
}

const OperatorRow* find_operator(std::string_view type) {
    return readers::find_by_type(all_operators(), type);
}

}  // namespace fuseq::mxnet_reader
