// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Planes of a YOLO head, plain [regions, coords + 1 + classes, area] of f32: the logistic function
// of the first two coordinates, the confidence and, without softmax, the classes; other coordinates
// are copied. The same bytes on every instruction set and for every split. No allocation.
#pragma once

#include "cpu/kernels/common/range.hpp"

namespace fuseq::kernels {

struct RegionYoloParams {
    std::size_t regions = 1;  // of all images
    std::size_t coords = 4;   // 2 or more
    std::size_t classes = 1;
    std::size_t area = 1;
    bool softmax = true;  // the planes of classes are left alone: softmax() of rows.hpp

    std::size_t planes() const { return coords + 1 + classes; }  // of a region
};

// Planes of all regions. dst may be src.
void region_yolo(const RegionYoloParams& params, const float* src, float* dst, Range planes);

}  // namespace fuseq::kernels
