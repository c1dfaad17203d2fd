// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of two f32 tensors that no chain takes: one is broadcast, or it is a quotient.
#include <algorithm>
#include <iterator>
#include <optional>

#include "cpu/lowering/make_masked_softmax.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/broadcast_binary.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/divide.hpp"

namespace fuseq::cpu {
namespace {

std::optional<BinaryFunction> function_of(const Node& node) {
    static constexpr std::pair<const char*, BinaryFunction> kFunctions[] = {
        {"Add", BinaryFunction::kAdd},
        {"Subtract", BinaryFunction::kSubtract},
        {"Multiply", BinaryFunction::kMultiply},
        {"Divide", BinaryFunction::kDivide},
        {"Maximum", BinaryFunction::kMaximum},
        {"Minimum", BinaryFunction::kMinimum},
        {"SquaredDifference", BinaryFunction::kSquaredDifference},
    };
    const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                     [&](const auto& entry) { return node.is(entry.first); });
    return found == std::end(kFunctions) ? std::nullopt : std::optional(found->second);
}

AutoBroadcast broadcast_of(const Node& node) {
    return node.is("Divide") ? node.attrs<DivideAttrs>().auto_broadcast
                             : node.attrs<BinaryAttrs>().auto_broadcast;
}

// Channels-last where an operand of the rank of dst is in that order only; a large one decides, as
// the other would have to be read across.
Layout layout_of(const StepBuilder& builder, const Node& node) {
    const std::size_t rank = node.port(0).shape.rank();
    if (rank < 3) {
        return Layout::kPlain;
    }
    std::size_t largest = 0;
    Layout layout = Layout::kPlain;
    for (const Output& input : node.inputs()) {
        const std::size_t size = shape_size(input.shape());
        if (input.shape().size() != rank || input.node->is_constant() || size <= largest) {
            continue;
        }
        largest = size;
        layout = builder.available(input, Layout::kPlain) ? Layout::kPlain : Layout::kChannelsLast;
    }
    return layout;
}

}  // namespace

Verdict make_broadcast_binary(StepBuilder& builder, Node& node) {
    const auto function = function_of(node);
    if (!function || broadcast_of(node) == AutoBroadcast::kPdpd ||
        node.port(0).type != ElementType::f32 || node.input(0).type() != ElementType::f32) {
        return function ? Verdict::no("for f32, and no PDPD broadcast") : Verdict::other_kind();
    }
    if (make_masked_softmax(builder, node)) {
        return Verdict::yes();
    }
    const Layout layout = layout_of(builder, node);
    const Shape shape = node.port(0).shape.to_shape();
    // What has the size of the result is read in its order; the rest as it lies.
    const auto operand = [&](std::size_t i) {
        const Output& input = node.input(i);
        return input.shape() == shape ? builder.tensor_of(input, layout) : builder.tensor_of(input);
    };
    const TensorId a = operand(0);
    const TensorId b = operand(1);
    const TensorId dst = builder.new_tensor(ElementType::f32, shape, layout);
    auto step = std::make_unique<BroadcastBinaryStep>(*function, builder.tensor(a),
                                                      builder.tensor(b), builder.tensor(dst),
                                                      std::array<TensorId, 3>{a, b, dst});
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
