// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What one pixel of a resized axis takes from each pixel of the source, by the definition of ONNX's
// Resize and with ONNX Runtime's places in f32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fuseq::onnx_reader {

struct ResizedAxis {
    std::int64_t src = 0;
    std::int64_t dst = 0;
    bool by_scale = false;
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

// Weights of linear and cubic, [dst, src].
std::vector<float> filter_weights(const ResizedAxis& axis, const ResizeForm& form);
// The pixel that nearest takes, one an element of dst.
std::vector<std::int64_t> nearest_pixels(const ResizedAxis& axis, const ResizeForm& form);
// Which pixels of tf_crop_and_resize lie beyond the source: they have the extrapolation value.
std::vector<bool> pixels_beyond(const ResizedAxis& axis, const ResizeForm& form);

}  // namespace fuseq::onnx_reader
