// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalizations.
#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader::normalization_operators {
namespace {

Values batch_normalization(Operator& op) {
    const bool nhwc = op.is_nhwc();
    op.require(op.input_count() == 5, "has ", op.input_count(),
               " inputs, expected data, scale, bias, mean and variance");
    op.require(op.integer("is_test", 0) != 0, "is_test is 0: training is not supported");
    op.require(!op.value(0).grid, "input 0 is quantized, the operator takes real numbers");
    const auto vector = [&](std::size_t i) { return op.reshape(op.input(i), {-1}); };
    return op.image_result(op.add("BatchNormInference",
                                  {op.image(0, nhwc), vector(1), vector(2), vector(3), vector(4)},
                                  {{"epsilon", op.real("epsilon", 1e-5F)}}),
                           nhwc);
}

// x / (bias + alpha / size * sum of squares) ^ beta, over channels.
Values local_response(Operator& op) {
    const bool nhwc = op.is_nhwc();
    const std::int64_t size = op.integer("size", 0);
    op.require(size >= 1 && size % 2 == 1, "size is ", size, ", expected an odd number");
    return op.image_result(op.add("LRN", {op.image(0, nhwc), op.int_list({1})},
                                  {{"size", size},
                                   {"alpha", op.real("alpha", 0)},
                                   {"beta", op.real("beta", 0)},
                                   {"bias", op.real("bias", 1)}}),
                           nhwc);
}

const OperatorRow kRows[] = {
    {"LRN", local_response},
    {"SpatialBN", batch_normalization, "is_test is 1"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::normalization_operators
