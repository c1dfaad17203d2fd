// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/shapes.hpp"

#include <array>
#include <cmath>

namespace fuseq::samples {
namespace {

// The last one of those that cover the pixel.
const PlacedShape* shape_at(std::size_t row, std::size_t column) {
    const PlacedShape* found = nullptr;
    for (const PlacedShape& shape : placed_shapes()) {
        const float right = static_cast<float>(column) + 0.5F - shape.x;
        const float down = static_cast<float>(row) + 0.5F - shape.y;
        if (covers(shape.label, shape.size, right, down)) {
            found = &shape;
        }
    }
    return found;
}

// Grey, lighter to the top and with stripes, so that the networks have something to overlook.
Color ground_at(std::size_t row, std::size_t column) {
    constexpr std::size_t kStripe = 12;
    const bool striped = (row + column) / kStripe % 2 == 0;
    const auto grey = static_cast<std::uint8_t>(170 - row / 2 + (striped ? 10 : 0));
    return {grey, grey, grey};
}

}  // namespace

const std::vector<std::string>& shape_labels() {
    static const std::vector<std::string> kLabels = {"nothing", "disc", "square", "triangle"};
    return kLabels;
}

bool covers(std::size_t label, float size, float right, float down) {
    const float half = size / 2;
    if (std::fabs(right) > half || std::fabs(down) > half) {
        return false;
    }
    switch (label) {
        case 1: return right * right + down * down <= half * half;
        case 3: return std::fabs(right) <= (down + half) / 2;  // the point is on top
        default: return true;
    }
}

const std::vector<PlacedShape>& placed_shapes() {
    static const std::vector<PlacedShape> kShapes = {
        {1, 34, 36, 38},  {2, 94, 31, 30}, {0, 150, 30, 34}, {3, 206, 38, 40},
        {3, 40, 106, 32}, {0, 92, 98, 28}, {1, 143, 94, 30}, {2, 204, 105, 40}};
    return kShapes;
}

std::size_t class_at(std::size_t row, std::size_t column) {
    const PlacedShape* shape = shape_at(row, column);
    return shape == nullptr ? 0 : shape->label;
}

Picture shapes_picture() {
    static constexpr std::array<Color, kShapeClasses> kColors = {
        {{245, 245, 245}, {50, 50, 230}, {230, 50, 50}, {50, 230, 50}}};
    Picture picture(kSceneHeight, kSceneWidth);
    for (std::size_t row = 0; row < kSceneHeight; ++row) {
        for (std::size_t column = 0; column < kSceneWidth; ++column) {
            const PlacedShape* shape = shape_at(row, column);
            picture.at(row, column) =
                shape == nullptr ? ground_at(row, column) : kColors.at(shape->label);
        }
    }
    return picture;
}

}  // namespace fuseq::samples
