// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedSoftmax along an axis. kTable is TFLite's, of 8 bits: exp(-s * beta * d) of the distance
// d to the maximum in f32, summed in order, times 1 / (sum * so), rint. Its logarithm:
// rint(q * si / so - (si * maximum + log(sum)) / so). The others: real values.
#include <algorithm>
#include <cmath>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/elementwise.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq {
namespace {

void infer(InferContext& context) {
    infer_quantized_elementwise<QuantizedSoftmaxAttrs>(context);
    const PartialShape& src = context.shape(0);
    if (src.rank_is_static()) {
        checked_axis(context, context.attrs<QuantizedSoftmaxAttrs>().axis, src.rank());
    }
    const ElementType type = context.type(0);
    context.require(type == ElementType::u8 || type == ElementType::i8, "the source is ",
                    to_string(type), ", expected u8 or i8");
}

// One row: `size` integers, `step` apart.
struct Row {
    const std::int32_t* src;
    std::int64_t* dst;
    std::size_t size;
    std::size_t step;
    std::int32_t maximum() const {
        std::int32_t largest = src[0];
        for (std::size_t i = 1; i < size; ++i) {
            largest = std::max(largest, src[i * step]);
        }
        return largest;
    }
};

void by_table(const QuantizedSoftmaxAttrs& attrs, const Row& row) {
    const float scale = -attrs.input_scales[0] * attrs.beta;
    const std::int32_t top = row.maximum();
    const auto power = [&](std::size_t i) {
        return std::exp(scale * static_cast<float>(top - row.src[i * row.step]));
    };
    float sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
        sum += power(i);
    }
    const float factor = 1.0F / (sum * attrs.output_scale);
    for (std::size_t i = 0; i < row.size; ++i) {
        row.dst[i * row.step] =
            rules::to_integer(std::rint(power(i) * factor)) + attrs.output_zero_point;
    }
}

void logarithms_by_table(const QuantizedSoftmaxAttrs& attrs, const Row& row) {
    const float scale = attrs.input_scales[0] * attrs.beta;
    const std::int32_t top = row.maximum();
    float sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
        sum += std::exp(-scale * static_cast<float>(top - row.src[i * row.step]));
    }
    const float step = scale / attrs.output_scale;
    const float largest = scale * static_cast<float>(top);
    const float subtracted = (largest + std::log(sum)) / attrs.output_scale;
    for (std::size_t i = 0; i < row.size; ++i) {
        const float scaled = step * static_cast<float>(row.src[i * row.step]);
        row.dst[i * row.step] =
            rules::to_integer(std::rint(scaled - subtracted)) + attrs.output_zero_point;
    }
}

void by_real_values(const QuantizedSoftmaxAttrs& attrs, RoundingRule rule, const Row& row) {
    const std::int32_t top = row.maximum();
    const auto exponent = [&](std::size_t i) {
        const float distance =
            static_cast<float>(row.src[i * row.step] - top) * attrs.input_scales[0] * attrs.beta;
        return static_cast<double>(distance);
    };
    double sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
        sum += std::exp(exponent(i));
    }
    for (std::size_t i = 0; i < row.size; ++i) {
        const double share =
            attrs.logarithm ? exponent(i) - std::log(sum) : std::exp(exponent(i)) / sum;
        row.dst[i * row.step] = rules::quantize_real(rule, static_cast<float>(share),
                                                     attrs.output_scale, attrs.output_zero_point);
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedSoftmaxAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const Shape& shape = context.input(0).get_shape();
    const std::size_t axis = checked_axis(context, attrs.axis, shape.size());
    std::size_t step = 1;
    for (std::size_t d = axis + 1; d < shape.size(); ++d) {
        step *= shape[d];
    }
    const std::vector<std::int32_t> src = integers(context.input(0));
    std::vector<std::int64_t> values(src.size());
    const std::size_t rows = shape[axis] == 0 ? 0 : src.size() / shape[axis];
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t at = r / step * step * shape[axis] + r % step;
        const Row row{src.data() + at, values.data() + at, shape[axis], step};
        if (rule == RoundingRule::kTable) {
            attrs.logarithm ? logarithms_by_table(attrs, row) : by_table(attrs, row);
        } else {
            by_real_values(attrs, rule, row);
        }
    }
    store(context.output(0, shape), values, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedSoftmax",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedSoftmaxAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Softmax of a quantized tensor of 8 bits, or its logarithm",
     .refused = "16 bits; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> quantized_softmax_ops() {
    return kOps;
}

}  // namespace fuseq
