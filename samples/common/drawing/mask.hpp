// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

// A class for each cell, rows from the top.
struct Mask {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<std::int64_t> classes;
};

// Mixes each pixel half and half with the color of the class of its cell; class 0 and negative ones
// leave the picture as it is. The mask is stretched over the picture.
void draw_mask(Picture& picture, const Mask& mask);

}  // namespace fuseq::samples
