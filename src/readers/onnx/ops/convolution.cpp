// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Conv and ConvTranspose.
#include "readers/onnx/ops/convolution.hpp"

#include <algorithm>

#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/window.hpp"

namespace fuseq::onnx_reader::convolution_operators {
namespace {

using Outputs = std::vector<Output>;

std::vector<std::int64_t> kernel_of(const Operator& op, const Output& weights) {
    const PartialShape& shape = weights.partial_shape();
    std::vector<std::int64_t> kernel;
    for (std::size_t d = 2; d < shape.rank(); ++d) {
        op.require(shape[d].is_static(),
                   "the shape of the weights is not known: ", to_string(shape));
        kernel.push_back(shape[d].get_length());
    }
    return kernel;
}

// [first, ...] -> [group, first / group, ...]; constants keep their memory.
Output split_groups(Operator& op, const Output& weights, std::int64_t group) {
    const Shape shape = [&] {
        op.require(weights.partial_shape().is_static(),
                   "the shape of the weights is not known: ", to_string(weights.partial_shape()));
        return weights.shape();
    }();
    const auto groups = static_cast<std::size_t>(group);
    op.require(group >= 1 && shape[0] % groups == 0, "attribute group is ", group,
               ", which does not divide the weights ", to_string(shape));
    Shape split{groups, shape[0] / groups};
    split.insert(split.end(), shape.begin() + 1, shape.end());
    if (weights.node->is_constant()) {
        return op.constant(weights.node->constant().reshaped(split));
    }
    return op.reshape(weights, {split.begin(), split.end()});
}

Output add_bias(Operator& op, const Output& result, std::size_t rank) {
    return op.has_input(2) ? op.add("Add", {result, channel_vector(op, op.input(2), rank)})
                           : result;
}

Outputs convolution(Operator& op) {
    return {
        add_bias(op, convolve(op, op.input(0), op.input(1)), op.rank(op.input(1), "the weights"))};
}

// Pads that give the sizes asked for: output_shape, or source * stride for SAME_*. What is missing
// below a total of 0 is added at the end.
void set_pads_of_result(const Operator& op, Window& window, std::vector<std::int64_t>& extra) {
    const auto wanted = op.attributes.integers("output_shape");
    const bool same = window.auto_pad == "same_upper" || window.auto_pad == "same_lower";
    if (wanted.empty() && !same) {
        return;
    }
    const std::size_t spatial = window.kernel.size();
    const PartialShape& source = op.input(0).partial_shape();
    op.require(source.rank_is_static() && source.rank() == spatial + 2, "the input has shape ",
               to_string(source), ", expected rank ", spatial + 2);
    op.require(wanted.empty() || wanted.size() >= spatial, "attribute output_shape has ",
               wanted.size(), " values, expected ", spatial);
    for (std::size_t d = 0; d < spatial; ++d) {
        const Dimension& size = source[d + 2];
        op.require(size.is_static(),
                   "the sizes of the input must be known for auto_pad SAME_* and "
                   "output_shape, they are ",
                   to_string(source));
        const std::int64_t stride = window.strides[d];
        const std::int64_t result =
            wanted.empty() ? size.get_length() * stride : wanted[wanted.size() - spatial + d];
        const std::int64_t extent = (window.kernel[d] - 1) * window.dilations[d] + 1;
        const std::int64_t total = stride * (size.get_length() - 1) + extra[d] + extent - result;
        extra[d] += std::max<std::int64_t>(-total, 0);
        const std::int64_t pads = std::max<std::int64_t>(total, 0);
        window.begin[d] = window.auto_pad == "same_upper" ? pads / 2 : pads - pads / 2;
        window.end[d] = pads - window.begin[d];
    }
    window.auto_pad = "explicit";
}

Outputs deconvolution(Operator& op) {
    const std::size_t rank = op.rank(op.input(1), "the weights");
    op.require(rank >= 3, "the weights have rank ", rank, ", expected 3 or more");
    Window window = read_window(op, rank - 2, kernel_of(op, op.input(1)));
    std::vector<std::int64_t> extra =
        op.attributes.integers("output_padding", std::vector<std::int64_t>(rank - 2, 0));
    op.require(extra.size() == rank - 2, "attribute output_padding has ", extra.size(),
               " values, expected ", rank - 2);
    set_pads_of_result(op, window, extra);
    ModelAttributes attributes = window.attributes();
    attributes.push_back({"output_padding", extra});
    const std::int64_t group = op.attributes.integer("group", 1);
    const Output weights = group == 1 ? op.input(1) : split_groups(op, op.input(1), group);
    return {add_bias(op,
                     op.add(group == 1 ? "ConvolutionBackpropData" : "GroupConvolutionBackpropData",
                            {op.input(0), weights}, attributes),
                     rank)};
}

const OperatorRow kRows[] = {
    {.type = "Conv", .since = 1, .translate = convolution},
    {.type = "ConvTranspose", .since = 1, .translate = deconvolution},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::convolution_operators

namespace fuseq::onnx_reader {

Window convolution_window(const Operator& op, const Output& weights) {
    const std::size_t rank = op.rank(weights, "the weights");
    op.require(rank >= 3, "the weights have rank ", rank, ", expected 3 or more");
    return read_window(op, rank - 2, convolution_operators::kernel_of(op, weights));
}

Output convolve(Operator& op, const Output& x, const Output& weights) {
    const Window window = convolution_window(op, weights);
    const std::int64_t group = op.attributes.integer("group", 1);
    const Output split =
        group == 1 ? weights : convolution_operators::split_groups(op, weights, group);
    return op.add(group == 1 ? "Convolution" : "GroupConvolution", {x, split}, window.attributes());
}

}  // namespace fuseq::onnx_reader
