// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A drawn picture of colored shapes, for the bundled detector and segmenter (shape_networks.hpp).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

inline constexpr std::size_t kSceneHeight = 144;
inline constexpr std::size_t kSceneWidth = 240;

// 0 is what is no object: the ground, and shapes without color.
inline constexpr std::size_t kShapeClasses = 4;
const std::vector<std::string>& shape_labels();

// In the square of `size` pixels around the point (x, y).
struct PlacedShape {
    std::size_t label = 0;
    float x = 0;
    float y = 0;
    float size = 0;
};

// Whether the point at that distance from the middle of the square belongs to the shape.
bool covers(std::size_t label, float size, float right, float down);

// The objects of the picture, those of class 0 too.
const std::vector<PlacedShape>& placed_shapes();
// The class at a pixel of the picture.
std::size_t class_at(std::size_t row, std::size_t column);
Picture shapes_picture();

}  // namespace fuseq::samples
