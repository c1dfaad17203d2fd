// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Resizing of images.
#include <algorithm>
#include <cmath>

#include "readers/common/nearest_pixels.hpp"
#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"

namespace fuseq::tflite_reader::resize_operators {
namespace {

std::vector<std::int64_t> wanted_sizes(Operator& op) {
    constexpr std::int64_t kLargest = 1 << 20;
    const std::vector<std::int64_t> sizes = op.constant_ints(1, "the list of sizes");
    op.require(sizes.size() == 2, "has ", sizes.size(), " sizes, expected 2");
    for (const std::int64_t size : sizes) {
        op.require(size >= 1 && size <= kLargest, "a size is ", size, ", expected 1 or more");
    }
    return sizes;
}

const char* coordinates(bool align_corners, bool half_pixel_centers) {
    return align_corners ? "align_corners" : half_pixel_centers ? "half_pixel" : "asymmetric";
}

Output interpolate(Operator& op,
                   const Output& x,
                   const std::vector<std::int64_t>& sizes,
                   const char* mode,
                   const char* coordinate_mode,
                   const char* rounding) {
    return op.add("Interpolate", {x, op.int_list(sizes), op.int_list({2, 3})},
                  {{"mode", mode},
                   {"shape_calculation_mode", "sizes"},
                   {"coordinate_transformation_mode", coordinate_mode},
                   {"nearest_mode", rounding}});
}

Values bilinear(Operator& op) {
    const auto& options = op.options<::tflite::ResizeBilinearOptions>();
    op.require(!(options.align_corners() && options.half_pixel_centers()),
               "align_corners and half_pixel_centers exclude each other");
    const std::vector<std::int64_t> sizes = wanted_sizes(op);
    const Output x = op.image(0);
    if (is_quantized(op)) {
        ModelAttributes attributes = grids(op, {0});
        attributes.push_back({"sizes", sizes});
        attributes.push_back({"align_corners", options.align_corners()});
        attributes.push_back({"half_pixel_centers", options.half_pixel_centers()});
        return image(op.add("QuantizedResizeBilinear", {x}, attributes));
    }
    return image(interpolate(op, x, sizes, "linear_onnx",
                             coordinates(options.align_corners(), options.half_pixel_centers()),
                             "round_prefer_floor"));
}

// The pixels that TFLite takes, computed in f32: half pixels floor((i + 0.5) * scale); else
// floor(i * scale), rounded half away from zero under align_corners.
std::vector<std::int64_t> nearest_pixels(std::int64_t src,
                                         std::int64_t dst,
                                         bool corners,
                                         bool centers) {
    const float scale = corners && dst > 1
                            ? static_cast<float>(src - 1) / static_cast<float>(dst - 1)
                            : static_cast<float>(src) / static_cast<float>(dst);
    std::vector<std::int64_t> pixels;
    for (std::int64_t i = 0; i < dst; ++i) {
        const float place = (static_cast<float>(i) + (centers ? 0.5F : 0.0F)) * scale;
        const float pixel = corners ? std::round(place) : std::floor(place);
        pixels.push_back(std::min(static_cast<std::int64_t>(pixel), src - 1));
    }
    return pixels;
}

struct Nearest {
    bool corners;
    bool centers;
    const char* coordinates() const {
        return centers ? "tf_half_pixel_for_nn" : resize_operators::coordinates(corners, false);
    }
    const char* rounding() const { return corners ? "round_prefer_ceil" : "floor"; }
};

bool interpolate_agrees(const Nearest& form,
                        std::int64_t src,
                        const std::vector<std::int64_t>& pixels) {
    const auto transformation = form.centers   ? CoordinateTransformation::kTfHalfPixelForNn
                                : form.corners ? CoordinateTransformation::kAlignCorners
                                               : CoordinateTransformation::kAsymmetric;
    return readers::interpolate_takes(
        pixels, src, static_cast<double>(pixels.size()) / static_cast<double>(src), transformation,
        form.corners ? NearestMode::kRoundPreferCeil : NearestMode::kFloor);
}

Values nearest(Operator& op) {
    const auto& options = op.options<::tflite::ResizeNearestNeighborOptions>();
    const Nearest form{.corners = options.align_corners(), .centers = options.half_pixel_centers()};
    op.require(!(form.corners && form.centers),
               "align_corners and half_pixel_centers exclude each other");
    std::vector<std::int64_t> sizes = wanted_sizes(op);
    Output x = op.image(0);
    const PartialShape shape = x.partial_shape();
    for (std::size_t i = 0; i < sizes.size() && shape.rank_is_static(); ++i) {
        const Dimension& size = shape[2 + i];
        if (!size.is_static() || size.get_length() == 0) {
            continue;
        }
        const std::int64_t src = size.get_length();
        const auto pixels = nearest_pixels(src, sizes[i], form.corners, form.centers);
        if (!interpolate_agrees(form, src, pixels)) {
            const auto axis = static_cast<std::int64_t>(2 + i);
            x = op.add("Gather", {x, op.int_list(pixels), op.int_scalar(axis)});
        }
    }
    return image(interpolate(op, x, sizes, "nearest", form.coordinates(), form.rounding()));
}

const OperatorRow kRows[] = {
    {.type = "RESIZE_BILINEAR", .newest = 4, .translate = bilinear},
    {.type = "RESIZE_NEAREST_NEIGHBOR", .newest = 4, .translate = nearest},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::resize_operators
