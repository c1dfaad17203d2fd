// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/core.h>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels::depthwise {
namespace {

template <class T>
bool list_fits(std::span<const T> list, std::size_t channels, std::size_t min) {
    return list.size() == channels || list.size() == 1 || list.size() == min;
}

bool all_finite(std::span<const float> list) {
    return std::all_of(list.begin(), list.end(), [](float v) { return std::isfinite(v); });
}

void check_rule(const DepthwiseParams& p) {
    if (!p.rule) {
        return;
    }
    const std::size_t rests = has_rest(*p.rule) ? p.shape.src_channels : 0;
    if (p.rest.size() != rests || !all_finite(p.rest)) {
        refuse(fmt::format("a rule with {} finite rests of the scale, expected {}", p.rest.size(),
                           rests));
    }
    const std::size_t others = *p.rule == RuleForm::kTwoFloors ? p.shape.src_channels : 0;
    if (p.below.size() != others || !all_finite(p.below)) {
        refuse(fmt::format("a rule with {} finite biases below 0, expected {}", p.below.size(),
                           others));
    }
    constexpr float kMaxBias = 1 << 24;
    const float min_bias = *p.rule == RuleForm::kMirrored ? 0.0f : -kMaxBias;
    for (const float bias : p.bias) {
        if (!(bias >= min_bias && bias <= kMaxBias)) {
            refuse(fmt::format("a rule with a bias of {}, expected {} to 2^24", bias, min_bias));
        }
    }
    const bool has_zero = *p.rule == RuleForm::kReal || *p.rule == RuleForm::kMirrored;
    const std::int32_t max_zero = has_zero ? 255 : 0;
    if (std::abs(p.zero_point) > max_zero || (*p.rule == RuleForm::kReal && !p.bias.empty())) {
        refuse(fmt::format("a rule with a zero point of {} and {} biases", p.zero_point,
                           p.bias.size()));
    }
    if (!DepthwiseConv::stores_rules() || p.dst_type == ElementType::f32 || !p.slope.empty() ||
        p.shift != 0.0f) {
        refuse("rules are for bytes and AVX2, without a slope or a shift");
    }
}

void check_elu(const DepthwiseParams& p) {
    if (!p.elu) {
        return;
    }
    const bool is_bounded = std::isfinite(p.low) || std::isfinite(p.high);
    if (p.dst_type == ElementType::f32 || !p.slope.empty() || p.rule || is_bounded) {
        refuse("elus are for bytes, without a slope, a rule or bounds");
    }
    if (!std::isfinite(p.elu->alpha) || !std::isfinite(p.elu->scale)) {
        refuse("the elu is not finite");
    }
}

}  // namespace

void refuse(const std::string& rule) {
    throw Error("compile", "depthwise kernel: " + rule);
}

void check_shape(const DepthwiseShape& s) {
    const std::size_t sizes[] = {s.batch,         s.src_channels,    s.src_height,
                                 s.src_width,     s.dst_height,      s.dst_width,
                                 s.kernel_height, s.kernel_width,    s.stride_height,
                                 s.stride_width,  s.dilation_height, s.dilation_width};
    constexpr std::size_t kLargest = std::size_t{1} << 31;
    for (const std::size_t size : sizes) {
        if (size == 0 || size > kLargest) {
            refuse(fmt::format("a size of {}, expected 1 to 2^31", size));
        }
    }
    if (s.kernel_height > kMaxTaps || s.kernel_width > kMaxTaps ||
        s.kernel_height * s.kernel_width > kMaxTaps) {
        refuse(fmt::format("kernel {}x{}, at most {} taps are possible", s.kernel_height,
                           s.kernel_width, kMaxTaps));
    }
    if (s.src_pixel_stride < s.src_channels || s.dst_pixel_stride < s.src_channels ||
        s.src_pixel_stride > kLargest || s.dst_pixel_stride > kLargest) {
        refuse(fmt::format("pixel strides {}, {} for {} channels", s.src_pixel_stride,
                           s.dst_pixel_stride, s.src_channels));
    }
    if (s.dst_channels != s.src_channels) {
        refuse(fmt::format("{} channels of dst, expected {}, those of src", s.dst_channels,
                           s.src_channels));
    }
    const auto limit = static_cast<std::ptrdiff_t>(kLargest);
    if (std::abs(s.pad_top) > limit || std::abs(s.pad_left) > limit) {
        refuse(fmt::format("padding {}, {}", s.pad_top, s.pad_left));
    }
}

void check(const DepthwiseParams& p) {
    const std::size_t channels = p.shape.src_channels;
    const bool is_signed = p.src_type == ElementType::i8;
    if (!is_signed && p.src_type != ElementType::u8) {
        refuse("source type " + to_string(p.src_type) + ", expected u8 or i8");
    }
    if (p.dst_type != ElementType::u8 && p.dst_type != ElementType::i8 &&
        p.dst_type != ElementType::f32) {
        refuse("destination type " + to_string(p.dst_type) + ", expected u8, i8 or f32");
    }
    if (!list_fits(p.src_zero_point, channels, 0)) {
        refuse(fmt::format("{} zero points for {} channels", p.src_zero_point.size(), channels));
    }
    for (const std::int32_t zero_point : p.src_zero_point) {
        if (zero_point < (is_signed ? -128 : 0) || zero_point > (is_signed ? 127 : 255)) {
            refuse(fmt::format("zero point {} is no {}", zero_point, to_string(p.src_type)));
        }
    }
    if (!list_fits(p.offset, channels, 0)) {
        refuse(fmt::format("{} offsets for {} channels", p.offset.size(), channels));
    }
    for (const std::int32_t offset : p.offset) {
        constexpr std::int32_t kMaxOffset = 1 << 24;
        if (offset < -kMaxOffset || offset > kMaxOffset) {
            refuse(fmt::format("an offset of {}, expected -2^24 to 2^24", offset));
        }
    }
    if (p.weights.size() != channels * p.shape.kernel_height * p.shape.kernel_width) {
        refuse(fmt::format("{} weights for {} channels of {}x{}", p.weights.size(), channels,
                           p.shape.kernel_height, p.shape.kernel_width));
    }
    check_rule(p);
    check_elu(p);
    if (!list_fits(p.scale, channels, 1) || !list_fits(p.bias, channels, 0) ||
        !list_fits(p.slope, channels, 0)) {
        refuse(fmt::format("{} scales, {} biases, {} slopes for {} channels", p.scale.size(),
                           p.bias.size(), p.slope.size(), channels));
    }
    if (!all_finite(p.scale) || !all_finite(p.bias) || !all_finite(p.slope) ||
        !std::isfinite(p.shift) || !(p.low <= p.high)) {
        refuse("scale, bias, slope or shift is not finite, or low > high");
    }
}

}  // namespace fuseq::kernels::depthwise
