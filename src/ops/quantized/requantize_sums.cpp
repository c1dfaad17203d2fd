// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// RequantizeSums, made by split_quantized_products: sums [..., C] of a product of integers, as f32
// that hold them exactly, and a bias i32 [C], optional, to integers by a rule with a multiplier.
// With weight_shifts the sums are [..., C + 1].
#include "ops/quantized/requantize_sums.hpp"

#include <algorithm>

#include "model/typed.hpp"
#include "ops/quantized/requantizer.hpp"
#include "ops/quantized/rules/d1.hpp"
#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/d2_up.hpp"

namespace fuseq {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RequantizeSumsAttrs>();
    context.require_type(0, ElementType::f32, "the source");
    if (context.has_input(1)) {
        context.require_type(1, ElementType::i32, "the bias");
    }
    const PartialShape& shape = context.shape(0);
    context.require(!shape.rank_is_static() || shape.rank() >= 1, "the source is a scalar");
    context.require(attrs.sum_min.size() == attrs.sum_max.size(), "sum_min has ",
                    attrs.sum_min.size(), " values, sum_max ", attrs.sum_max.size());
    PartialShape result = shape;
    if (!attrs.weight_shifts.empty() && result.rank_is_static()) {
        const auto channels = static_cast<std::int64_t>(attrs.weight_shifts.size());
        Dimension& last = result[result.rank() - 1];
        context.require(last.compatible(channels + 1), "the source has ", to_string(last),
                        " columns, weight_shifts ", channels, " values");
        last = channels;
    }
    context.set_output(0, attrs.output_type, result);
}

// What a row of sums needs, a value a channel.
struct Columns {
    std::vector<std::int32_t> bias;
    std::vector<float> real;
    std::vector<rules::QuantizedMultiplier> fixed;
};

Columns columns_of(const EvalContext& context,
                   const Requantizer& requantize,
                   std::size_t channels) {
    Columns columns;
    columns.bias.assign(channels, 0);
    if (context.has_input(1)) {
        const std::span<const std::int32_t> bias = context.input(1).values<std::int32_t>();
        context.require(bias.size() == channels, "the bias has ", bias.size(), " values, expected ",
                        channels);
        columns.bias.assign(bias.begin(), bias.end());
    }
    const auto spread = [&](const auto& from, auto& to) {
        for (std::size_t c = 0; !from.empty() && c < channels; ++c) {
            to.push_back(from[from.size() > 1 ? c : 0]);
        }
    };
    spread(requantize.real(), columns.real);
    spread(requantize.fixed(), columns.fixed);
    return columns;
}

// Half to even of a value below 2^22 in magnitude.
inline float round_small(float value) {
    constexpr float kShift = 12582912.0F;  // 1.5 * 2^23
    return (value + kShift) - kShift;
}

template <bool kZeroFirst, class T>
void real_row(const RequantizeSumsAttrs& attrs,
              const Columns& columns,
              const float* from,
              T* to,
              std::size_t channels) {
    const auto zero = static_cast<float>(attrs.output_zero_point);
    const auto low = static_cast<float>(attrs.lowest);
    const auto high = static_cast<float>(attrs.highest);
    const float before = kZeroFirst ? zero : 0.0F;
    const float after = kZeroFirst ? 0.0F : zero;
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int32_t sum = static_cast<std::int32_t>(from[c]) + columns.bias[c];
        float y = static_cast<float>(sum) * columns.real[c];
        y = kZeroFirst ? y + before : y;
        // Far beyond the range nothing changes; the rounding below wants small numbers.
        y = std::min(std::max(y, low - after - 1.0F), high - after + 1.0F);
        y = round_small(y) + after;
        to[c] = static_cast<T>(static_cast<std::int32_t>(std::min(std::max(y, low), high)));
    }
}

template <class T, class Rule>
void fixed_row(const RequantizeSumsAttrs& attrs,
               const Columns& columns,
               const float* from,
               T* to,
               std::size_t channels,
               Rule rule) {
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int32_t sum = static_cast<std::int32_t>(from[c]) + columns.bias[c];
        const std::int64_t y = rule(sum, columns.fixed[c]) + attrs.output_zero_point;
        to[c] = static_cast<T>(std::clamp(y, attrs.lowest, attrs.highest));
    }
}

template <class T>
void row(const RequantizeSumsAttrs& attrs,
         const Columns& columns,
         const float* from,
         T* to,
         std::size_t channels) {
    switch (attrs.rule) {
        case RoundingRule::kF32: return real_row<false>(attrs, columns, from, to, channels);
        case RoundingRule::kF32ZeroFirst: return real_row<true>(attrs, columns, from, to, channels);
        case RoundingRule::kD1: return fixed_row(attrs, columns, from, to, channels, rules::d1);
        case RoundingRule::kD2: return fixed_row(attrs, columns, from, to, channels, rules::d2);
        default: return fixed_row(attrs, columns, from, to, channels, rules::d2_up);
    }
}

// The sums with what belongs to the sum of the source, whose total f32 holds too.
std::vector<float> shifted(const RequantizeSumsAttrs& attrs,
                           const float* sums,
                           std::size_t channels) {
    std::vector<float> row(channels);
    const auto total = static_cast<std::int64_t>(sums[channels]);
    for (std::size_t c = 0; c < channels; ++c) {
        row[c] =
            static_cast<float>(static_cast<std::int64_t>(sums[c]) + attrs.weight_shifts[c] * total);
    }
    return row;
}

void evaluate(EvalContext& context) {
    run_requantize_sums(context, one_task_at_a_time);
}

}  // namespace

void run_requantize_sums(EvalContext& context, ForEachTask for_each_task) {
    const auto& attrs = context.attrs<RequantizeSumsAttrs>();
    const Tensor& src = context.input(0);
    const Shape& shape = src.get_shape();
    context.require(!shape.empty(), "the source is a scalar");
    const std::size_t channels = shape.back() - (attrs.weight_shifts.empty() ? 0 : 1);
    const Requantizer requantize({attrs.rule, attrs.multiplier},
                                 {.input = attrs.input_scale,
                                  .weights = attrs.weight_scales,
                                  .output = attrs.output_scale,
                                  .output_zero_point = attrs.output_zero_point});
    const Columns columns = columns_of(context, requantize, channels);
    Shape result = shape;
    result.back() = channels;
    Tensor& dst = context.output(0, result);
    if (src.get_size() == 0) {
        return;
    }
    const std::size_t columns_of_src = shape.back();
    const std::size_t rows = src.get_size() / columns_of_src;
    constexpr std::size_t kElements = 16384;  // of a task
    const std::size_t block = std::max<std::size_t>(kElements / channels, 1);
    dispatch_numeric(dst.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const float* from = src.data<float>();
        T* to = dst.data<T>();
        for_each_task((rows + block - 1) / block, [&](std::size_t task) {
            for (std::size_t r = task * block; r < std::min((task + 1) * block, rows); ++r) {
                const float* sums = from + r * columns_of_src;
                if (attrs.weight_shifts.empty()) {
                    row(attrs, columns, sums, to + r * channels, channels);
                } else {
                    row(attrs, columns, shifted(attrs, sums, channels).data(), to + r * channels,
                        channels);
                }
            }
        });
    });
}

OpSpec requantize_sums_row() {
    return {.type = "RequantizeSums",
            .version = 1,
            .inputs = {1, 2},
            .make_attributes = make_attributes<RequantizeSumsAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = "Sums of a product of integers to the integers of a grid",
            .refused = "",
            .internal = true};
}

}  // namespace fuseq
