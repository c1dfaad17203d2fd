// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/resize_weights.hpp"

#include <algorithm>
#include <cmath>

namespace fuseq::onnx_reader {
namespace {

// Where the centre of a pixel of dst lies in src, in f32 and in ONNX Runtime's order of operations:
// nearest decides at exact halves.
float place_in_source(std::int64_t pixel, const ResizedAxis& axis, const std::string& how) {
    const auto at = static_cast<float>(pixel);
    const auto src = static_cast<float>(axis.src);
    const auto dst = static_cast<float>(axis.dst);
    if (how == "asymmetric") {
        return at / axis.scale;
    }
    if (how == "align_corners") {
        return axis.dst == 1 ? 0 : at * (src - 1) / (dst - 1);
    }
    if (how == "tf_crop_and_resize") {
        return axis.dst == 1 ? 0.5F * (axis.crop_begin + axis.crop_end) * (src - 1)
                             : axis.crop_begin * (src - 1) +
                                   at * (axis.crop_end - axis.crop_begin) * (src - 1) / (dst - 1);
    }
    if (how == "tf_half_pixel_for_nn") {
        return (at + 0.5F) / axis.scale;
    }
    if (how == "pytorch_half_pixel" && axis.dst == 1) {
        return 0;
    }
    if (how != "half_pixel_symmetric") {
        return (at + 0.5F) / axis.scale - 0.5F;
    }
    // The part of src that dst covers lies in its middle.
    const float covered = dst / (axis.scale * src);
    return src / 2 * (1 - covered) + (at + 0.5F) / axis.scale - 0.5F;
}

float nearest_pixel(float place, const std::string& rounding) {
    if (rounding == "floor") {
        return std::floor(place);
    }
    if (rounding == "ceil") {
        return std::ceil(place);
    }
    // Adding 0.5 would round what lies just below a half.
    const float low = std::floor(place);
    const float above = place - low;
    return above < 0.5F || (above == 0.5F && rounding == "round_prefer_floor") ? low : low + 1;
}

double triangle(double distance) {
    return std::max(0.0, 1 - std::abs(distance));
}

// Keys' cubic convolution.
double cubic(double distance, double a) {
    const double x = std::abs(distance);
    if (x < 1) {
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    }
    return x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

// Adds the weights of pixel `row` of dst; what lies outside of src counts for its edge, or not at all.
void add_filter(float* row, double place, const ResizedAxis& axis, const ResizeForm& form) {
    const double shrink = form.antialias ? std::min(1.0, static_cast<double>(axis.scale)) : 1.0;
    const double reach = (form.mode == "cubic" ? 2 : 1) / shrink;
    const auto first = static_cast<std::int64_t>(std::floor(place - reach)) + 1;
    const auto end = static_cast<std::int64_t>(std::ceil(place + reach));
    std::vector<double> weights(static_cast<std::size_t>(axis.src), 0.0);
    double sum = 0;
    for (std::int64_t at = first; at < end; ++at) {
        if (form.exclude_outside && (at < 0 || at >= axis.src)) {
            continue;
        }
        const double distance = (static_cast<double>(at) - place) * shrink;
        const double weight =
            form.mode == "cubic" ? cubic(distance, form.cubic_coefficient) : triangle(distance);
        weights[static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, axis.src - 1))] += weight;
        sum += weight;
    }
    std::transform(weights.begin(), weights.end(), row,
                   [&](double weight) { return static_cast<float>(weight / sum); });
}

}  // namespace

std::vector<float> filter_weights(const ResizedAxis& axis, const ResizeForm& form) {
    std::vector<float> weights(static_cast<std::size_t>(axis.dst * axis.src));
    for (std::int64_t pixel = 0; pixel < axis.dst; ++pixel) {
        add_filter(weights.data() + pixel * axis.src,
                   place_in_source(pixel, axis, form.coordinates), axis, form);
    }
    return weights;
}

std::vector<std::int64_t> nearest_pixels(const ResizedAxis& axis, const ResizeForm& form) {
    std::vector<std::int64_t> pixels;
    for (std::int64_t pixel = 0; pixel < axis.dst; ++pixel) {
        const float nearest =
            nearest_pixel(place_in_source(pixel, axis, form.coordinates), form.rounding);
        pixels.push_back(
            static_cast<std::int64_t>(std::clamp(nearest, 0.0F, static_cast<float>(axis.src - 1))));
    }
    return pixels;
}

std::vector<bool> pixels_beyond(const ResizedAxis& axis, const ResizeForm& form) {
    std::vector<bool> beyond(static_cast<std::size_t>(axis.dst), false);
    for (std::int64_t pixel = 0; pixel < axis.dst && form.coordinates == "tf_crop_and_resize";
         ++pixel) {
        const float place = place_in_source(pixel, axis, form.coordinates);
        beyond[static_cast<std::size_t>(pixel)] =
            place < 0 || place > static_cast<float>(axis.src - 1);
    }
    return beyond;
}

}  // namespace fuseq::onnx_reader
