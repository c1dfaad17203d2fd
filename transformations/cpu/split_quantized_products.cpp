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
//            Weights that are no i8 less their zero points: less another number. The rest is a
//            zero point of the weights where a kernel of the device takes it, else one more output
//            channel of ones; in groups they are the sum of two convolutions.
//   Refuses: sums that f32 does not hold exactly: max |src - z| * sum of |w| beyond 2^24 in a
//            channel; a bias that leaves 32 bits with them; weights that are not constant; src or
//            dst other than u8 and i8; images with other than two dimensions.
//   Source:  an f32 holds all integers up to 2^24.
#include "transformations/cpu/split_quantized_products.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "ops/binary_arithmetic.hpp"
#include "ops/convolution.hpp"
#include "ops/matmul.hpp"
#include "ops/quantized/quantized_run.hpp"
#include "ops/quantized/requantize_sums.hpp"
#include "transformations/cpu/dynamic_weights.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace split_quantized_products_pass {
namespace {

constexpr std::string_view kName = "split_quantized_products";
constexpr std::int64_t kMaxSum = 1 << 24;                                 // exact in f32
constexpr std::int64_t kMaxBias = (std::int64_t{1} << 31) - 1 - kMaxSum;  // added in 32 bits

// Sums of (src - z) times these weights are exact in each channel, whatever src is.
bool is_exact(const std::vector<std::int64_t>& magnitudes, std::int64_t farthest) {
    return std::all_of(magnitudes.begin(), magnitudes.end(),
                       [&](std::int64_t sum) { return farthest * sum <= kMaxSum; });
}

bool takes_biases(const Node& node) {
    const std::vector<std::int64_t> bias =
        node.has_input(2) ? to_ints(node.input_node(2)->constant()) : std::vector<std::int64_t>();
    return std::all_of(bias.begin(), bias.end(),
                       [](std::int64_t value) { return std::abs(value) <= kMaxBias; });
}

// Nothing where sums or biases are too large.
std::optional<DynamicWeights> exact_weights(const Node& node,
                                            const WeightAttrs& attrs,
                                            const WeightOrder& order) {
    const IntegerLimits source = integer_limits(node.input(0).type());
    const std::int64_t z = attrs.input_zero_point(0);
    const std::int64_t farthest = std::max(source.highest - z, z - source.lowest);
    DynamicWeights weights =
        dynamic_weights(node.input_node(1)->constant(), attrs.weight_zero_points, order);
    std::vector<std::int64_t> centered(order.channels, 0);
    std::vector<std::int64_t> stored(order.channels, 0);
    order.for_each([&](std::size_t i, std::size_t channel, std::size_t) {
        centered[channel] += std::abs(weights.centered[i]);
        stored[channel] += std::abs(static_cast<int>(weights.stored[i]));
    });
    if (!weights.shifts.empty()) {
        stored.push_back(static_cast<std::int64_t>(order.inputs * order.inner));  // of the ones
    }
    const bool exact = is_exact(centered, farthest) && is_exact(stored, farthest);
    return exact && takes_biases(node) ? std::optional(std::move(weights)) : std::nullopt;
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

// How far the sums of each channel reach. Padding adds nothing.
struct SumRange {
    std::vector<std::int64_t> min;
    std::vector<std::int64_t> max;
};

SumRange sum_range(const Node& node,
                   const WeightAttrs& attrs,
                   const DynamicWeights& weights,
                   const WeightOrder& order) {
    const IntegerLimits source = integer_limits(node.input(0).type());
    const std::int64_t z = attrs.input_zero_point(0);
    const std::int64_t low = std::min<std::int64_t>(source.lowest - z, 0);
    const std::int64_t high = std::max<std::int64_t>(source.highest - z, 0);
    SumRange range{std::vector<std::int64_t>(order.channels, 0),
                   std::vector<std::int64_t>(order.channels, 0)};
    order.for_each([&](std::size_t i, std::size_t channel, std::size_t) {
        const std::int64_t w = weights.centered[i];
        range.min[channel] += w * (w > 0 ? low : high);
        range.max[channel] += w * (w > 0 ? high : low);
    });
    return range;
}

Output requantized(Node& node,
                   const WeightAttrs& attrs,
                   const Output& sums,
                   std::vector<std::int64_t> shifts,
                   SumRange range,
                   float alpha) {
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
    made.weight_shifts = std::move(shifts);
    made.sum_min = std::move(range.min);
    made.sum_max = std::move(range.max);
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

ConvolutionAttrs windows_of(const QuantizedConvolutionAttrs& attrs) {
    ConvolutionAttrs windows;
    windows.strides = attrs.strides;
    windows.dilations = attrs.dilations.empty() ? std::vector<std::int64_t>{1, 1} : attrs.dilations;
    windows.pads_begin =
        attrs.pads_begin.empty() ? std::vector<std::int64_t>{0, 0} : attrs.pads_begin;
    windows.pads_end = attrs.pads_end.empty() ? std::vector<std::int64_t>{0, 0} : attrs.pads_end;
    windows.auto_pad = attrs.auto_pad;
    return windows;
}

// Gives the sums of stored weights what is left of their zero points, as f32, where a kernel of the
// device takes it; else removes them.
bool takes_shifts(const Output& sums,
                  const std::vector<std::int64_t>& shifts,
                  PassContext& context) {
    constexpr std::size_t kWeightZeroPoint = 3;
    Node& node = *sums.node;
    Model& model = node.model();
    std::vector<float> zero_points;
    zero_points.reserve(shifts.size());
    for (const std::int64_t shift : shifts) {
        zero_points.push_back(static_cast<float>(-shift));
    }
    while (node.inputs().size() < kWeightZeroPoint) {
        node.add_input({});
    }
    node.add_input(model
                       .add_constant(model.unique_name(node.name() + "/zero_points"),
                                     Tensor::of(Shape{zero_points.size()}, zero_points))
                       ->output(0));
    const auto& takes = context.options().device.takes_weight_zero_points;
    if (takes && takes(node)) {
        return true;
    }
    model.remove(&node);
    return false;
}

// The sums of a convolution with these weights.
Output convolution(Node& node,
                   const Output& src,
                   Shape wei,
                   const std::vector<std::int8_t>& values) {
    const auto& attrs = node.attrs<QuantizedConvolutionAttrs>();
    const auto groups = static_cast<std::size_t>(attrs.groups);
    if (groups > 1) {
        wei[0] /= groups;
        wei.insert(wei.begin(), groups);
    }
    Model& model = node.model();
    Node* sums = model.add(groups > 1 ? "GroupConvolution" : "Convolution", 1,
                           model.unique_name(node.name() + "/sums"),
                           operands(node, src, Tensor::of(wei, values), attrs.input_zero_point(0)),
                           windows_of(attrs));
    sums->origins = origins_of(node);
    return sums->output(0);
}

// The sums of a matrix product with these weights.
Output product(Node& node, const Shape& wei, const std::vector<std::int8_t>& values) {
    const auto& attrs = node.attrs<QuantizedMatMulAttrs>();
    Model& model = node.model();
    MatMulAttrs made;
    made.transpose_a = attrs.transpose_a;
    made.transpose_b = attrs.transpose_b;
    Node* sums = model.add(
        "MatMul", 1, model.unique_name(node.name() + "/sums"),
        operands(node, node.input(0), Tensor::of(wei, values), attrs.input_zero_point(0)), made);
    sums->origins = origins_of(node);
    return sums->output(0);
}

// In groups no channel of ones sees all that another one sees: the weights as the sum of two i8.
Output sum_of_two(Node& node, const Output& src, const Shape& wei, const DynamicWeights& weights) {
    std::vector<std::int8_t> first;
    std::vector<std::int8_t> second;
    for (const std::int32_t w : weights.centered) {
        const std::int32_t part = std::clamp(w, -128, 127);
        first.push_back(static_cast<std::int8_t>(part));
        second.push_back(static_cast<std::int8_t>(w - part));
    }
    Model& model = node.model();
    Node* sum = model.add("Add", 1, model.unique_name(node.name() + "/both"),
                          {convolution(node, src, wei, first), convolution(node, src, wei, second)},
                          BinaryAttrs{});
    sum->origins = origins_of(node);
    return sum->output(0);
}

bool split_convolution(Node& node, PassContext& context) {
    const auto attrs = node.attrs<QuantizedConvolutionAttrs>();
    const PartialShape& shape = node.input(1).partial_shape();
    if (!fits(node, attrs) || !shape.is_static() || shape.rank() != 4) {
        return false;
    }
    Shape wei = shape.to_shape();
    const WeightOrder order{wei[0], wei[1], wei[2] * wei[3]};
    const auto weights = exact_weights(node, attrs, order);
    if (!weights) {
        return false;
    }
    const std::vector<Use> uses = node.port(0).uses;
    Output src = node.input(0);
    if (attrs.channels_last) {
        src = transposed(node, "/to_channels_first", src, {0, 3, 1, 2});
    }
    std::vector<std::int64_t> shifts = weights->shifts;
    Output sums;
    if (attrs.groups > 1 && !shifts.empty()) {
        sums = sum_of_two(node, src, wei, *weights);
        shifts.clear();
    } else {
        sums = convolution(node, src, wei, weights->stored);
        if (!shifts.empty() && takes_shifts(sums, shifts, context)) {
            shifts.clear();
        } else if (!shifts.empty()) {
            wei[0] += 1;
            sums = convolution(node, src, wei, part_of(*weights, order, 0, order.inputs));
        }
    }
    Output result =
        requantized(node, attrs, transposed(node, "/to_channels_last", sums, {0, 2, 3, 1}),
                    std::move(shifts), sum_range(node, attrs, *weights, order), 1.0F);
    if (!attrs.channels_last) {
        result = transposed(node, "/result", result, {0, 3, 1, 2});
    }
    move_uses(uses, node.output(0), result);
    return true;
}

bool split_matmul(Node& node, PassContext& context) {
    const auto attrs = node.attrs<QuantizedMatMulAttrs>();
    const PartialShape& shape = node.input(1).partial_shape();
    if (!fits(node, attrs) || !shape.is_static() || shape.rank() != 2) {
        return false;
    }
    Shape wei = shape.to_shape();
    const WeightOrder order{.channels = wei[attrs.transpose_b ? 0 : 1],
                            .inputs = wei[attrs.transpose_b ? 1 : 0],
                            .channels_first = attrs.transpose_b};
    const auto weights = exact_weights(node, attrs, order);
    if (!weights) {
        return false;
    }
    const std::vector<Use> uses = node.port(0).uses;
    std::vector<std::int64_t> shifts = weights->shifts;
    Output sums = product(node, wei, weights->stored);
    if (!shifts.empty() && takes_shifts(sums, shifts, context)) {
        shifts.clear();
    } else if (!shifts.empty()) {
        wei[attrs.transpose_b ? 0 : 1] += 1;
        sums = product(node, wei, part_of(*weights, order, 0, order.inputs));
    }
    move_uses(uses, node.output(0),
              requantized(node, attrs, sums, std::move(shifts),
                          sum_range(node, attrs, *weights, order), attrs.alpha));
    return true;
}

bool run(Model& model, PassContext& context) {
    const bool convolutions =
        rewrite_each(model, "QuantizedConvolution", context, kName,
                     [&](Node& node) { return split_convolution(node, context); });
    const bool products = rewrite_each(model, "QuantizedMatMul", context, kName,
                                       [&](Node& node) { return split_matmul(node, context); });
    return convolutions || products;
}

}  // namespace
}  // namespace split_quantized_products_pass

bool split_quantized_products(Model& model, PassContext& context) {
    return split_quantized_products_pass::run(model, context);
}

}  // namespace fuseq
