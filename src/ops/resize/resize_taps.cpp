// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ops/resize/interpolate.hpp"

namespace fuseq {
namespace {

using Taps = std::vector<ResizeTap>;

// Where output position `at` lies on the axis of the input.
double source_position(const TapSettings& settings,
                       const AxisResize& resize,
                       std::size_t old_size,
                       std::size_t at) {
    const auto x = static_cast<double>(at);
    switch (settings.transformation) {
        case CoordinateTransformation::kHalfPixel: return (x + 0.5) / resize.scale - 0.5;
        case CoordinateTransformation::kPytorchHalfPixel:
            return resize.new_size > 1 ? (x + 0.5) / resize.scale - 0.5 : 0.0;
        case CoordinateTransformation::kAsymmetric: return x / resize.scale;
        case CoordinateTransformation::kTfHalfPixelForNn: return (x + 0.5) / resize.scale;
        case CoordinateTransformation::kAlignCorners:
            return resize.new_size > 1 ? x * static_cast<double>(old_size - 1) /
                                             static_cast<double>(resize.new_size - 1)
                                       : 0.0;
    }
    return x;
}

// A position on an axis of `size` elements; what lies outside moves to the border.
std::size_t clamped(double position, std::size_t size) {
    return static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(size) - 1.0));
}

double nearest(NearestMode mode, double x, bool shrinks) {
    switch (mode) {
        case NearestMode::kRoundPreferFloor: return std::ceil(x - 0.5);
        case NearestMode::kRoundPreferCeil: return std::floor(x + 0.5);
        case NearestMode::kFloor: return std::floor(x);
        case NearestMode::kCeil: return std::ceil(x);
        case NearestMode::kSimple: return shrinks ? std::ceil(x) : std::floor(x);
    }
    return x;
}

// Between two neighbours.
Taps onnx_taps(double position, std::size_t size) {
    const double x = std::clamp(position, 0.0, static_cast<double>(size) - 1.0);
    const auto left = static_cast<std::size_t>(x);
    const double share = x - std::floor(x);
    if (left + 1 == size || share == 0.0) {
        return {{left, 1.0}};
    }
    return {{left, 1.0 - share}, {left + 1, share}};
}

// Weights that sum to one; what lies outside the axis does not count. Empty when nothing counts.
void normalize(Taps& taps) {
    double sum = 0;
    for (const ResizeTap& tap : taps) {
        sum += tap.weight;
    }
    if (sum == 0.0) {
        taps.clear();
    }
    for (ResizeTap& tap : taps) {
        tap.weight /= sum;
    }
}

// A triangle around the position; wider when it shrinks with antialiasing.
Taps linear_taps(double position, std::size_t size, double scale, bool antialias) {
    const double slope = antialias ? scale : 1.0;
    const double reach = scale > 1.0 ? 2.0 : std::ceil(2.0 / slope);
    const double centre = std::round(position);
    const double first = std::max(0.0, centre - reach);
    const double last = std::min(static_cast<double>(size) - 1.0, centre + reach);
    Taps taps;
    for (double i = first; i <= last; ++i) {
        const double weight = std::max(0.0, 1.0 - std::abs(slope * (position - i)));
        if (weight > 0) {
            taps.push_back({static_cast<std::size_t>(i), weight});
        }
    }
    normalize(taps);
    return taps;
}

// Keys' cubic with the coefficient a.
double cubic(double x, double a) {
    x = std::abs(x);
    if (x < 1) {
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    }
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0.0;
}

Taps cubic_taps(double position, std::size_t size, double a) {
    const double base = std::floor(position);
    Taps taps;
    for (int i = -1; i <= 2; ++i) {
        taps.push_back({clamped(base + i, size), cubic(position - (base + i), a)});
    }
    return taps;
}

// As Pillow resizes: the filter grows with the factor by which the axis shrinks.
Taps pillow_taps(std::size_t at, std::size_t size, double scale, const TapSettings& settings) {
    const bool bicubic = settings.mode == InterpolateMode::kBicubicPillow;
    const double stretch = std::max(1.0, 1.0 / scale);
    const double support = (bicubic ? 2.0 : 1.0) * stretch;
    const double centre = (static_cast<double>(at) + 0.5) / scale;
    const double first = std::max(0.0, std::trunc(centre - support + 0.5));
    const double end = std::min(static_cast<double>(size), std::trunc(centre + support + 0.5));
    Taps taps;
    for (double i = first; i < end; ++i) {
        const double x = (i - centre + 0.5) / stretch;
        const double weight =
            bicubic ? cubic(x, settings.cube_coeff) : std::max(0.0, 1.0 - std::abs(x));
        taps.push_back({static_cast<std::size_t>(i), weight});
    }
    normalize(taps);
    return taps;
}

}  // namespace

AxisTaps resize_taps(const TapSettings& settings, const AxisResize& resize, std::size_t old_size) {
    AxisTaps all(resize.new_size);
    for (std::size_t at = 0; at < resize.new_size; ++at) {
        const double x = source_position(settings, resize, old_size, at);
        switch (settings.mode) {
            case InterpolateMode::kNearest:
                all[at] = {
                    {clamped(nearest(settings.nearest, x, resize.scale < 1), old_size), 1.0}};
                break;
            case InterpolateMode::kLinear:
                all[at] = linear_taps(x, old_size, resize.scale, settings.antialias);
                break;
            case InterpolateMode::kLinearOnnx: all[at] = onnx_taps(x, old_size); break;
            case InterpolateMode::kCubic:
                all[at] = cubic_taps(x, old_size, settings.cube_coeff);
                break;
            case InterpolateMode::kBilinearPillow:
            case InterpolateMode::kBicubicPillow:
                all[at] = pillow_taps(at, old_size, resize.scale, settings);
                break;
        }
    }
    return all;
}

}  // namespace fuseq
