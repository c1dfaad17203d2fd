// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/drawing/mask.hpp"

#include "common/drawing/palette.hpp"

namespace fuseq::samples {
namespace {

std::uint8_t mix_half(std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>((a + b) / 2);
}

}  // namespace

void draw_mask(Picture& picture, const Mask& mask) {
    for (std::size_t y = 0; y < picture.height; ++y) {
        const std::size_t row = y * mask.height / picture.height;
        for (std::size_t x = 0; x < picture.width; ++x) {
            const std::size_t column = x * mask.width / picture.width;
            const std::int64_t index = mask.classes[row * mask.width + column];
            if (index > 0) {
                const Color color = color_of_class(static_cast<std::size_t>(index));
                Color& pixel = picture.at(y, x);
                pixel = {mix_half(pixel.red, color.red), mix_half(pixel.green, color.green),
                         mix_half(pixel.blue, color.blue)};
            }
        }
    }
}

}  // namespace fuseq::samples
