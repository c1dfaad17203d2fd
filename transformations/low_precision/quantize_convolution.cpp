// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes convolutions of dequantized sources and weights integer convolutions.
//
//   Law:     conv((q - z) * s, w * t) = s * t * (conv(q - Z, w) - f * W) for z = Z + f with Z a
//            whole number. W is the sum of the weights that lie inside the source: one number an
//            output channel, but less where the window reaches into padding.
//            For a depthwise convolution s and z may differ from channel to channel. Else
//            channels of different s or z are summed apart:
//            conv(x, w) = sum over parts of conv(x[channels], w[:, channels]).
//   Before:  Convolution(DQ(q, s, z), Const i8 -> Convert -> Multiply(t)); the source may also be a
//            Concat along channels of several DQ
//   After:   Convolution(q, Const i8 [, Const i32 Z]) : f32 -> Multiply(s * t, [1, OC, 1, 1])
//            [-> Add(-f * W * s * t, [1, OC, 1, 1], or [1, OC, spatial] where the border matters)]
//            Z is one integer, or [C] integers of a depthwise convolution whose channels differ.
//            Parts: one such chain each, the results added; the last one has the layer's name.
//   Refuses: a source that is not dequantized (src_not_quantized), weights that are not
//            (weights_not_quantized), scales per channel of a convolution in groups of several
//            channels (per_channel_scale), more than 16 different scales (too_many_scales), sums
//            that do not fit 32 bits (accumulator_overflow).
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
#include "transformations/support/source_parts.hpp"
#include "transformations/support/weights.hpp"
#include "transformations/support/zero_point_correction.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kName = "quantize_convolution";

// A border that is wrong by less than this part of a step of the FQ that follows changes nothing
// but ties (check_layers.py counts 0.001 as a tie).
constexpr double kHarmlessBorderError = 1e-3;

// Each part is a convolution of its own with a result in float; beyond this float is as fast.
constexpr std::size_t kMostParts = 16;

// One integer convolution and the numbers around it.
struct Quantized {
    Output src;
    Output wei;                       // Const i8
    std::vector<float> scale;         // s * t, one an output channel
    std::vector<std::int32_t> whole;  // Z, one a source channel or one
    std::vector<double> fraction;     // f, one an output channel
    std::size_t channels() const { return scale.size(); }
    const Tensor& weights() const { return wei.node->constant(); }
};

bool is_depthwise(const Node& conv) {
    return conv.is("GroupConvolution") && conv.input(1).shape()[2] == 1;
}

std::size_t output_channels(const Node& conv) {
    const Shape wei = conv.input(1).shape();
    return conv.is("GroupConvolution") ? wei[0] * wei[1] : wei[0];
}

// The parts of the source with one scale each; of a depthwise convolution, always one.
std::vector<SourcePart> parts_of(const Node& conv, PassContext& context) {
    const auto dq = match_dequantize(conv.input(0));
    if (conv.is("GroupConvolution")) {
        if (dq && !dq->per_tensor() && !(is_depthwise(conv) && dq->axis() == 1)) {
            context.refused(kName, conv, "per_channel_scale",
                            detail::cat("the source is quantized per channel (", dq->scale.size(),
                                        " scales), and each group sums over several channels"));
            return {};
        }
        return dq ? std::vector<SourcePart>{{*dq, {}, {}}} : std::vector<SourcePart>{};
    }
    std::vector<SourcePart> parts = source_parts(conv.input(0));
    if (parts.size() > kMostParts) {
        context.refused(kName, conv, "too_many_scales",
                        detail::cat("the channels of the source have ", parts.size(),
                                    " different scales or zero points"));
        return {};
    }
    return parts;
}

Quantized prepare(const Node& conv, const Dequantize& src, const std::vector<float>& wei_scale) {
    Quantized q;
    const std::size_t channels = output_channels(conv);
    const std::size_t per_src = is_depthwise(conv) ? conv.input(1).shape()[1] : channels;
    for (const float zero_point : src.zero_point.list()) {
        q.whole.push_back(static_cast<std::int32_t>(std::nearbyint(zero_point)));
    }
    for (std::size_t oc = 0; oc < channels; ++oc) {
        const std::size_t c = oc / per_src;
        const double t = wei_scale.size() == 1 ? wei_scale[0] : wei_scale[oc];
        q.scale.push_back(static_cast<float>(src.scale[c] * t));
        q.fraction.push_back(static_cast<double>(src.zero_point[c]) -
                             q.whole[q.whole.size() == 1 ? 0 : c]);
    }
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
    const std::vector<double> sums = largest_padded_sums(conv, q.weights());
    double error = 0;
    for (std::size_t oc = 0; oc < q.channels(); ++oc) {
        error = std::max(error, std::abs(q.fraction[oc] * sums[oc] * q.scale[oc]));
    }
    return error;
}

Tensor uniform_correction(const Node& conv, const Quantized& q) {
    const std::vector<double> sums = weight_sums(conv, q.weights());
    std::vector<float> shift(q.channels());
    for (std::size_t oc = 0; oc < q.channels(); ++oc) {
        shift[oc] = static_cast<float>(-q.fraction[oc] * sums[oc] * q.scale[oc]);
    }
    return per_channel_tensor(std::move(shift), conv.port().shape.rank());
}

Tensor exact_correction(const Node& conv, const Quantized& q) {
    const std::vector<double> sums = inside_sums(conv, q.weights());
    Shape shape{1, q.channels()};
    for (std::size_t d = 2; d < conv.port().shape.rank(); ++d) {
        shape.push_back(static_cast<std::size_t>(conv.port().shape[d].get_length()));
    }
    std::vector<float> values(sums.size());
    const std::size_t area = sums.size() / std::max<std::size_t>(q.channels(), 1);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t oc = i / area;
        values[i] = static_cast<float>(-q.fraction[oc] * sums[i] * q.scale[oc]);
    }
    return Tensor::of(shape, values);
}

// `step`: of the FQ that follows, 0 when there is none.
Tensor correction(const Node& conv, const Quantized& q, double step, PassContext& context) {
    if (!has_padding(conv) || !context.options().exact_borders) {
        return uniform_correction(conv, q);
    }
    if (!has_static_spatial_shape(conv)) {
        context.refused(kName, conv, "approximate_border",
                        "the zero point of the source is no whole number; its fraction is added "
                        "as a bias, which is too much where the window reaches into padding");
        return uniform_correction(conv, q);
    }
    if (step > 0 && border_error(conv, q) < kHarmlessBorderError * step) {
        return uniform_correction(conv, q);
    }
    return exact_correction(conv, q);
}

// Makes `conv` the integer convolution and returns the port of its result in real numbers.
Output build(Node& conv, const Quantized& q, double step, PassContext& context) {
    Model& model = conv.model();
    const std::size_t rank = conv.port().shape.rank();
    const auto nonzero = [](double v) { return v != 0; };
    conv.set_input(0, q.src);
    conv.set_input(1, q.wei);
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
    if (std::any_of(q.fraction.begin(), q.fraction.end(), nonzero)) {
        const Output shift =
            make_constant(model, conv.name() + "/shift", correction(conv, q, step, context));
        end = model.add("Add", 1, conv.name() + "/correct", {end->output(), shift}, BinaryAttrs{});
        end->origins = origins_of(conv);
    }
    return end->output();
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
        const std::string name = last ? conv.name() : detail::cat(conv.name(), "/part", i);
        // Copied before the layer itself changes: it is changed last.
        Node& part = last ? conv : *copy_node(conv, name, conv.inputs());
        Quantized q = prepare(conv, parts[i].src, wei.scale);
        q.src = build_part(model, name, parts[i]);
        q.wei = parts.size() == 1
                    ? wei.values
                    : make_constant(model, name + "/weights",
                                    weights_of_part(wei.values.node->constant(), parts[i]));
        const Output result = build(part, q, step, context);
        if (sum) {
            Node* add = model.add("Add", 1, name + "/sum", {result, sum}, BinaryAttrs{});
            add->origins = origins_of(conv);
            sum = add->output();
        } else {
            sum = result;
        }
    }
    for (const Use& use : uses) {
        use.node->set_input(use.index, sum);
    }
    sum.node->port().names.merge(conv.port().names);
    conv.port().names.clear();
    context.rewritten(kName, conv,
                      parts.size() == 1 ? "" : detail::cat(parts.size(), " parts of one scale"));
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

}  // namespace

bool quantize_convolution(Model& model, PassContext& context) {
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

}  // namespace fuseq
