// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes convolutions of dequantized sources and weights integer convolutions.
//
//   Law:     conv((q - z) * s, w * t) = s * t * (conv(q - Z, w) - f * W) for z = Z + f with Z a
//            whole number. W is the sum of the weights that lie inside the source: one number an
//            output channel, but less where the window reaches into padding.
//            For a depthwise convolution s and z may differ from channel to channel.
//   Before:  Convolution(DQ(q, s, z), Const i8 -> Convert -> Multiply(t))
//   After:   Convolution(q, Const i8 [, Const i32 Z]) : f32 -> Multiply(s * t, [1, OC, 1, 1])
//            [-> Add(-f * W * s * t, [1, OC, 1, 1], or [1, OC, spatial] where the border matters)]
//            Z is one integer, or [C] integers of a depthwise convolution whose channels differ.
//   Refuses: a source that is not dequantized (src_not_quantized), weights that are not
//            (weights_not_quantized), scales per channel of a dense convolution
//            (per_channel_scale), sums that do not fit 32 bits (accumulator_overflow).
//   Notes:   approximate_border where f != 0, padding is touched and the spatial shape is open.
//   Source:  DESIGN.md section 4; oneDNN: dst = scale * conv(src - zero_point, wei).
#include "transformations/low_precision/quantize_convolution.hpp"

#include <algorithm>
#include <cmath>

#include "ops/binary_arithmetic.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/dequantize.hpp"
#include "transformations/support/quantized_consumer.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"
#include "transformations/support/zero_point_correction.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kName = "quantize_convolution";

// A border that is wrong by less than this part of a step of the FQ that follows changes nothing
// but ties (check_layers.py counts 0.001 as a tie).
constexpr double kHarmlessBorderError = 1e-3;

// Beyond this a zero point of 8-bit integers is the sign of a broken range.
constexpr float kLargestZeroPoint = 1 << 20;

struct Quantized {
    Dequantize src;
    NormalizedWeights wei;
    std::size_t channels = 0;          // OC
    std::size_t channels_per_src = 1;  // depthwise: output channels of one source channel
    std::vector<float> scale;          // s * t, one an output channel
    std::vector<std::int32_t> whole;   // Z, one a source channel or one
    std::vector<double> fraction;      // f, one an output channel
    std::size_t src_channel(std::size_t oc) const { return oc / channels_per_src; }
};

bool is_depthwise(const Node& conv) {
    return conv.is("GroupConvolution") && conv.input(1).shape()[2] == 1;
}

bool check_src(const Node& conv, PassContext& context, const Dequantize& src) {
    if (std::max(std::abs(src.zero_point.min()), std::abs(src.zero_point.max())) >
        kLargestZeroPoint) {
        context.refused(kName, conv, "accumulator_overflow",
                        detail::cat("the zero point of the source is ", src.zero_point.max()));
        return false;
    }
    if (src.per_tensor() || (is_depthwise(conv) && src.axis() == 1)) {
        return true;
    }
    context.refused(kName, conv, "per_channel_scale",
                    detail::cat("the source is quantized per channel (", src.scale.size(),
                                " scales), which a convolution that sums over channels cannot "
                                "take; a depthwise one can"));
    return false;
}

Quantized prepare(const Node& conv, Dequantize src, NormalizedWeights wei) {
    Quantized q;
    const Shape shape = wei.values.shape();
    const bool grouped = conv.is("GroupConvolution");
    q.channels = grouped ? shape[0] * shape[1] : shape[0];
    q.channels_per_src = is_depthwise(conv) ? std::max<std::size_t>(shape[1], 1) : q.channels;
    const std::size_t zero_points = src.zero_point.size();
    for (std::size_t c = 0; c < zero_points; ++c) {
        q.whole.push_back(static_cast<std::int32_t>(std::nearbyint(src.zero_point[c])));
    }
    for (std::size_t oc = 0; oc < q.channels; ++oc) {
        const std::size_t c = q.src_channel(oc);
        const double t = wei.scale.size() == 1 ? wei.scale[0] : wei.scale[oc];
        q.scale.push_back(static_cast<float>(src.scale[c] * t));
        q.fraction.push_back(static_cast<double>(src.zero_point[c]) -
                             q.whole[zero_points == 1 ? 0 : c]);
    }
    q.src = std::move(src);
    q.wei = std::move(wei);
    return q;
}

bool same_everywhere(const std::vector<std::int32_t>& values) {
    return std::all_of(values.begin(), values.end(), [&](auto v) { return v == values.front(); });
}

// [1, OC, 1, ...], or a scalar for equal values.
Tensor per_channel_tensor(std::vector<float> values, std::size_t rank) {
    return ChannelValues(std::move(values), 1).to_tensor(rank);
}

// Error at the border, in real numbers, if the correction is the same everywhere.
double border_error(const Node& conv, const Quantized& q) {
    const std::vector<double> sums = largest_padded_sums(conv, q.wei.values.node->constant());
    double error = 0;
    for (std::size_t oc = 0; oc < q.channels; ++oc) {
        error = std::max(error, std::abs(q.fraction[oc] * sums[oc] * q.scale[oc]));
    }
    return error;
}

Tensor uniform_correction(const Node& conv, const Quantized& q) {
    const std::vector<double> sums = weight_sums(conv, q.wei.values.node->constant());
    std::vector<float> shift(q.channels);
    for (std::size_t oc = 0; oc < q.channels; ++oc) {
        shift[oc] = static_cast<float>(-q.fraction[oc] * sums[oc] * q.scale[oc]);
    }
    return per_channel_tensor(std::move(shift), conv.port().shape.rank());
}

Tensor exact_correction(const Node& conv, const Quantized& q) {
    const std::vector<double> sums = inside_sums(conv, q.wei.values.node->constant());
    Shape shape{1, q.channels};
    for (std::size_t d = 2; d < conv.port().shape.rank(); ++d) {
        shape.push_back(static_cast<std::size_t>(conv.port().shape[d].get_length()));
    }
    std::vector<float> values(sums.size());
    const std::size_t area = sums.size() / std::max<std::size_t>(q.channels, 1);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t oc = i / area;
        values[i] = static_cast<float>(-q.fraction[oc] * sums[i] * q.scale[oc]);
    }
    return Tensor::of(shape, values);
}

// `end` is the node that gives the result of the convolution in real numbers.
Tensor correction(const Node& conv, const Quantized& q, const Node& end, PassContext& context) {
    if (!has_padding(conv) || !context.options().exact_borders) {
        return uniform_correction(conv, q);
    }
    if (!has_static_spatial_shape(conv)) {
        context.refused(kName, conv, "approximate_border",
                        "the zero point of the source is no whole number; its fraction is added "
                        "as a bias, which is too much where the window reaches into padding");
        return uniform_correction(conv, q);
    }
    const double step = smallest_step_after(end);
    if (step > 0 && border_error(conv, q) < kHarmlessBorderError * step) {
        return uniform_correction(conv, q);
    }
    return exact_correction(conv, q);
}

void apply(Node& conv, const Quantized& q, PassContext& context) {
    Model& model = conv.model();
    const std::size_t rank = conv.port().shape.rank();
    const auto nonzero = [](double v) { return v != 0; };
    const bool fractional = std::any_of(q.fraction.begin(), q.fraction.end(), nonzero);
    conv.set_input(0, q.src.q);
    conv.set_input(1, q.wei.values);
    if (std::any_of(q.whole.begin(), q.whole.end(), nonzero)) {
        const Tensor zero_point = same_everywhere(q.whole)
                                      ? Tensor::scalar(q.whole.front())
                                      : Tensor::of(Shape{q.whole.size()}, q.whole);
        conv.add_input(make_constant(model, conv.name() + "/zero_point", zero_point));
    }
    conv.infer();
    const Output scale =
        make_constant(model, conv.name() + "/scale", per_channel_tensor(q.scale, rank));
    Node* end = model.add("Multiply", 1, conv.name() + "/dequantize", {conv.output(), scale},
                          BinaryAttrs{});
    end->origins = origins_of(conv);
    redirect(conv.output(), end->output(), {end});
    if (fractional) {
        const Output shift =
            make_constant(model, conv.name() + "/shift", correction(conv, q, *end, context));
        Node* add =
            model.add("Add", 1, conv.name() + "/correct", {end->output(), shift}, BinaryAttrs{});
        add->origins = origins_of(conv);
        redirect(end->output(), add->output(), {add});
    }
    for (const std::string& name : q.wei.origins) {
        add_origin(conv, name);
    }
    context.rewritten(kName, conv);
}

}  // namespace

bool quantize_convolution(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.ordered_nodes()) {
        if (!is_one_of(*node, {"Convolution", "GroupConvolution"}) ||
            node->port().type != ElementType::f32 || node->input(0).type() != ElementType::f32) {
            continue;
        }
        auto parts = match_quantized_operands(*node, kName, context);
        if (!parts || !check_src(*node, context, parts->src)) {
            continue;
        }
        const Quantized q = prepare(*node, std::move(parts->src), std::move(parts->wei));
        if (may_overflow(*node, q.wei.values.node->constant(), q.whole)) {
            context.refused(kName, *node, "accumulator_overflow",
                            "a sum of products may not fit into 32 bits");
            continue;
        }
        apply(*node, q, context);
        changed = true;
    }
    return changed;
}

}  // namespace fuseq
