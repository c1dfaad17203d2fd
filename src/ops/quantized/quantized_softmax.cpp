// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/quantized_softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/elementwise.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_softmax_ops {
namespace {

void infer(InferContext& context) {
    infer_quantized_elementwise<QuantizedSoftmaxAttrs>(context);
    const PartialShape& src = context.shape(0);
    if (src.rank_is_static()) {
        checked_axis(context, context.attrs<QuantizedSoftmaxAttrs>().axis, src.rank());
    }
    const ElementType type = context.type(0);
    context.require(type == ElementType::u8 || type == ElementType::i8 || type == ElementType::i16,
                    "the source is ", to_string(type), ", expected u8, i8 or i16");
    const std::string refusal = softmax_16_refusal(context.node());
    context.require(refusal.empty(), refusal);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedSoftmaxAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const std::string refusal = softmax_16_refusal(context.node());
    context.require(refusal.empty(), refusal);
    const Shape& shape = context.input(0).get_shape();
    const std::size_t axis = checked_axis(context, attrs.axis, shape.size());
    std::size_t step = 1;
    for (std::size_t d = axis + 1; d < shape.size(); ++d) {
        step *= shape[d];
    }
    const std::vector<std::int32_t> src = integers(context.input(0));
    std::vector<std::int64_t> values(src.size());
    const std::size_t rows = shape[axis] == 0 ? 0 : src.size() / shape[axis];
    const QuantizedSoftmaxRow row(attrs, rule, context.input(0).get_element_type(), shape[axis]);
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t at = r / step * step * shape[axis] + r % step;
        row(src.data() + at, values.data() + at, step);
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
     .summary = "Softmax of a quantized tensor, or its logarithm",
     .refused = "u16; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_softmax_ops

namespace fuseq {
namespace {

constexpr std::size_t kDistances = 256;  // of bytes
constexpr std::size_t kWideDistances = 65536;

}  // namespace

std::string softmax_16_refusal(const Node& node) {
    const RuleChoice* rule = rule_of(node);
    if (rule == nullptr || !is_fixed_point(rule->rule)) {
        return {};
    }
    const auto& attrs = node.attrs<QuantizedSoftmaxAttrs>();
    if (attrs.logarithm) {
        return "the method has no rule of 16 bits for the logarithm";
    }
    return is_unit_grid_16(attrs)
               ? ""
               : "the method's rule of 16 bits gives i16 of scale 1/32768, zero point 0";
}

struct QuantizedSoftmaxRow::Row {
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

// Powers of the elements of a row, from a table by distance.
struct QuantizedSoftmaxRow::Powers {
    const float* table;
    const Row& row;
    std::int32_t top;

    float operator()(std::size_t i) const { return table[top - row.src[i * row.step]]; }
    // In the order of the row.
    float sum() const {
        float sum = 0;
        for (std::size_t i = 0; i < row.size; ++i) {
            sum += (*this)(i);
        }
        return sum;
    }
};

QuantizedSoftmaxRow::QuantizedSoftmaxRow(const QuantizedSoftmaxAttrs& attrs,
                                         RoundingRule rule,
                                         ElementType source,
                                         std::size_t size)
    : input_scale_(attrs.input_scales[0]),
      beta_(attrs.beta),
      output_scale_(attrs.output_scale),
      output_zero_point_(attrs.output_zero_point),
      logarithm_(attrs.logarithm),
      is_signed_(output_limits(attrs).lowest < 0),
      halves_away_(attrs.output_type == ElementType::i16),
      rule_(rule),
      size_(size) {
    if (logarithm_ && rule_ == RoundingRule::kScaledTable) {
        rule_ = RoundingRule::kRealHalfEven;
    }
    if (is_fixed_point(rule_)) {
        fixed_point_.emplace(input_scale_, beta_, rule_);
    } else if (rule_ == RoundingRule::kScaledTable) {
        make_scaled_powers();
    } else {
        make_powers(source == ElementType::i16 ? kWideDistances : kDistances);
    }
}

void QuantizedSoftmaxRow::make_powers(std::size_t distances) {
    for (std::size_t distance = 0; distance < distances; ++distance) {
        if (rule_ == RoundingRule::kTable) {
            powers_.push_back(std::exp(-(input_scale_ * beta_) * static_cast<float>(distance)));
        } else {
            const float exponent = -static_cast<float>(distance) * input_scale_ * beta_;
            real_powers_.push_back(std::exp(static_cast<double>(exponent)));
        }
    }
}

// The maximum has exp(log(FLT_MAX / size) - 5): the sum is finite, and small powers are no denormals.
void QuantizedSoftmaxRow::make_scaled_powers() {
    constexpr double kReserve = 5;
    const auto scale = static_cast<double>(input_scale_ * beta_);
    const float most = std::numeric_limits<float>::max() / static_cast<float>(size_);
    const double shift = std::max(0.0, static_cast<double>(std::log(most)) - kReserve) / scale;
    for (std::size_t distance = 0; distance < kDistances; ++distance) {
        powers_.push_back(
            static_cast<float>(std::exp((shift - static_cast<double>(distance)) * scale)));
    }
}

void QuantizedSoftmaxRow::operator()(const std::int32_t* src,
                                     std::int64_t* dst,
                                     std::size_t step) const {
    const Row row{src, dst, size_, step};
    switch (rule_) {
        case RoundingRule::kTable: return logarithm_ ? logarithms_by_table(row) : by_table(row);
        case RoundingRule::kScaledTable: return by_scaled_table(row);
        case RoundingRule::kD1:
        case RoundingRule::kD2: return (*fixed_point_)(src, dst, size_, step);
        default: return by_real_values(row);
    }
}

void QuantizedSoftmaxRow::by_table(const Row& row) const {
    const Powers power{powers_.data(), row, row.maximum()};
    const float sum = power.sum();
    const float factor = 1.0F / (sum * output_scale_);
    for (std::size_t i = 0; i < row.size; ++i) {
        const float share = power(i) * factor;
        row.dst[i * row.step] =
            rules::to_integer(halves_away_ ? std::round(share) : std::rint(share)) +
            output_zero_point_;
    }
}

void QuantizedSoftmaxRow::logarithms_by_table(const Row& row) const {
    const float scale = input_scale_ * beta_;
    const std::int32_t top = row.maximum();
    const float sum = Powers{powers_.data(), row, top}.sum();
    const float step = scale / output_scale_;
    const float largest = scale * static_cast<float>(top);
    const float subtracted = (largest + std::log(sum)) / output_scale_;
    for (std::size_t i = 0; i < row.size; ++i) {
        const float scaled = step * static_cast<float>(row.src[i * row.step]);
        row.dst[i * row.step] =
            rules::to_integer(std::rint(scaled - subtracted)) + output_zero_point_;
    }
}

// Of short rows power * floor(1 / so) may overflow. ONNX Runtime on x86 converts that to 0 for u8; for i8
// to the least int32, and adding a negative zero point to that wraps around to a large value.
std::int64_t QuantizedSoftmaxRow::of_overflow() const {
    if (!is_signed_) {
        return output_zero_point_;
    }
    return output_zero_point_ < 0 ? std::numeric_limits<std::int32_t>::max()
                                  : std::numeric_limits<std::int32_t>::min();
}

void QuantizedSoftmaxRow::by_scaled_table(const Row& row) const {
    const Powers power{powers_.data(), row, row.maximum()};
    const float sum = power.sum();
    const float steps = std::floor(1.0F / output_scale_);
    for (std::size_t i = 0; i < row.size; ++i) {
        const float share = std::rint(power(i) * steps / sum);
        row.dst[i * row.step] = std::isfinite(share)
                                    ? static_cast<std::int64_t>(share) + output_zero_point_
                                    : of_overflow();
    }
}

void QuantizedSoftmaxRow::by_real_values(const Row& row) const {
    const std::int32_t top = row.maximum();
    const auto distance = [&](std::size_t i) { return top - row.src[i * row.step]; };
    const auto power = [&](std::size_t i) {
        return real_powers_[static_cast<std::size_t>(distance(i))];
    };
    double sum = 0;
    for (std::size_t i = 0; i < row.size; ++i) {
        sum += power(i);
    }
    const double log_sum = std::log(sum);
    for (std::size_t i = 0; i < row.size; ++i) {
        const float exponent = -static_cast<float>(distance(i)) * input_scale_ * beta_;
        const double share = logarithm_ ? static_cast<double>(exponent) - log_sum : power(i) / sum;
        row.dst[i * row.step] = rules::quantize_real(rule_, static_cast<float>(share),
                                                     output_scale_, output_zero_point_);
    }
}

}  // namespace fuseq
