// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedMean: the mean over axes, rule(sum of (q - z), M / count) + zo with one rounding, or one
// of TFLite's means (rules/means.hpp).
#include "ops/quantized/quantized_mean.hpp"

#include <algorithm>

#include "ops/axes.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/rules/means.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_mean_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedMeanAttrs>();
    context.require(is_grid_type(attrs.output_type), "output_type is ",
                    to_string(attrs.output_type), ", expected u8, i8, u16 or i16");
    infer_quantized_reduction(context, attrs);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedMeanAttrs>();
    const RuleChoice choice = required_rule(context);
    const Shape& src = context.input(0).get_shape();
    const std::vector<std::size_t> axes = checked_axes(context, attrs.axes, src.size());
    AxisSums made = axis_sums(src, axes, centered(context.input(0), attrs.input_zero_point(0)));
    context.require(made.count > 0, "the mean of no elements");
    std::transform(made.sums.begin(), made.sums.end(), made.sums.begin(),
                   QuantizedMeanRule(attrs, choice, made.count));
    const Shape shape = reduced_shape(src, axes, attrs.keep_dims).to_shape();
    store(context.output(0, shape), made.sums, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedMean",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedMeanAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Mean of a quantized tensor over axes",
     .refused = "no elements; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_mean_ops

namespace fuseq {

void infer_quantized_reduction(InferContext& context, const QuantizedMeanAttrs& attrs) {
    check_grids(context, attrs, 1);
    const PartialShape& src = context.shape(0);
    context.set_output(
        0, attrs.output_type,
        src.rank_is_static()
            ? reduced_shape(src, checked_axes(context, attrs.axes, src.rank()), attrs.keep_dims)
            : PartialShape::dynamic());
}

AxisSums axis_sums(const Shape& src,
                   const std::vector<std::size_t>& axes,
                   const std::vector<std::int32_t>& values) {
    AxisSums made;
    Shape kept = src;
    for (const std::size_t axis : axes) {
        made.count *= static_cast<std::int64_t>(src[axis]);
        kept[axis] = 1;
    }
    made.sums.resize(shape_size(kept));
    for (StridedLoop loop(src, {broadcast_strides(kept, src)}); !loop.done(); loop.next()) {
        made.sums[loop.offset(0)] += values[loop.position()];
    }
    return made;
}

QuantizedMeanRule::QuantizedMeanRule(const QuantizedMeanAttrs& attrs,
                                     RuleChoice choice,
                                     std::int64_t count)
    : attrs_(attrs), choice_(choice), count_(count) {
    if (is_fixed_point(choice.rule) || is_f32_product(choice.rule)) {
        requantize_.emplace(choice, RequantizeScales{.input = attrs.input_scales[0],
                                                     .weights = {},
                                                     .output = attrs.output_scale,
                                                     .output_zero_point = attrs.output_zero_point,
                                                     .count = count});
    }
}

std::int64_t QuantizedMeanRule::operator()(std::int64_t sum) const {
    if (requantize_) {
        return (*requantize_)(sum);
    }
    const rules::MeanGrids grids{attrs_.input_scales[0], attrs_.input_zero_point(0),
                                 attrs_.output_scale, attrs_.output_zero_point};
    const std::int64_t raw = sum + count_ * attrs_.input_zero_point(0);
    switch (choice_.rule) {
        case RoundingRule::kRealMean: return rules::real_mean(grids, raw, count_);
        case RoundingRule::kRawMean: return rules::raw_mean(grids, raw, count_);
        case RoundingRule::kDividedMean: return rules::divided_mean(grids, raw, count_);
        default: break;
    }
    const float real = static_cast<float>(sum) * attrs_.input_scales[0];
    return rules::quantize_real(choice_.rule, real / static_cast<float>(count_),
                                attrs_.output_scale, attrs_.output_zero_point);
}

}  // namespace fuseq
