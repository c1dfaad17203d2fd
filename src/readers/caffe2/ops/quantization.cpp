// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Between real values and grids.
#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader::quantization_operators {
namespace {

Values quantize(Operator& op) {
    op.require(!op.value(0).grid, "input 0, '", op.input_name(0), "', is quantized already");
    const Grid grid = op.output_grid();
    return op.in_any_order(
        [&](const Output& x) {
            return op.add("Quantize", {x},
                          {{"method", kMethod},
                           {"scales", std::vector<float>{grid.scale}},
                           {"zero_points", std::vector<std::int64_t>{grid.zero_point}},
                           {"output_type", ElementType::i8}});
        },
        grid);
}

Values dequantize(Operator& op) {
    const Grid grid = op.grid(0);
    return op.in_any_order([&](const Output& x) {
        return op.add("Dequantize", {x},
                      {{"scales", std::vector<float>{grid.scale}},
                       {"zero_points", std::vector<std::int64_t>{grid.zero_point}}});
    });
}

const OperatorRow kRows[] = {
    {"Int8Dequantize", dequantize},
    {"Int8Quantize", quantize},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::quantization_operators
