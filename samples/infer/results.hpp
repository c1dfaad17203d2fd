// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What outputs of networks mean: boxes, masks, points, pictures.
#pragma once

#include <cstddef>
#include <vector>

#include "common/drawing/boxes.hpp"
#include "common/drawing/mask.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::samples {

// How a result of four dimensions lies in memory, and the size of the picture that the network got.
struct NetworkLook {
    bool channels_last = false;
    std::size_t height = 0;
    std::size_t width = 0;
};

// Place in a picture, in fractions of it.
struct KeyPoint {
    std::size_t index = 0;
    float x = 0;
    float y = 0;
};

// [1,1,N,7] of DetectionOutput (picture, label, confidence, corners in fractions; ends with a picture
// below 0), or [N,5] (corners in pixels of the network's input, confidence), whose labels are in
// `labels`, or all 0 without. Only those of at least `threshold`.
bool may_be_boxes(const Tensor& tensor);
std::vector<Detection> read_boxes(const Tensor& tensor,
                                  const Tensor* labels,
                                  const NetworkLook& look,
                                  float threshold);

// A value a class in each cell: the class of the greatest value, the first of equal ones; with one
// class 1 where the value is at least `threshold`. Integers without a dimension of classes are
// classes themselves.
bool may_be_mask(const Tensor& tensor);
Mask read_mask(const Tensor& tensor, const NetworkLook& look, float threshold);

// [1,2K] or [1,2K,1,1]: x and y in fractions; [1,K,2] the same, [1,K,3] with a confidence; four
// dimensions: a map a point, its greatest value is the place. Only those of at least `threshold`.
bool may_be_points(const Tensor& tensor);
std::vector<KeyPoint> read_points(const Tensor& tensor, const NetworkLook& look, float threshold);

// One or three channels. `white` is the value that becomes 255; 0: 255 for integers, for reals 1 where
// all values lie between -0.5 and 1.5, else 255. `bgr`: order of the three channels.
bool may_be_picture(const Tensor& tensor, const NetworkLook& look);
Picture read_result_picture(const Tensor& tensor, const NetworkLook& look, float white, bool bgr);

}  // namespace fuseq::samples
