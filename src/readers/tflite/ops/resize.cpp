// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Resizing of images.
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

// Half pixels: floor((i + 0.5) * scale); else floor(i * scale), rounded half up under
// align_corners.
Values nearest(Operator& op) {
    const auto& options = op.options<::tflite::ResizeNearestNeighborOptions>();
    const bool corners = options.align_corners();
    const bool centers = options.half_pixel_centers();
    op.require(!(corners && centers), "align_corners and half_pixel_centers exclude each other");
    return image(interpolate(op, op.image(0), wanted_sizes(op), "nearest",
                             centers ? "tf_half_pixel_for_nn" : coordinates(corners, false),
                             corners ? "round_prefer_ceil" : "floor"));
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
