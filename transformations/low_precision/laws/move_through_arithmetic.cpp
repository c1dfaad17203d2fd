// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
//   Law:     (q - z) * s * c = (q - z) * (s * c);  (q - z) * s + c = (q - (z - c / s)) * s
//   Before:  DQ(q, s, z) -> Multiply(Const c) | Add(Const c)      After:  DQ with other numbers
//            Only before convolutions and matmuls of quantized weights, which become integer
//            ones by it; elsewhere a fused eltwise applies such constants at no cost.
//   Refuses: constants per channel unless every reader is a depthwise convolution
//   (per_channel_constant), constants of
//            another shape (constant_shape), numbers that f32 cannot hold well (out_of_range).
//   Source:  DESIGN.md section 5: (x*A + B)*C = x*(A*C) + B*C.
#include <algorithm>
#include <cmath>

#include "ops/binary_arithmetic.hpp"
#include "transformations/low_precision/laws/law.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace {

// A zero point beyond this many steps from the integers costs more digits than it is worth.
constexpr double kFarthestZeroPoint = 1 << 14;

// The readers after further constants and operations that DQ passes.
std::vector<Use> readers(const Node& node) {
    std::vector<Use> found;
    std::vector<const Node*> stack{&node};
    while (!stack.empty()) {
        const Node* at = stack.back();
        stack.pop_back();
        for (const Use& use : at->users()) {
            const bool passes =
                is_one_of(*use.node, {"MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze"}) ||
                (is_one_of(*use.node, {"Multiply", "Add"}) &&
                 use.node->input_node(1)->is_constant());
            if (passes && use.index == 0) {
                stack.push_back(use.node);
            } else {
                found.push_back(use);
            }
        }
    }
    return found;
}

bool is_integer_reader(const Use& use) {
    return use.index == 0 && takes_weights(*use.node) && match_normalized_weights(*use.node);
}

bool is_depthwise_reader(const Use& use) {
    return is_integer_reader(use) && use.node->is("GroupConvolution") &&
           use.node->input(1).shape()[2] == 1;
}

bool fits(const ChannelValues& values, double largest) {
    return std::all_of(values.list().begin(), values.list().end(), [&](float v) {
        return std::isfinite(v) && std::abs(static_cast<double>(v)) <= largest;
    });
}

LawResult apply_constant(const Node& node, const ChannelValues& constant, Dequantize& dq) {
    if (node.is("Multiply")) {
        dq.scale = combine(dq.scale, constant, [](double s, double c) { return s * c; });
    } else {
        const ChannelValues steps =
            combine(constant, dq.scale, [](double c, double s) { return c / s; });
        dq.zero_point = combine(dq.zero_point, steps, [](double z, double c) { return z - c; });
    }
    const auto zero = [](float s) { return s == 0; };
    if (!fits(dq.scale, INFINITY) || !fits(dq.zero_point, kFarthestZeroPoint) ||
        std::any_of(dq.scale.list().begin(), dq.scale.list().end(), zero)) {
        return LawResult::refused("out_of_range", "a scale or zero point would be out of range");
    }
    return LawResult::moved();
}

}  // namespace

LawResult move_through_arithmetic(Node& node, const Dequantize& dq) {
    const std::vector<Use> uses = readers(node);
    if (std::none_of(uses.begin(), uses.end(), is_integer_reader)) {
        return LawResult::not_wanted();
    }
    const auto constant = node.port().shape == node.input(0).partial_shape() &&
                                  node.attrs<BinaryAttrs>().auto_broadcast != AutoBroadcast::kPdpd
                              ? constant_channels(node.input(1), node.port().shape.rank())
                              : std::nullopt;
    if (!constant || !same_axis(*constant, dq.scale) || !same_axis(*constant, dq.zero_point)) {
        return LawResult::refused("constant_shape",
                                  "the constant is neither per tensor nor per channel");
    }
    if (!constant->per_tensor() && !std::all_of(uses.begin(), uses.end(), is_depthwise_reader)) {
        return LawResult::refused("per_channel_constant",
                                  "a reader sums channels, which would have different scales");
    }
    Dequantize after = dq;
    if (LawResult result = apply_constant(node, *constant, after); !result) {
        return result;
    }
    for (const std::string& origin : origins_of(node)) {
        after.origins.push_back(origin);
    }
    const std::vector<Use> direct = node.port().uses;
    move_uses(direct, node.output(), build_dequantize(node.model(), node.name() + "/dq", after));
    return LawResult::moved();
}

}  // namespace fuseq
