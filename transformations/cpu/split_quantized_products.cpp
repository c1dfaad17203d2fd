// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products on quantized tensors: the sums come from the anchors that have
// kernels for bytes, and the rule of the method stands after them.
//
//   Law:     dst = rule(sum of (src - z) * w + bias)
//   Before:  QuantizedConvolution(src, w, bias)
//   After:   Convolution(src, w, z) -> Transpose to channels last -> RequantizeSums(., bias)
//            The Transposes are views where the plan keeps channels last.
//   Refuses: sums that f32 does not hold exactly: max |src - z| * sum of |w| beyond 2^24 in a
//            channel; a bias beyond 2^30; weights that are not constant, or less their zero points
//            no i8; src or dst other than u8 and i8; images with other than two dimensions.
//   Source:  an f32 holds all integers up to 2^24.
#include "transformations/cpu/split_quantized_products.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "ops/convolution.hpp"
#include "ops/matmul.hpp"
#include "ops/quantized/quantized_run.hpp"
#include "ops/quantized/requantize_sums.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kName = "split_quantized_products";
constexpr std::int64_t kMaxSum = 1 << 24;   // exact in f32
constexpr std::int64_t kMaxBias = 1 << 30;  // added as integers of 32 bits

// Of the weights less their zero points, where they are i8.
struct Weights {
    std::vector<std::int8_t> values;
    std::size_t channels = 0;
};

// `channel_of(i)`: the output channel of element i.
template <class ChannelOf>
std::optional<Weights> integer_weights(const Node& node,
                                       const WeightAttrs& attrs,
                                       std::size_t channels,
                                       ChannelOf channel_of) {
    const Tensor& tensor = node.input_node(1)->constant();
    const std::vector<std::int64_t> zero = attrs.weight_zero_points;
    Weights weights{{}, channels};
    std::vector<std::int64_t> sums(channels, 0);
    std::size_t i = 0;
    for (const std::int32_t value : integers(tensor)) {
        const std::size_t c = channel_of(i++);
        const std::int64_t w = value - (zero.empty() ? 0 : zero[zero.size() > 1 ? c : 0]);
        if (w < -128 || w > 127) {
            return std::nullopt;
        }
        weights.values.push_back(static_cast<std::int8_t>(w));
        sums[c] += std::abs(w);
    }
    const IntegerLimits source = integer_limits(node.input(0).type());
    const std::int64_t z = attrs.input_zero_point(0);
    const std::int64_t farthest = std::max(source.highest - z, z - source.lowest);
    const std::vector<std::int64_t> bias =
        node.has_input(2) ? to_ints(node.input_node(2)->constant()) : std::vector<std::int64_t>();
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int64_t added = bias.empty() ? 0 : std::abs(bias.at(c));
        if (added > kMaxBias || farthest * sums[c] > kMaxSum) {
            return std::nullopt;
        }
    }
    return weights;
}

bool fits(const Node& node, const WeightAttrs& attrs) {
    const RuleChoice* rule = rule_of(node);
    const bool known = rule->rule == RoundingRule::kD1 || rule->rule == RoundingRule::kD2 ||
                       rule->rule == RoundingRule::kD2Up || rule->rule == RoundingRule::kF32 ||
                       rule->rule == RoundingRule::kF32ZeroFirst;
    return known && is_8_bit(node.input(0).type()) && is_8_bit(attrs.output_type) &&
           is_8_bit(node.input(1).type()) && node.input_node(1)->is_constant() &&
           (!node.has_input(2) || node.input_node(2)->is_constant()) && !node.has_input(3);
}

Output transposed(Node& node,
                  const char* part,
                  const Output& x,
                  const std::vector<std::int64_t>& order) {
    Model& model = node.model();
    const Output axes = model
                            .add_constant(model.unique_name(node.name() + part + "/order"),
                                          Tensor::of<std::int64_t>(Shape{order.size()}, order))
                            ->output(0);
    Node* made =
        model.add("Transpose", 1, model.unique_name(node.name() + part), {x, axes}, NoAttrs{});
    made->origins = origins_of(node);
    return made->output(0);
}

Output requantized(Node& node, const WeightAttrs& attrs, const Output& sums, float alpha) {
    Model& model = node.model();
    RequantizeSumsAttrs made;
    made.rule = rule_of(node)->rule;
    made.multiplier = rule_of(node)->multiplier;
    made.rule_name = rule_text(node);
    made.input_scale = alpha * attrs.input_scales[0];
    made.weight_scales = attrs.weight_scales;
    made.output_scale = attrs.output_scale;
    made.output_zero_point = attrs.output_zero_point;
    made.output_type = attrs.output_type;
    const IntegerLimits limits = output_limits(attrs);
    made.lowest = limits.lowest;
    made.highest = limits.highest;
    std::vector<Output> inputs{sums};
    if (node.has_input(2)) {
        const Tensor bias = node.input_node(2)->constant().to(ElementType::i32);
        inputs.push_back(
            model.add_constant(model.unique_name(node.name() + "/bias"), bias)->output(0));
    }
    Node* step = model.add("RequantizeSums", 1, model.unique_name(node.name() + "/requantize"),
                           std::move(inputs), made);
    step->origins = origins_of(node);
    return step->output(0);
}

// src, weights and, where it is not 0, the zero point of src.
std::vector<Output> operands(Node& node,
                             const Output& src,
                             const Tensor& weights,
                             std::int64_t zero_point) {
    Model& model = node.model();
    std::vector<Output> inputs{
        src, model.add_constant(model.unique_name(node.name() + "/weights"), weights)->output(0)};
    if (zero_point != 0) {
        const Tensor zero = Tensor::scalar(static_cast<std::int32_t>(zero_point));
        inputs.push_back(
            model.add_constant(model.unique_name(node.name() + "/zero_point"), zero)->output(0));
    }
    return inputs;
}

bool split_convolution(Node& node) {
    const auto attrs = node.attrs<QuantizedConvolutionAttrs>();
    const PartialShape& shape = node.input(1).partial_shape();
    if (!fits(node, attrs) || !shape.is_static() || shape.rank() != 4) {
        return false;
    }
    Shape wei = shape.to_shape();
    const std::size_t filter = wei[1] * wei[2] * wei[3];
    const auto weights =
        integer_weights(node, attrs, wei[0], [&](std::size_t i) { return i / filter; });
    if (!weights) {
        return false;
    }
    Model& model = node.model();
    const std::vector<Use> uses = node.port(0).uses;
    const auto groups = static_cast<std::size_t>(attrs.groups);
    if (groups > 1) {
        wei = Shape{groups, wei[0] / groups, wei[1], wei[2], wei[3]};
    }
    Output src = node.input(0);
    if (attrs.channels_last) {
        src = transposed(node, "/to_channels_first", src, {0, 3, 1, 2});
    }
    ConvolutionAttrs windows;
    windows.strides = attrs.strides;
    windows.dilations = attrs.dilations.empty() ? std::vector<std::int64_t>{1, 1} : attrs.dilations;
    windows.pads_begin =
        attrs.pads_begin.empty() ? std::vector<std::int64_t>{0, 0} : attrs.pads_begin;
    windows.pads_end = attrs.pads_end.empty() ? std::vector<std::int64_t>{0, 0} : attrs.pads_end;
    windows.auto_pad = attrs.auto_pad;
    Node* sums = model.add(
        groups > 1 ? "GroupConvolution" : "Convolution", 1,
        model.unique_name(node.name() + "/sums"),
        operands(node, src, Tensor::of(wei, weights->values), attrs.input_zero_point(0)), windows);
    sums->origins = origins_of(node);
    Output result = requantized(
        node, attrs, transposed(node, "/to_channels_last", sums->output(0), {0, 2, 3, 1}), 1.0F);
    if (!attrs.channels_last) {
        result = transposed(node, "/result", result, {0, 3, 1, 2});
    }
    move_uses(uses, node.output(0), result);
    return true;
}

bool split_matmul(Node& node) {
    const auto attrs = node.attrs<QuantizedMatMulAttrs>();
    const PartialShape& shape = node.input(1).partial_shape();
    if (!fits(node, attrs) || !shape.is_static() || shape.rank() != 2) {
        return false;
    }
    const Shape wei = shape.to_shape();
    const std::size_t columns = wei[attrs.transpose_b ? 0 : 1];
    const std::size_t rows = wei[attrs.transpose_b ? 1 : 0];
    const auto weights = integer_weights(node, attrs, columns, [&](std::size_t i) {
        return attrs.transpose_b ? i / rows : i % columns;
    });
    if (!weights) {
        return false;
    }
    Model& model = node.model();
    const std::vector<Use> uses = node.port(0).uses;
    MatMulAttrs product;
    product.transpose_a = attrs.transpose_a;
    product.transpose_b = attrs.transpose_b;
    Node* sums = model.add(
        "MatMul", 1, model.unique_name(node.name() + "/sums"),
        operands(node, node.input(0), Tensor::of(wei, weights->values), attrs.input_zero_point(0)),
        product);
    sums->origins = origins_of(node);
    move_uses(uses, node.output(0), requantized(node, attrs, sums->output(0), attrs.alpha));
    return true;
}

}  // namespace

bool split_quantized_products(Model& model, PassContext& context) {
    const bool convolutions =
        rewrite_each(model, "QuantizedConvolution", context, kName, split_convolution);
    const bool products = rewrite_each(model, "QuantizedMatMul", context, kName, split_matmul);
    return convolutions || products;
}

}  // namespace fuseq
