// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedResizeBilinear: [N, C, H, W] or [N, H, W, C] to other sizes. kFixed10 is TFLite's:
// places with ten fractional bits a dimension, half away from zero; kRawReal that of its u8: the
// integers themselves in f32, half up; kFixed11 XNNPACK's: places in f32, shares with eleven
// fractional bits, half up. All three take one grid for src and dst. The others interpolate real
// values in f32.
#include <algorithm>
#include <cmath>

#include "ops/op_list.hpp"
#include "ops/quantized/quantized_run.hpp"
#include "ops/quantized/rules/half_away.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_resize_ops {
namespace {

constexpr std::int64_t kOne = 1024;
constexpr std::int64_t kXnnpackOne = 2048;

// Between which two elements of a dimension a place lies; `fraction` belongs to the second one.
struct Between {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t fixed = 0;  // of kOne, or kXnnpackOne
    float real = 0;
};

Between fixed_place(const QuantizedResizeAttrs& attrs,
                    std::int64_t at,
                    std::int64_t in,
                    std::int64_t out) {
    const bool corners = attrs.align_corners && out > 1;
    const std::int64_t step =
        corners ? (kOne * (in - 1) + (out - 1) / 2) / (out - 1) : (kOne * in + out / 2) / out;
    const std::int64_t place =
        at * step + (attrs.half_pixel_centers ? step / 2 - kOne / 2 : std::int64_t{0});
    Between between;
    between.low = std::max<std::int64_t>(place / kOne, 0);
    between.high = std::min((place + kOne - 1) / kOne, in - 1);
    between.fixed = place - kOne * between.low;
    return between;
}

float real_step(const QuantizedResizeAttrs& attrs, std::int64_t in, std::int64_t out) {
    return attrs.align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                          : static_cast<float>(in) / static_cast<float>(out);
}

Between real_place(const QuantizedResizeAttrs& attrs,
                   std::int64_t at,
                   std::int64_t in,
                   std::int64_t out) {
    const float step = real_step(attrs, in, out);
    const auto position = static_cast<float>(at);
    const float place =
        attrs.half_pixel_centers ? (position + 0.5F) * step - 0.5F : position * step;
    Between between;
    between.low = std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(place)), 0);
    between.low = std::min(between.low, in - 1);
    between.high = std::min(between.low + 1, in - 1);
    between.real = std::clamp(place - static_cast<float>(between.low), 0.0F, 1.0F);
    return between;
}

// Left of the first place the fraction is negative, and both elements are the first one.
Between raw_place(const QuantizedResizeAttrs& attrs,
                  std::int64_t at,
                  std::int64_t in,
                  std::int64_t out) {
    const float step = real_step(attrs, in, out);
    const auto position = static_cast<float>(at);
    const float place =
        attrs.half_pixel_centers ? (position + 0.5F) * step - 0.5F : position * step;
    Between between;
    between.low = std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(place)), 0);
    between.high = std::min(static_cast<std::int64_t>(std::ceil(place)), in - 1);
    between.low = std::min(between.low, in - 1);
    between.real = place - static_cast<float>(between.low);
    return between;
}

// Half pixels are clamped to src before the share is taken.
Between xnnpack_place(const QuantizedResizeAttrs& attrs,
                      std::int64_t at,
                      std::int64_t in,
                      std::int64_t out) {
    const float step = real_step(attrs, in, out);
    float place = static_cast<float>(at) * step;
    if (attrs.half_pixel_centers) {
        place = std::clamp(place + (0.5F * step - 0.5F), 0.0F, static_cast<float>(in - 1));
    }
    Between between;
    between.low = std::min(static_cast<std::int64_t>(place), in - 1);
    between.high = std::min(between.low + 1, in - 1);
    const float share = place - static_cast<float>(between.low);
    between.fixed = std::lrint(share * static_cast<float>(kXnnpackOne));
    return between;
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedResizeAttrs>();
    context.require(is_grid_type(attrs.output_type), "output_type is ",
                    to_string(attrs.output_type), ", expected u8, i8, u16 or i16");
    check_grids(context, attrs, 1);
    check_window_list(context, "sizes", 2, attrs.sizes, 1);
    context.require(attrs.sizes.size() == 2, "sizes has ", attrs.sizes.size(),
                    " values, expected 2");
    PartialShape dst = PartialShape::dynamic(4);
    if (context.shape(0).rank_is_static()) {
        context.require(context.shape(0).rank() == 4, "src has rank ", context.shape(0).rank(),
                        ", expected 4");
        dst = channels_first(context.shape(0), attrs.channels_last);
    }
    dst[2] = attrs.sizes[0];
    dst[3] = attrs.sizes[1];
    context.set_output(0, attrs.output_type, channels_back(dst, attrs.channels_last));
}

struct Plane {
    const std::int32_t* src;
    std::int64_t width;
    std::int32_t at(std::int64_t y, std::int64_t x) const { return src[y * width + x]; }
};

std::int64_t fixed_value(const Plane& p, const Between& y, const Between& x) {
    const std::int64_t sum = p.at(y.low, x.low) * (kOne - y.fixed) * (kOne - x.fixed) +
                             p.at(y.high, x.low) * y.fixed * (kOne - x.fixed) +
                             p.at(y.low, x.high) * (kOne - y.fixed) * x.fixed +
                             p.at(y.high, x.high) * y.fixed * x.fixed;
    return rules::divide_half_away(sum, kOne * kOne);
}

std::int64_t xnnpack_value(const Plane& p, const Between& y, const Between& x) {
    constexpr int kShift = 22;
    const std::int64_t left = p.at(y.low, x.low);
    const std::int64_t low_left = p.at(y.high, x.low);
    const std::int64_t top = left * kXnnpackOne + (p.at(y.low, x.high) - left) * x.fixed;
    const std::int64_t bottom =
        low_left * kXnnpackOne + (p.at(y.high, x.high) - low_left) * x.fixed;
    const std::int64_t sum = top * kXnnpackOne + (bottom - top) * y.fixed;
    return (sum + (std::int64_t{1} << (kShift - 1))) >> kShift;
}

float real_mean(const QuantizedResizeAttrs& attrs,
                const Plane& p,
                const Between& y,
                const Between& x) {
    const auto value = [&](std::int64_t row, std::int64_t column) {
        return real_value(attrs, 0, p.at(row, column));
    };
    const float top = value(y.low, x.low) * (1 - x.real) + value(y.low, x.high) * x.real;
    const float bottom = value(y.high, x.low) * (1 - x.real) + value(y.high, x.high) * x.real;
    return top * (1 - y.real) + bottom * y.real;
}

// In the order in which TFLite adds.
std::int64_t raw_value(const Plane& p, const Between& y, const Between& x) {
    const float weights[] = {(1 - y.real) * (1 - x.real), (1 - y.real) * x.real,
                             y.real * (1 - x.real), y.real * x.real};
    float sum = static_cast<float>(p.at(y.low, x.low)) * weights[0];
    sum += static_cast<float>(p.at(y.low, x.high)) * weights[1];
    sum += static_cast<float>(p.at(y.high, x.low)) * weights[2];
    sum += static_cast<float>(p.at(y.high, x.high)) * weights[3];
    return static_cast<std::int64_t>(std::floor(sum + 0.5F));
}

std::vector<Between> places(const QuantizedResizeAttrs& attrs,
                            RoundingRule rule,
                            std::int64_t in,
                            std::int64_t out) {
    std::vector<Between> list;
    for (std::int64_t i = 0; i < out; ++i) {
        list.push_back(rule == RoundingRule::kFixed10   ? fixed_place(attrs, i, in, out)
                       : rule == RoundingRule::kFixed11 ? xnnpack_place(attrs, i, in, out)
                       : rule == RoundingRule::kRawReal ? raw_place(attrs, i, in, out)
                                                        : real_place(attrs, i, in, out));
    }
    return list;
}

std::int64_t resized_value(const QuantizedResizeAttrs& attrs,
                           RoundingRule rule,
                           const Plane& plane,
                           const Between& y,
                           const Between& x) {
    switch (rule) {
        case RoundingRule::kFixed10: return fixed_value(plane, y, x);
        case RoundingRule::kFixed11: return xnnpack_value(plane, y, x);
        case RoundingRule::kRawReal: return raw_value(plane, y, x);
        default:
            return rules::quantize_real(rule, real_mean(attrs, plane, y, x), attrs.output_scale,
                                        attrs.output_zero_point);
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedResizeAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const Shape src = channels_first(context.input(0).get_shape(), attrs.channels_last).to_shape();
    context.require(src[2] > 0 && src[3] > 0, "src has shape ", to_string(src));
    const std::size_t in_size = src[2] * src[3];
    std::vector<std::int32_t> from = integers(context.input(0));
    if (attrs.channels_last) {
        from = moved_channels(from, src[0], in_size, src[1]);
    }
    const auto rows = places(attrs, rule, static_cast<std::int64_t>(src[2]), attrs.sizes[0]);
    const auto columns = places(attrs, rule, static_cast<std::int64_t>(src[3]), attrs.sizes[1]);
    std::vector<std::int64_t> values;
    for (std::size_t n = 0; n < src[0] * src[1]; ++n) {
        const Plane plane{from.data() + n * in_size, static_cast<std::int64_t>(src[3])};
        for (const Between& y : rows) {
            for (const Between& x : columns) {
                values.push_back(resized_value(attrs, rule, plane, y, x));
            }
        }
    }
    if (attrs.channels_last) {
        values = moved_channels(values, src[0], src[1], rows.size() * columns.size());
    }
    const Shape dst{src[0], src[1], rows.size(), columns.size()};
    store(context.output(0, channels_back(dst, attrs.channels_last).to_shape()), values,
          output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedResizeBilinear",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedResizeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Bilinear resize of quantized images",
     .refused = "rank other than 4; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_resize_ops
