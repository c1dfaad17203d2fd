// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A picture in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fuseq::samples {

struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    friend bool operator==(const Color&, const Color&) = default;
};

// 8 bits a channel, rows from the top, pixels from the left.
struct Picture {
    Picture() = default;
    // Black.
    Picture(std::size_t rows, std::size_t columns)
        : height(rows), width(columns), pixels(rows * columns) {}
    Color& at(std::size_t row, std::size_t column) { return pixels[row * width + column]; }
    const Color& at(std::size_t row, std::size_t column) const {
        return pixels[row * width + column];
    }
    std::uint8_t* bytes() { return &pixels.data()->red; }
    const std::uint8_t* bytes() const { return &pixels.data()->red; }
    friend bool operator==(const Picture&, const Picture&) = default;

    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<Color> pixels;
};
static_assert(sizeof(Color) == 3, "pixels are RGB bytes in a row");

}  // namespace fuseq::samples
