// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedConvolution, QuantizedDeconvolution and QuantizedMatMul that the anchors do not take (see
// split_quantized_products): integers of 16 bits, or sums beyond 2^24.
#include <algorithm>

#include <fmt/core.h>

#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/wide_filter.hpp"
#include "ops/quantized/quantized_filter.hpp"
#include "ops/quantized/rules/d1.hpp"
#include "ops/quantized/rules/m16.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::int64_t kMaxValue = 32767;  // one more below zero

// Of src less `shift`.
std::int64_t magnitude_of(ElementType type, std::int64_t shift) {
    const IntegerLimits limits = integer_limits(type);
    return std::max(limits.highest - shift, shift - limits.lowest);
}

// The zero point, or where src less it leaves 16 bits, the middle of the type.
std::int32_t shift_of(ElementType type, std::int64_t zero_point) {
    const IntegerLimits limits = integer_limits(type);
    const bool fits =
        limits.highest - zero_point <= kMaxValue && zero_point - limits.lowest <= kMaxValue + 1;
    return static_cast<std::int32_t>(fits ? zero_point : limits.lowest + kMaxValue + 1);
}

// Along one dimension: of each place in dst, the places of the kernel that meet src.
using Touches = std::vector<std::vector<WideTouch>>;

Touches touches_of(const Window& w, std::size_t src, std::size_t dst) {
    Touches all(dst);
    for (std::size_t i = 0; i < dst; ++i) {
        for (std::int64_t k = 0; k < w.size; ++k) {
            const std::int64_t at =
                static_cast<std::int64_t>(i) * w.stride - w.pad_begin + k * w.dilation;
            if (at >= 0 && at < static_cast<std::int64_t>(src)) {
                all[i].push_back({static_cast<std::size_t>(k), static_cast<std::size_t>(at)});
            }
        }
    }
    return all;
}

Touches touches_of(const DeconvolutionWindow& d, std::size_t src) {
    const Window& w = d.window;
    Touches all(static_cast<std::size_t>(d.dst));
    for (std::size_t i = 0; i < src; ++i) {
        for (std::int64_t k = 0; k < w.size; ++k) {
            const std::int64_t at =
                static_cast<std::int64_t>(i) * w.stride - w.pad_begin + k * w.dilation;
            if (at >= 0 && at < d.dst) {
                all[static_cast<std::size_t>(at)].push_back({static_cast<std::size_t>(k), i});
            }
        }
    }
    return all;
}

// Whether `next` is `list` with all places of src moved by `step`.
bool is_moved(const std::vector<WideTouch>& list,
              const std::vector<WideTouch>& next,
              std::size_t step) {
    return std::equal(list.begin(), list.end(), next.begin(), next.end(),
                      [&](const WideTouch& a, const WideTouch& b) {
                          return a.kernel == b.kernel && a.src + step == b.src;
                      });
}

// period: after how many columns of dst the same places of the kernel meet src again, src_step
// columns further.
std::vector<WideColumns> columns_of(const Touches& touches,
                                    std::size_t period,
                                    std::size_t src_step) {
    std::vector<WideColumns> all;
    for (std::size_t phase = 0; phase < std::min(period, touches.size()); ++phase) {
        for (std::size_t x = phase; x < touches.size(); x += period) {
            const bool goes_on = x != phase && is_moved(touches[x - period], touches[x], src_step);
            if (goes_on) {
                ++all.back().count;
            } else {
                all.push_back({.first = x,
                               .step = period,
                               .count = 1,
                               .src_step = src_step,
                               .touches = touches[x]});
            }
        }
    }
    return all;
}

// The output channel and the place in the depth of an element of the weights, by its indices.
kernels::WideWeights weights_of(const std::vector<std::int32_t>& values,
                                std::size_t taps,
                                std::size_t depth,
                                std::size_t channels,
                                std::int64_t max_src,
                                const kernels::WideWeights::Value& at) {
    return {taps, depth, channels, max_src, [&](std::size_t t, std::size_t k, std::size_t c) {
                return values[static_cast<std::size_t>(at(t, k, c))];
            }};
}

std::string refusal(const Node& node, const WeightAttrs& attrs) {
    const ElementType src = node.input(0).type();
    if (!is_grid_type(src) || !node.input_node(1)->is_constant() || node.has_input(3) ||
        (node.has_input(2) && !node.input_node(2)->is_constant()) ||
        node.port(0).shape.is_dynamic()) {
        return "for integers of 8 and 16 bits by constant weights, a known zero point and shape";
    }
    const bool ruled =
        attrs.output_type != ElementType::i32 && attrs.output_type != ElementType::f32;
    return ruled && rule_of(node) == nullptr ? "a method without a rule for it" : "";
}

bool fit_16_bits(const std::vector<std::int32_t>& weights) {
    return std::all_of(weights.begin(), weights.end(),
                       [](std::int32_t w) { return w >= -kMaxValue - 1 && w <= kMaxValue; });
}

kernels::WideMultiplier wide_multiplier(const rules::QuantizedMultiplier& m, RoundingRule rule) {
    if (rule == RoundingRule::kD1) {
        return {m.mantissa, rules::d1_shift(m)};
    }
    const rules::M16Multiplier cut = rules::m16_multiplier(m);
    return {cut.mantissa, cut.shift};
}

// M16 and D1 in vectors.
std::optional<kernels::WideRounding> vectors_of(const Requantizer& requantize,
                                                const WideFilterParams& params,
                                                std::int64_t zero_point) {
    const RoundingRule rule = requantize.rule();
    if ((rule != RoundingRule::kM16 && rule != RoundingRule::kD1) ||
        params.dst_type != ElementType::i16) {
        return std::nullopt;
    }
    std::vector<kernels::WideMultiplier> multipliers;
    const auto& fixed = requantize.fixed();
    for (std::size_t c = 0; c < params.dst_channels; ++c) {
        multipliers.push_back(wide_multiplier(fixed[fixed.size() > 1 ? c : 0], rule));
    }
    return kernels::WideRounding(params.bias, multipliers,
                                 {.zero_point = static_cast<std::int32_t>(zero_point),
                                  .lowest = static_cast<std::int32_t>(params.limits.lowest),
                                  .highest = static_cast<std::int32_t>(params.limits.highest)});
}

void set_ends(WideFilterParams& params, const Node& node, const WeightAttrs& attrs, float alpha) {
    params.src_type = node.input(0).type();
    params.src_shift = shift_of(params.src_type, attrs.input_zero_point(0));
    params.rest_of_zero_point = attrs.input_zero_point(0) - params.src_shift;
    params.dst_type = attrs.output_type;
    params.limits = output_limits(attrs);
    if (node.has_input(2)) {
        params.bias = to_ints(node.input_node(2)->constant());
    }
    if (attrs.output_type == ElementType::f32) {
        const float src_scale = alpha * attrs.input_scales[0];
        for (std::size_t c = 0; c < params.dst_channels; ++c) {
            params.scales.push_back(src_scale *
                                    attrs.weight_scales[attrs.weight_scales.size() > 1 ? c : 0]);
        }
    } else if (attrs.output_type != ElementType::i32) {
        params.requantize.emplace(*rule_of(node),
                                  RequantizeScales{.input = alpha * attrs.input_scales[0],
                                                   .weights = attrs.weight_scales,
                                                   .output = attrs.output_scale,
                                                   .output_zero_point = attrs.output_zero_point});
        params.rounding = vectors_of(*params.requantize, params, attrs.output_zero_point);
    }
}

// Two spatial dimensions; one is a row.
struct Filter {
    Touches lines, columns;
    std::size_t period = 1, src_step = 1;
    std::size_t kernel_height = 1, kernel_width = 1;
};

Filter filter_of(const QuantizedConvolutionAttrs& attrs, const Shape& src, const Shape& wei) {
    const std::vector<Window> windows = windows_of(attrs, src, wei);
    const auto touches = [&](std::size_t d) {
        const auto size = static_cast<std::int64_t>(src[d + 2]);
        return touches_of(windows[d], src[d + 2],
                          static_cast<std::size_t>(window_positions(size, windows[d])));
    };
    const Window& last = windows.back();
    return {.lines = windows.size() == 1 ? Touches{{{0, 0}}} : touches(0),
            .columns = touches(windows.size() - 1),
            .period = 1,
            .src_step = static_cast<std::size_t>(last.stride),
            .kernel_height = windows.size() == 1 ? 1 : wei[2],
            .kernel_width = wei.back()};
}

Filter filter_of(const QuantizedDeconvolutionAttrs& attrs, const Shape& src, const Shape& wei) {
    const std::vector<DeconvolutionWindow> windows = windows_of(attrs, src, wei);
    return {.lines = windows.size() == 1 ? Touches{{{0, 0}}} : touches_of(windows[0], src[2]),
            .columns = touches_of(windows.back(), src.back()),
            .period = static_cast<std::size_t>(windows.back().window.stride),
            .src_step = 1,
            .kernel_height = windows.size() == 1 ? 1 : wei[2],
            .kernel_width = wei.back()};
}

// [OC, IC, taps], or of a deconvolution [IC, OC, taps].
void pack_filter(WideFilterParams& params,
                 const std::vector<std::int32_t>& weights,
                 std::size_t taps,
                 bool inputs_first,
                 std::int64_t max_src) {
    const std::size_t inputs = params.src_channels / params.groups;
    const std::size_t outputs = params.dst_channels / params.groups;
    for (std::size_t g = 0; g < params.groups; ++g) {
        const std::size_t begin = g * inputs * outputs;
        params.weights.push_back(weights_of(
            weights, taps, inputs, outputs, max_src,
            [=](std::size_t t, std::size_t k, std::size_t c) {
                const std::size_t plane = inputs_first ? k * outputs + c : c * inputs + k;
                return static_cast<std::int32_t>((begin + plane) * taps + t);
            }));
    }
}

void add_wide_step(
    StepBuilder& builder, Node& node, WideFilterParams params, Layout layout, std::int64_t macs) {
    const TensorId src = builder.tensor_of(node.input(0), layout);
    const TensorId dst = builder.new_tensor(params.dst_type, node.port(0).shape, layout);
    const char* const kind = node.is("QuantizedMatMul")          ? "matmul"
                             : node.is("QuantizedDeconvolution") ? "deconvolution"
                                                                 : "convolution";
    StepInfo info = kernel_info(kind, "wide_product", builder.tensor(src), builder.tensor(dst));
    info.wei_type = to_string(node.input(1).type());
    info.quantized = true;
    info.macs = macs;
    auto filter = std::make_shared<const WideFilter>(std::move(params));
    add_node_step(
        builder, node,
        std::make_unique<KernelStep>([filter](const void* x, void* y) { filter->run(x, y); }, src,
                                     dst, std::move(info)),
        dst);
}

// channel_of(i): the output channel of element i of the weights.
template <class Attrs, class ChannelOf>
Verdict make_filter(StepBuilder& builder, Node& node, bool inputs_first, ChannelOf channel_of) {
    const auto& attrs = node.attrs<Attrs>();
    if (std::string why = refusal(node, attrs); !why.empty()) {
        return Verdict::no(std::move(why));
    }
    const Shape src = channels_first(node.input(0).shape(), attrs.channels_last).to_shape();
    const Shape dst = channels_first(node.port(0).shape, attrs.channels_last).to_shape();
    const Shape wei = node.input(1).shape();
    if (src.size() != 3 && src.size() != 4) {
        return Verdict::no(fmt::format("{} spatial dimensions, at most 2", src.size() - 2));
    }
    if (shape_size(src) == 0 || shape_size(dst) == 0 || shape_size(wei) == 0) {
        return Verdict::no("nothing to compute");
    }
    const std::vector<std::int32_t> weights =
        centered_weights(node.input_node(1)->constant(), attrs.weight_zero_points, channel_of);
    if (!fit_16_bits(weights)) {
        return Verdict::no("weights that leave 16 bits without their zero points");
    }
    Filter filter = filter_of(attrs, src, wei);
    WideFilterParams params;
    params.batch = src[0];
    params.groups = static_cast<std::size_t>(attrs.groups);
    params.src_height = src.size() == 4 ? src[2] : 1;
    params.src_width = src.back();
    params.src_channels = src[1];
    params.dst_width = dst.back();
    params.dst_channels = dst[1];
    params.kernel_width = filter.kernel_width;
    params.lines = std::move(filter.lines);
    params.columns = columns_of(filter.columns, filter.period, filter.src_step);
    set_ends(params, node, attrs, 1.0F);
    pack_filter(params, weights, filter.kernel_height * filter.kernel_width, inputs_first,
                magnitude_of(params.src_type, params.src_shift));
    const std::size_t pixels =
        shape_size(inputs_first ? src : dst) / (inputs_first ? src[1] : dst[1]);
    const std::size_t macs = pixels * shape_size(wei);
    add_wide_step(builder, node, std::move(params),
                  attrs.channels_last ? Layout::kPlain : Layout::kChannelsLast,
                  static_cast<std::int64_t>(macs));
    return Verdict::yes();
}

// Rows as the columns of some lines, for threads to share.
void set_rows(WideFilterParams& params, std::size_t rows) {
    constexpr std::size_t kMaxColumns = 32;
    params.src_width = std::min(rows, kMaxColumns);
    while (rows % params.src_width != 0) {
        --params.src_width;
    }
    params.dst_width = params.src_width;
    params.src_height = rows / params.src_width;
    for (std::size_t y = 0; y < params.src_height; ++y) {
        params.lines.push_back({{0, y}});
    }
    params.columns = {
        {.first = 0, .step = 1, .count = params.src_width, .src_step = 1, .touches = {{0, 0}}}};
}

Verdict make_product(StepBuilder& builder, Node& node) {
    const auto& attrs = node.attrs<QuantizedMatMulAttrs>();
    if (std::string why = refusal(node, attrs); !why.empty()) {
        return Verdict::no(std::move(why));
    }
    const Shape src = node.input(0).shape();
    const Shape wei = node.input(1).shape();
    if (wei.size() != 2 || attrs.transpose_a || src.size() < 2 || shape_size(src) == 0 ||
        shape_size(wei) == 0) {
        return Verdict::no("for a matrix of weights and rows as they are");
    }
    const std::size_t depth = src.back();
    const std::size_t channels = attrs.transpose_b ? wei[0] : wei[1];
    const std::vector<std::int32_t> weights = centered_weights(
        node.input_node(1)->constant(), attrs.weight_zero_points,
        [&](std::size_t i) { return attrs.transpose_b ? i / depth : i % channels; });
    if (!fit_16_bits(weights)) {
        return Verdict::no("weights that leave 16 bits without their zero points");
    }
    WideFilterParams params;
    params.src_channels = depth;
    params.dst_channels = channels;
    set_rows(params, shape_size(src) / depth);
    set_ends(params, node, attrs, attrs.alpha);
    params.weights.push_back(weights_of(
        weights, 1, depth, channels, magnitude_of(params.src_type, params.src_shift),
        [&](std::size_t, std::size_t k, std::size_t c) {
            return static_cast<std::int32_t>(attrs.transpose_b ? c * depth + k : k * channels + c);
        }));
    const auto macs = static_cast<std::int64_t>(shape_size(src) * channels);
    add_wide_step(builder, node, std::move(params), Layout::kPlain, macs);
    return Verdict::yes();
}

}  // namespace

Verdict make_wide_filter(StepBuilder& builder, Node& node) {
    if (node.is("QuantizedMatMul")) {
        return make_product(builder, node);
    }
    if (!node.is("QuantizedConvolution") && !node.is("QuantizedDeconvolution")) {
        return Verdict::other_kind();
    }
    if (shape_size(node.input(1).shape()) == 0) {
        return Verdict::no("no weights");
    }
    if (node.is("QuantizedConvolution")) {
        const std::size_t filter = shape_size(node.input(1).shape()) / node.input(1).shape()[0];
        return make_filter<QuantizedConvolutionAttrs>(builder, node, false,
                                                      [&](std::size_t i) { return i / filter; });
    }
    const Shape wei = node.input(1).shape();
    const auto& attrs = node.attrs<QuantizedDeconvolutionAttrs>();
    const std::size_t taps = shape_size(wei) / (wei[0] * wei[1]);
    const std::size_t inputs = wei[0] / static_cast<std::size_t>(attrs.groups);
    return make_filter<QuantizedDeconvolutionAttrs>(builder, node, true, [&](std::size_t i) {
        const std::size_t plane = i / taps;
        return plane / wei[1] / inputs * wei[1] + plane % wei[1];
    });
}

}  // namespace fuseq::cpu
