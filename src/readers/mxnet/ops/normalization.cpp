// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalizations.
#include "readers/mxnet/operator_table.hpp"

namespace fuseq::mxnet_reader::normalization_operators {
namespace {

using Outputs = std::vector<Output>;

Outputs batch_normalization(Operator& op) {
    op.require_inputs(5);
    const std::int64_t axis = op.attributes.integer("axis", 1);
    op.require(axis == 1, "axis is ", axis, ", expected 1");
    Output gamma = op.input(1);
    if (op.attributes.flag("fix_gamma", true)) {
        op.require(gamma.partial_shape().is_static(), "the shape of gamma is not known");
        const std::vector<float> ones(shape_size(gamma.shape()), 1.0F);
        gamma = op.constant(Tensor::of<float>(gamma.shape(), ones));
    }
    return {op.add("BatchNormInference",
                   {op.input(0), gamma, op.input(2), op.input(3), op.input(4)},
                   {{"epsilon", static_cast<float>(op.attributes.real("eps", 1e-3))}})};
}

// x / (knorm + alpha / nsize * sum of squares) ^ beta, over channels.
Outputs local_response(Operator& op) {
    const std::int64_t size = op.attributes.integer("nsize", 0);
    op.require(size >= 1 && size % 2 == 1, "nsize is ", size, ", expected an odd number");
    const auto number = [&](const char* name, double otherwise) {
        return static_cast<float>(op.attributes.real(name, otherwise));
    };
    return {op.add("LRN", {op.input(0), op.int_list({1})},
                   {{"size", size},
                    {"alpha", number("alpha", 1e-4)},
                    {"beta", number("beta", 0.75)},
                    {"bias", number("knorm", 2)}})};
}

const OperatorRow kRows[] = {
    {"BatchNorm", batch_normalization, "axis 1"},
    {"LRN", local_response},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::normalization_operators
