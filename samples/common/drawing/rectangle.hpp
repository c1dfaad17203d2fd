// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

// Pixels from the first to the last column and row, both belong to it. May reach over the picture.
struct Area {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = 0;
    std::int64_t bottom = 0;
};

void fill_rectangle(Picture& picture, const Area& area, const Color& color);
// The frame lies inside the area.
void draw_rectangle(Picture& picture, const Area& area, std::int64_t thickness, const Color& color);

}  // namespace fuseq::samples
