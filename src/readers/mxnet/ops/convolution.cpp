// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and fully connected layers of real numbers.
#include "readers/mxnet/operator_table.hpp"
#include "readers/mxnet/ops/window.hpp"

namespace fuseq::mxnet_reader::convolution_operators {
namespace {

using Outputs = std::vector<Output>;

bool has_bias(const Operator& op) {
    const bool bias = !op.attributes.flag("no_bias", false);
    op.require_inputs(bias ? 3 : 2);
    return bias;
}

Outputs convolution(Operator& op) {
    const bool biased = has_bias(op);
    Output weights = op.input(1);
    const ConvolutionShape shape = read_convolution(op.attributes, weights, op.place());
    const std::size_t rank = shape.window.kernel.size() + 2;
    if (shape.group > 1) {
        std::vector<std::int64_t> sizes{shape.group, shape.filters / shape.group};
        for (std::size_t d = 1; d < rank; ++d) {
            sizes.push_back(static_cast<std::int64_t>(weights.shape()[d]));
        }
        weights = op.reshape(weights, sizes);
    }
    Output result = op.add(shape.group > 1 ? "GroupConvolution" : "Convolution",
                           {op.input(0), weights}, shape.window.attributes());
    if (biased) {
        check_bias(op.input(2), shape.filters, op.place());
        result = op.add("Add", {result, op.channels(op.input(2), rank)});
    }
    return {result};
}

Outputs fully_connected(Operator& op) {
    const bool biased = has_bias(op);
    const PartialShape& shape = op.input(1).partial_shape();
    const std::int64_t hidden = op.attributes.integer("num_hidden", 0);
    op.require(shape.is_static() && shape.rank() == 2 && shape[0].get_length() == hidden,
               "the weights have shape ", to_string(shape), ", expected [", hidden, ", inputs]");
    Output x = op.input(0);
    const bool rows = x.partial_shape().rank_is_static() && x.partial_shape().rank() == 2;
    if (op.attributes.flag("flatten", true) && !rows) {
        x = op.reshape(x, {0, -1});
    }
    Output result = op.add("MatMul", {x, op.input(1)}, {{"transpose_b", true}});
    if (biased) {
        check_bias(op.input(2), hidden, op.place());
        result = op.add("Add", {result, op.input(2)});
    }
    return {result};
}

const OperatorRow kRows[] = {
    {"Convolution", convolution, "channels second"},
    {"FullyConnected", fully_connected},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::convolution_operators
