// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "cpu/kernels/resize/resize.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

void check_axis(std::size_t src_length, std::size_t dst_length, double scale) {
    constexpr std::size_t kLargest = std::size_t{1} << 31;
    if (src_length == 0 || dst_length == 0 || src_length > kLargest || dst_length > kLargest ||
        !std::isfinite(scale) || scale <= 0.0) {
        throw Error("compile", fmt::format("resize kernel: {} to {} with scale {:g}", src_length,
                                           dst_length, scale));
    }
}

double position(
    std::size_t at, std::size_t src, std::size_t dst, double scale, ResizeCoordinates c) {
    const auto x = static_cast<double>(at);
    switch (c) {
        case ResizeCoordinates::kHalfPixel: return (x + 0.5) / scale - 0.5;
        case ResizeCoordinates::kPytorchHalfPixel: return dst == 1 ? 0.0 : (x + 0.5) / scale - 0.5;
        case ResizeCoordinates::kAsymmetric: return x / scale;
        case ResizeCoordinates::kTfHalfPixel: return (x + 0.5) / scale;
        default:
            return dst == 1 ? 0.0 : x * static_cast<double>(src - 1) / static_cast<double>(dst - 1);
    }
}

double nearest_of(double x, double scale, ResizeNearest nearest) {
    switch (nearest) {
        case ResizeNearest::kRoundPreferFloor: return std::ceil(x - 0.5);
        case ResizeNearest::kRoundPreferCeil: return std::floor(x + 0.5);
        case ResizeNearest::kFloor: return std::floor(x);
        case ResizeNearest::kCeil: return std::ceil(x);
        default: return scale < 1.0 ? std::ceil(x) : std::floor(x);
    }
}

}  // namespace

ResizeAxis nearest_axis(std::size_t src_length,
                        std::size_t dst_length,
                        double scale,
                        ResizeCoordinates coordinates,
                        ResizeNearest nearest) {
    check_axis(src_length, dst_length, scale);
    ResizeAxis axis;
    const auto last = static_cast<double>(src_length - 1);
    for (std::size_t i = 0; i < dst_length; ++i) {
        const double x = position(i, src_length, dst_length, scale, coordinates);
        axis.low.push_back(
            static_cast<std::uint32_t>(std::clamp(nearest_of(x, scale, nearest), 0.0, last)));
    }
    return axis;
}

ResizeAxis linear_axis(std::size_t src_length,
                       std::size_t dst_length,
                       double scale,
                       ResizeCoordinates coordinates) {
    check_axis(src_length, dst_length, scale);
    ResizeAxis axis;
    const auto last = static_cast<double>(src_length - 1);
    for (std::size_t i = 0; i < dst_length; ++i) {
        const double x =
            std::clamp(position(i, src_length, dst_length, scale, coordinates), 0.0, last);
        const double low = std::floor(x);
        axis.low.push_back(static_cast<std::uint32_t>(low));
        axis.high.push_back(static_cast<std::uint32_t>(std::min(low + 1.0, last)));
        axis.weight.push_back(static_cast<float>(x - low));
    }
    return axis;
}

void check_resize(const ResizeParams& p) {
    const auto known = [](ElementType type) {
        return type == ElementType::f32 || type == ElementType::u8 || type == ElementType::i8;
    };
    const auto inside = [](const ResizeAxis& axis, std::size_t length) {
        const auto below = [length](std::uint32_t at) { return at < length; };
        return !axis.low.empty() && std::all_of(axis.low.begin(), axis.low.end(), below) &&
               std::all_of(axis.high.begin(), axis.high.end(), below) &&
               axis.high.size() == axis.weight.size() &&
               (axis.high.empty() || axis.high.size() == axis.low.size());
    };
    if (!known(p.src_type) || !known(p.dst_type)) {
        throw Error("compile",
                    "resize kernel: " + to_string(p.src_type) + " to " + to_string(p.dst_type));
    }
    if (!inside(p.rows, p.src_height) || !inside(p.columns, p.src_width) ||
        p.rows.high.empty() != p.columns.high.empty()) {
        throw Error("compile", "resize kernel: tables of rows and columns do not fit");
    }
    if (p.channels == 0 || (p.src_pixel_stride != 0 && p.src_pixel_stride < p.channels) ||
        (p.dst_pixel_stride != 0 && p.dst_pixel_stride < p.channels)) {
        throw Error("compile", fmt::format("resize kernel: pixel strides {}, {} for {} channels",
                                           p.src_pixel_stride, p.dst_pixel_stride, p.channels));
    }
}

}  // namespace fuseq::kernels
