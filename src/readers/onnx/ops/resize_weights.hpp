// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What one pixel of a resized axis takes from each pixel of the source, by the definition of ONNX's
// Resize. For the forms that Interpolate does not have: antialias, exclude_outside,
// tf_crop_and_resize and half_pixel_symmetric.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fuseq::onnx_reader {

struct ResizedAxis {
    std::int64_t src = 0;
    std::int64_t dst = 0;
    float scale = 1;  // as stated: with sizes dst / src
    // Of tf_crop_and_resize, in shares of the axis.
    float crop_begin = 0;
    float crop_end = 1;
};

struct ResizeForm {
    std::string mode;         // nearest, linear or cubic
    std::string coordinates;  // coordinate_transformation_mode
    std::string rounding;     // nearest_mode
    double cubic_coefficient = -0.75;
    bool antialias = false;
    bool exclude_outside = false;
};

struct ResizeWeights {
    std::vector<float> values;  // [dst, src]
    // Of tf_crop_and_resize: pixels beyond the source, which have the extrapolation value and no
    // weights.
    std::vector<bool> beyond;
};

ResizeWeights resize_weights(const ResizedAxis& axis, const ResizeForm& form);

}  // namespace fuseq::onnx_reader
