// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes deconvolutions of dequantized sources and weights integer deconvolutions.
//
//   Law:     as quantize_convolution; which weights meet the source depends on the position
//            between the strides, so the fraction of a zero point is corrected position by
//            position.
//   Before:  ConvolutionBackpropData(DQ(q, s, z), Const i8 -> Convert -> [Subtract(y)]
//              -> Multiply(t) [, shape])
//   After:   ConvolutionBackpropData(q, Const i8, shape or _ [, Const i32 Z [, Const f32 y]]) : f32
//              -> Multiply(s * t, [1, OC, 1, 1]) [-> Add([1, OC, spatial])]
//   Refuses: a source or weights in float (src_not_quantized, weights_not_quantized), scales per
//            channel unless depthwise (per_channel_scale), a zero point that is no whole number
//            where the spatial shape is open (fractional_zero_point), sums that do not fit 32 bits
//            (accumulator_overflow).
//   Source:  DESIGN.md sections 4 and 8.
#include "transformations/low_precision/quantize_deconvolution.hpp"

#include <algorithm>

#include "transformations/support/dequantize.hpp"
#include "transformations/support/integer_convolution.hpp"
#include "transformations/support/quantized_consumer.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weight_zero_point.hpp"
#include "transformations/support/weights.hpp"
#include "transformations/support/zero_point_correction.hpp"

namespace fuseq {
namespace quantize_deconvolution_pass {
namespace {

constexpr std::string_view kName = "quantize_deconvolution";

bool check(const Node& conv,
           const Dequantize& src,
           const NormalizedWeights& wei,
           const IntegerConvolution& q,
           PassContext& context) {
    const auto refuse = [&](const char* code, const char* text) {
        context.refused(kName, conv, code, text);
        return false;
    };
    const auto nonzero = [](double f) { return f != 0; };
    if (std::any_of(q.fraction.begin(), q.fraction.end(), nonzero) &&
        !has_static_spatial_shape(conv)) {
        return refuse("fractional_zero_point",
                      "the zero point of the source is no whole number and the shape is open");
    }
    if (may_overflow(conv, wei.values.node->constant(), src.zero_point)) {
        return refuse("accumulator_overflow", "a sum of products may not fit into 32 bits");
    }
    return true;
}

bool quantize(Node& conv, PassContext& context) {
    const auto wei = match_normalized_weights(conv);
    const auto src = match_dequantize(conv.input(0));
    if (!wei || !src) {
        explain_float_operand(conv, kName, src.has_value(), wei.has_value(), context);
        return false;
    }
    if (!src->per_tensor() && !(sums_one_channel(conv) && src->axis() == 1)) {
        context.refused(kName, conv, "per_channel_scale",
                        "the source is quantized per channel, and channels are summed");
        return false;
    }
    if (largest_magnitude(src->zero_point) > kLargestZeroPoint) {
        context.refused(kName, conv, "accumulator_overflow", "the zero point is out of range");
        return false;
    }
    IntegerConvolution q = describe_integer_convolution(conv, *src, wei->scale);
    if (!check(conv, *src, *wei, q, context)) {
        return false;
    }
    q.src = src->q;
    q.wei = wei->values;
    const double step = smallest_step_after(conv);
    q.wei_zero =
        zero_points_that_matter(conv, *src, {q.weights().values, wei->zero_point}, {q.scale, step});
    for (const std::string& name : wei->origins) {
        add_origin(conv, name);
    }
    const std::vector<Use> uses = conv.port().uses;
    const Output end = make_integer(conv, q, step, kName, context);
    move_uses(uses, conv.output(), end);
    context.rewritten(kName, conv);
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        if (is_one_of(*node, {"ConvolutionBackpropData", "GroupConvolutionBackpropData"}) &&
            node->port().type == ElementType::f32 && node->input(0).type() == ElementType::f32 &&
            node->port().shape.rank_is_static() && quantize(*node, context)) {
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace quantize_deconvolution_pass

bool quantize_deconvolution(Model& model, PassContext& context) {
    return quantize_deconvolution_pass::run(model, context);
}

}  // namespace fuseq
