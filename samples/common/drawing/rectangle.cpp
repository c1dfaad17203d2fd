// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/drawing/rectangle.hpp"

#include <algorithm>

namespace fuseq::samples {

void fill_rectangle(Picture& picture, const Area& area, const Color& color) {
    const std::int64_t bottom =
        std::min(area.bottom, static_cast<std::int64_t>(picture.height) - 1);
    const std::int64_t right = std::min(area.right, static_cast<std::int64_t>(picture.width) - 1);
    for (std::int64_t y = std::max<std::int64_t>(area.top, 0); y <= bottom; ++y) {
        for (std::int64_t x = std::max<std::int64_t>(area.left, 0); x <= right; ++x) {
            picture.at(static_cast<std::size_t>(y), static_cast<std::size_t>(x)) = color;
        }
    }
}

void draw_rectangle(Picture& picture,
                    const Area& area,
                    std::int64_t thickness,
                    const Color& color) {
    const std::int64_t more = thickness - 1;
    const Area& a = area;
    fill_rectangle(picture, {a.left, a.top, a.right, std::min(a.top + more, a.bottom)}, color);
    fill_rectangle(picture, {a.left, std::max(a.bottom - more, a.top), a.right, a.bottom}, color);
    fill_rectangle(picture, {a.left, a.top, std::min(a.left + more, a.right), a.bottom}, color);
    fill_rectangle(picture, {std::max(a.right - more, a.left), a.top, a.right, a.bottom}, color);
}

}  // namespace fuseq::samples
