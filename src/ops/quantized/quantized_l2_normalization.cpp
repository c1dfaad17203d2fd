// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedL2Normalization: x / sqrt(sum of x^2 along an axis), as u8 in steps of 1/128 around 128.
// The rules in fixed point are TFLite's: D2 of 128 * (q - z) by the inverse root in integers. The
// others: in real values.
#include <algorithm>
#include <cmath>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/elementwise.hpp"
#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/inverse_square_root.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_l2_normalization_ops {
namespace {

constexpr std::int64_t kOne = 128;

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedL2NormalizationAttrs>();
    infer_quantized_elementwise<QuantizedL2NormalizationAttrs>(context);
    context.require(attrs.output_type == ElementType::u8 && attrs.output_zero_point == kOne &&
                        attrs.output_scale == 1.0F / static_cast<float>(kOne),
                    "dst is not u8 of scale 1/128 with zero point 128");
    if (context.shape(0).rank_is_static()) {
        checked_axis(context, attrs.axis, context.shape(0).rank());
    }
}

// A row of `size` integers less their zero point, `step` apart.
struct Row {
    const std::int32_t* src;
    std::int64_t* dst;
    std::size_t size;
    std::size_t step;
};

std::int64_t sum_of_squares(const Row& row) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
        sum += static_cast<std::int64_t>(row.src[i * row.step]) * row.src[i * row.step];
    }
    return sum;
}

void normalize(const Row& row) {
    const auto factor = rules::inverse_square_root(rules::saturate_to_i32(sum_of_squares(row)));
    for (std::size_t i = 0; i < row.size; ++i) {
        const auto scaled = static_cast<std::int32_t>(kOne * row.src[i * row.step]);
        row.dst[i * row.step] = kOne + rules::d2(scaled, factor);
    }
}

void normalize_reals(const Row& row, RoundingRule rule, const QuantizedAttrs& attrs) {
    const double length = std::sqrt(static_cast<double>(sum_of_squares(row)));
    for (std::size_t i = 0; i < row.size; ++i) {
        const double share = length == 0 ? 0 : row.src[i * row.step] / length;
        row.dst[i * row.step] = rules::quantize_real(rule, static_cast<float>(share),
                                                     attrs.output_scale, attrs.output_zero_point);
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedL2NormalizationAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const Shape& shape = context.input(0).get_shape();
    const std::size_t axis = checked_axis(context, attrs.axis, shape.size());
    std::size_t step = 1;
    for (std::size_t d = axis + 1; d < shape.size(); ++d) {
        step *= shape[d];
    }
    const std::vector<std::int32_t> src = centered(context.input(0), attrs.input_zero_point(0));
    std::vector<std::int64_t> values(src.size());
    const std::size_t rows = shape[axis] == 0 ? 0 : src.size() / shape[axis];
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t at = r / step * step * shape[axis] + r % step;
        const Row row{src.data() + at, values.data() + at, shape[axis], step};
        if (is_fixed_point(rule)) {
            normalize(row);
        } else {
            normalize_reals(row, rule, attrs);
        }
    }
    store(context.output(0, shape), values, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedL2Normalization",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedL2NormalizationAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Elements over the root of the sum of their squares",
     .refused = "other results than u8 of scale 1/128; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_l2_normalization_ops
