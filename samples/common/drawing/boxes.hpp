// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

// What a detector found. Corners are fractions of the picture.
struct Detection {
    std::int64_t label = 0;
    float confidence = 0;
    float left = 0;
    float top = 0;
    float right = 0;
    float bottom = 0;
};

// A frame in the color of the label, with the label (a name where there is one, else its number) and
// the confidence in percent on it.
void draw_boxes(Picture& picture,
                const std::vector<Detection>& detections,
                const std::vector<std::string>& names);

}  // namespace fuseq::samples
