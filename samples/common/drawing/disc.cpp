// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/drawing/disc.hpp"

namespace fuseq::samples {

void fill_disc(Picture& picture,
               std::int64_t column,
               std::int64_t row,
               std::int64_t radius,
               const Color& color) {
    for (std::int64_t y = -radius; y <= radius; ++y) {
        for (std::int64_t x = -radius; x <= radius; ++x) {
            const std::int64_t to_y = row + y;
            const std::int64_t to_x = column + x;
            if (x * x + y * y <= radius * radius && to_y >= 0 && to_x >= 0 &&
                to_y < static_cast<std::int64_t>(picture.height) &&
                to_x < static_cast<std::int64_t>(picture.width)) {
                picture.at(static_cast<std::size_t>(to_y), static_cast<std::size_t>(to_x)) = color;
            }
        }
    }
}

}  // namespace fuseq::samples
