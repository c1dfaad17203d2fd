// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Zero points of weights, which oneDNN does not have, become arithmetic after the integer anchor.
//
//   Law:     anchor(q, w - y) = anchor(q, w) - y * anchor(q, ones)
//   Before:  anchor(q, w, y)
//   After:   anchor(q, w) -> Add(., Multiply(anchor(q, ones), -y))
//            The second anchor has one output channel, or, in groups, as many as the first.
//   Refuses: what a kernel of the device takes as it is (DeviceFacts::takes_weight_zero_points).
//   Source:  convolutions and matrix products are linear in their weights.
#include "transformations/cpu/split_weight_zero_points.hpp"

#include "ops/binary_arithmetic.hpp"
#include "ops/matmul.hpp"
#include "transformations/support/anchor_zero_points.hpp"
#include "transformations/support/channel_values.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace split_weight_zero_points_pass {
namespace {

constexpr std::string_view kName = "split_weight_zero_points";

// Weights of ones for the sums of windows: one output channel for all, or one for each where the
// channels of dst belong to different groups.
Shape shape_of_ones(const Node& anchor) {
    Shape shape = anchor.input(1).shape();
    if (anchor.is("Convolution")) {
        shape[0] = 1;
    } else if (anchor.is("ConvolutionBackpropData")) {
        shape[1] = 1;
    } else if (anchor.is("MatMul") && shape.size() > 1) {
        const bool transposed = anchor.attrs<MatMulAttrs>().transpose_b;
        const std::size_t depth = shape[shape.size() - (transposed ? 1 : 2)];
        shape = transposed ? Shape{1, depth} : Shape{depth, 1};
    }
    return shape;
}

// -y, so that it broadcasts to the result: channels are dimension 1, or columns the last one.
Tensor factors(const Node& anchor, const Tensor& zero_points) {
    std::vector<float> values = to_floats(zero_points);
    for (float& v : values) {
        v = -v;
    }
    const std::size_t rank = anchor.port(0).shape.rank();
    return ChannelValues(std::move(values), anchor.is("MatMul") ? rank - 1 : 1).to_tensor(rank);
}

void split(Node& anchor, std::size_t input) {
    Model& model = anchor.model();
    const std::vector<Use> uses = anchor.port(0).uses;
    const Tensor factor = factors(anchor, anchor.input_node(input)->constant());
    anchor.set_input(input, {});
    anchor.infer();
    const Shape shape = shape_of_ones(anchor);
    const Tensor ones =
        Tensor::of(shape, std::vector<std::int8_t>(shape_size(shape), std::int8_t{1}));
    std::vector<Output> inputs = anchor.inputs();
    const auto name = [&](const char* part) { return model.unique_name(anchor.name() + part); };
    inputs[1] = model.add_constant(name("/ones"), ones)->output(0);
    Node* sums = copy_node(anchor, name("/window_sums"), std::move(inputs));
    const Output by = model.add_constant(name("/minus_zero_point"), factor)->output(0);
    Node* product =
        model.add("Multiply", 1, name("/times_zero_point"), {sums->output(0), by}, BinaryAttrs{});
    Node* result = model.add("Add", 1, name("/add_zero_point"),
                             {anchor.output(0), product->output(0)}, BinaryAttrs{});
    for (Node* node : {sums, product, result}) {
        node->origins = origins_of(anchor);
    }
    move_uses(uses, anchor.output(0), result->output(0));
}

bool run(Model& model, PassContext& context) {
    const auto& takes = context.options().device.takes_weight_zero_points;
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        const std::size_t input = weight_zero_points(*node);
        if (input != 0 && !(takes && takes(*node))) {
            split(*node, input);
            context.rewritten(kName, *node);
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace split_weight_zero_points_pass

bool split_weight_zero_points(Model& model, PassContext& context) {
    return split_weight_zero_points_pass::run(model, context);
}

}  // namespace fuseq
