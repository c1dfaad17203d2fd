// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedSum: the sum over axes. kWrappedSum is TFLite's: half away from zero of
// f32(sum of q) * (si / so) - zi * (si / so) * count, + zo; on one grid the sum of the integers
// themselves. Neither saturates: the low bits are kept. The others: the sum of real values.
#include <algorithm>
#include <cmath>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_mean.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_sum_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedMeanAttrs>();
    context.require(attrs.output_type == ElementType::u8 || attrs.output_type == ElementType::i8 ||
                        attrs.output_type == ElementType::i16,
                    "output_type is ", to_string(attrs.output_type), ", expected u8, i8 or i16");
    infer_quantized_reduction(context, attrs);
}

std::int64_t wrapped(std::int64_t value, ElementType type) {
    switch (type) {
        case ElementType::i8: return static_cast<std::int8_t>(value);
        case ElementType::u8: return static_cast<std::uint8_t>(value);
        default: return static_cast<std::int16_t>(value);
    }
}

// Of the sum of the integers themselves.
std::int64_t wrapped_sum(const QuantizedMeanAttrs& attrs, std::int64_t raw, std::int64_t count) {
    const std::int64_t zero_point = attrs.input_zero_point(0);
    if (attrs.input_scales[0] == attrs.output_scale && zero_point == attrs.output_zero_point) {
        return wrapped(raw, attrs.output_type);
    }
    const float scale = attrs.input_scales[0] / attrs.output_scale;
    const float bias = static_cast<float>(-zero_point) * scale * static_cast<float>(count);
    const float rounded = std::round(static_cast<float>(raw) * scale + bias);
    return wrapped(rules::to_integer(rounded) + attrs.output_zero_point, attrs.output_type);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedMeanAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const Shape& src = context.input(0).get_shape();
    const std::vector<std::size_t> axes = checked_axes(context, attrs.axes, src.size());
    AxisSums made = axis_sums(src, axes, integers(context.input(0)));
    std::transform(made.sums.begin(), made.sums.end(), made.sums.begin(), [&](std::int64_t raw) {
        if (rule == RoundingRule::kWrappedSum) {
            return wrapped_sum(attrs, raw, made.count);
        }
        const std::int64_t steps = raw - made.count * attrs.input_zero_point(0);
        return rules::quantize_real(rule, static_cast<float>(steps) * attrs.input_scales[0],
                                    attrs.output_scale, attrs.output_zero_point);
    });
    const Shape shape = reduced_shape(src, axes, attrs.keep_dims).to_shape();
    store(context.output(0, shape), made.sums, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedSum",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedMeanAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Sum of a quantized tensor over axes",
     .refused = "u16; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_sum_ops
