// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes convolutions of dequantized sources and weights integer convolutions.
//
//   Law:     conv((q - z) * s, (w - y) * t) = s * t * (conv(q - Z, w - y) - f * W) for z = Z + f
//            with Z the nearest whole number that the type of q can hold. W is the sum of the
//            weights w - y that lie inside the source: one number an output channel, but less
//            where the window reaches into padding.
//            y, of an output channel, is left out where it moves no result by more than a part of a
//            step (support/weight_zero_point.hpp).
//            For a depthwise convolution s and z may differ from channel to channel. Else
//            channels of different s or z are summed apart:
//            conv(x, w) = sum over parts of conv(x[channels], w[:, channels]).
//   Before:  Convolution(DQ(q, s, z), Const i8 -> Convert -> [Subtract(y)] -> Multiply(t)); the
//            source may also be a Concat along channels of several DQ
//   After:   Convolution(q, Const i8 [, Const i32 Z [, Const f32 y]]) : f32
//              -> Multiply(s * t, [1, OC, 1, 1])
//            [-> Add(-f * W * s * t, [1, OC, 1, 1], or [1, OC, spatial] where the border matters)]
//            Z is one integer, or [C] integers of a depthwise convolution whose channels differ.
//            Parts: one such chain each, the results added; the last one has the layer's name.
//   Refuses: a source that is not dequantized (src_not_quantized), weights that are not
//            (weights_not_quantized), scales per channel of a convolution in groups of several
//            channels (per_channel_scale), more different scales than the options allow
//            (too_many_scales), sums that do not fit 32 bits (accumulator_overflow).
//   Notes:   approximate_border where f != 0, padding is touched and the spatial shape is open.
//   Source:  DESIGN.md section 4; oneDNN: dst = scale * conv(src - zero_point, wei).
#include "transformations/low_precision/quantize_convolution.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "ops/binary_arithmetic.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/dequantize.hpp"
#include "transformations/support/integer_convolution.hpp"
#include "transformations/support/quantized_consumer.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/source_parts.hpp"
#include "transformations/support/weight_zero_point.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace quantize_convolution_pass {
namespace {

constexpr std::string_view kName = "quantize_convolution";

// The parts of the source with one scale each; of a depthwise convolution, always one.
std::vector<SourcePart> parts_of(const Node& conv, PassContext& context) {
    const auto dq = match_dequantize(conv.input(0));
    if (conv.is("GroupConvolution")) {
        if (dq && !dq->per_tensor() && !(sums_one_channel(conv) && dq->axis() == 1)) {
            context.refused(kName, conv, "per_channel_scale",
                            fmt::format("the source is quantized per channel ({} scales), and each "
                                        "group sums over several channels",
                                        dq->scale.size()));
            return {};
        }
        return dq ? std::vector<SourcePart>{{*dq, {}, {}}} : std::vector<SourcePart>{};
    }
    std::vector<SourcePart> parts = source_parts(conv.input(0));
    if (parts.size() > context.options().most_scales) {
        context.refused(
            kName, conv, "too_many_scales",
            fmt::format("the channels of the source have {} different scales or zero points",
                        parts.size()));
        return {};
    }
    return parts;
}

// Every part is a convolution; the layer itself is the last one.
void apply(Node& conv,
           const std::vector<SourcePart>& parts,
           const NormalizedWeights& wei,
           PassContext& context) {
    Model& model = conv.model();
    const double step = smallest_step_after(conv);
    const std::vector<Use> uses = conv.port().uses;
    for (const std::string& name : wei.origins) {
        add_origin(conv, name);
    }
    Output sum;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool last = i + 1 == parts.size();
        const std::string name = last ? conv.name() : fmt::format("{}/part{}", conv.name(), i);
        // Copied before the layer itself changes: it is changed last.
        Node& part = last ? conv : *copy_node(conv, name, conv.inputs());
        IntegerConvolution q = describe_integer_convolution(conv, parts[i].src, wei.scale);
        q.src = build_part(model, name, parts[i]);
        q.wei = parts.size() == 1
                    ? wei.values
                    : make_constant(model, name + "/weights",
                                    weights_of_part(wei.values.node->constant(), parts[i]));
        q.wei_zero = zero_points_that_matter(conv, parts[i].src,
                                             {q.weights().values, wei.zero_point}, {q.scale, step});
        const Output result = make_integer(part, q, step, kName, context);
        if (sum) {
            Node* add = model.add("Add", 1, name + "/sum", {result, sum}, BinaryAttrs{});
            add->origins = origins_of(conv);
            sum = add->output();
        } else {
            sum = result;
        }
    }
    move_uses(uses, conv.output(), sum);
    context.rewritten(kName, conv,
                      parts.size() == 1 ? "" : fmt::format("{} parts of one scale", parts.size()));
}

bool fits_accumulator(const Node& conv,
                      const std::vector<SourcePart>& parts,
                      const Tensor& weights,
                      PassContext& context) {
    const bool fits = std::all_of(parts.begin(), parts.end(), [&](const SourcePart& part) {
        return !may_overflow(conv, weights, part.src.zero_point);
    });
    if (!fits) {
        context.refused(kName, conv, "accumulator_overflow",
                        "a sum of products may not fit into 32 bits");
    }
    return fits;
}

bool quantize(Node& conv, PassContext& context) {
    const auto wei = match_normalized_weights(conv);
    const std::size_t remarks = context.remarks().size();
    const std::vector<SourcePart> parts = parts_of(conv, context);
    if (!wei || parts.empty()) {
        if (context.remarks().size() == remarks) {
            explain_float_operand(conv, kName, !parts.empty(), wei.has_value(), context);
        }
        return false;
    }
    if (!fits_accumulator(conv, parts, wei->values.node->constant(), context)) {
        return false;
    }
    apply(conv, parts, *wei, context);
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        if (is_one_of(*node, {"Convolution", "GroupConvolution"}) &&
            node->port().type == ElementType::f32 && node->input(0).type() == ElementType::f32 &&
            node->port().shape.rank_is_static() && quantize(*node, context)) {
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace quantize_convolution_pass

bool quantize_convolution(Model& model, PassContext& context) {
    return quantize_convolution_pass::run(model, context);
}

}  // namespace fuseq
