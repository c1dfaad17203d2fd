// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DeformConv, and Col2Im, the sum of windows.
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/convolution.hpp"

namespace fuseq::onnx_reader::windows_of_images_operators {
namespace {

using Outputs = std::vector<Output>;

// Inputs: data, weights, offsets, bias, mask.
Outputs deformable_convolution(Operator& op) {
    const std::size_t rank = op.rank(op.input(1), "the weights");
    op.require(rank == 4, "the weights have rank ", rank, ", expected 4");
    ModelAttributes attributes = convolution_window(op, op.input(1)).attributes();
    attributes.push_back({"group", op.attributes.integer("group", 1)});
    attributes.push_back({"deformable_group", op.attributes.integer("offset_group", 1)});
    attributes.push_back({"bilinear_interpolation_pad", true});
    std::vector<Output> inputs{op.input(0), op.input(2), op.input(1)};
    if (op.has_input(4)) {
        inputs.push_back(op.input(4));
    }
    const Output result = op.add("DeformableConvolution", inputs, attributes);
    return {op.has_input(3) ? op.add("Add", {result, channel_vector(op, op.input(3), rank)})
                            : result};
}

// Inputs: data [N, C * kernel, windows], sizes of the image, sizes of the window.
Outputs columns_to_image(Operator& op) {
    const auto pads = op.attributes.integers("pads", {0, 0, 0, 0});
    op.require(pads.size() == 4, "attribute pads has ", pads.size(),
               " values, expected 4: images are supported");
    return {op.add("Col2Im", {op.input(0), op.input(1), op.input(2)},
                   {{"strides", op.attributes.integers("strides", {1, 1})},
                    {"dilations", op.attributes.integers("dilations", {1, 1})},
                    {"pads_begin", std::vector<std::int64_t>{pads[0], pads[1]}},
                    {"pads_end", std::vector<std::int64_t>{pads[2], pads[3]}}})};
}

const OperatorRow kRows[] = {
    {.type = "Col2Im", .since = 18, .translate = columns_to_image, .note = "2D"},
    {.type = "DeformConv", .since = 19, .translate = deformable_convolution, .note = "2D"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::windows_of_images_operators
