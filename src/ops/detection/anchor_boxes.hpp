// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What ExperimentalDetectronGenerateProposalsSingleImage and GenerateProposals make of anchors.
#pragma once

#include <algorithm>
#include <cmath>

#include "ops/detection/boxes.hpp"

namespace fuseq {

struct ImageSize {
    double height;
    double width;
};

// How an anchor moves, in sides of it, and the logarithms of how it grows.
struct AnchorDelta {
    double x;
    double y;
    double log_width;
    double log_height;
};

// The delta of one anchor in one cell: [anchors * 4, cells].
template <class T>
AnchorDelta delta_of(const T* deltas, std::size_t anchor, std::size_t cell, std::size_t cells) {
    const auto number = [&](std::size_t i) {
        return static_cast<double>(deltas[(anchor * 4 + i) * cells + cell]);
    };
    return {number(0), number(1), number(2), number(3)};
}

template <class T>
CornerBox anchor_box(const T* p) {
    return {static_cast<double>(p[0]), static_cast<double>(p[1]), static_cast<double>(p[2]),
            static_cast<double>(p[3])};
}

// The moved box, clipped to the image. `extra`: what a side counts beyond the difference of its
// ends.
inline CornerBox moved_anchor(const CornerBox& anchor,
                              const AnchorDelta& delta,
                              const ImageSize& image,
                              double extra) {
    static const double kMaxGrowth = std::log(1000.0 / 16.0);
    const double width = anchor.x2 - anchor.x1 + extra;
    const double height = anchor.y2 - anchor.y1 + extra;
    const double x = anchor.x1 + width / 2 + delta.x * width;
    const double y = anchor.y1 + height / 2 + delta.y * height;
    const double half_width = std::exp(std::min(delta.log_width, kMaxGrowth)) * width / 2;
    const double half_height = std::exp(std::min(delta.log_height, kMaxGrowth)) * height / 2;
    const auto inside = [&](double v, double size) {
        return std::max(0.0, std::min(v, size - extra));
    };
    return {inside(x - half_width, image.width), inside(y - half_height, image.height),
            inside(x + half_width - extra, image.width),
            inside(y + half_height - extra, image.height)};
}

// Both sides of the box have at least that length.
inline bool large_enough(const CornerBox& box, const ImageSize& min, double extra) {
    return min.width <= box.x2 - box.x1 + extra && min.height <= box.y2 - box.y1 + extra;
}

}  // namespace fuseq
