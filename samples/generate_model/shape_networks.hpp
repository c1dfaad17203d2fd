// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A detector and a segmenter that find the shapes of shapes.hpp. Nobody trained them: their filters
// are computed, and what they do can be read.
#pragma once

#include <memory>

#include "fuseq/model.hpp"

namespace fuseq::samples {

// Input "image" f32 [1, 3, 144, 240], RGB, values 0 to 255. Output "found" [1, 1, N, 7] of a
// DetectionOutput: one prior box a cell of 8 x 8 pixels; the mass of a color around a cell gives
// confidence and size, its first moments where the middle is.
std::shared_ptr<Model> shape_detector();

// The same input. Output "classes" i32 [1, 144, 240]: the class of each pixel.
std::shared_ptr<Model> shape_segmenter();

}  // namespace fuseq::samples
