// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Boxes and their overlap, for the operations that suppress or pool boxes.
#pragma once

#include <algorithm>

#include "fuseq/shape.hpp"

namespace fuseq {

// Not the Box of ops/detection_boxes.hpp, which is f32: two types of one name in one namespace
// share the code of std::vector, and one of them gets that of the other.
struct CornerBox {
    double x1 = 0;
    double y1 = 0;
    double x2 = 0;
    double y2 = 0;
    // `extra`: what a side counts beyond the difference of its ends (1 for pixel coordinates).
    double area(double extra = 0) const {
        return x2 < x1 || y2 < y1 ? 0.0 : (x2 - x1 + extra) * (y2 - y1 + extra);
    }
};

// Intersection over union; 0 where an area is not positive.
inline double overlap(const CornerBox& a, const CornerBox& b, double extra = 0) {
    const CornerBox common{std::max(a.x1, b.x1), std::max(a.y1, b.y1), std::min(a.x2, b.x2),
                           std::min(a.y2, b.y2)};
    if (common.x2 < common.x1 || common.y2 < common.y1) {  // most pairs of boxes are far apart
        return 0.0;
    }
    const double area_a = a.area(extra);
    const double area_b = b.area(extra);
    const double area = common.area(extra);
    return area_a > 0 && area_b > 0 && area > 0 ? area / (area_a + area_b - area) : 0.0;
}

// The threshold of an adaptive suppression after a box was kept.
inline double next_threshold(float eta, double threshold) {
    constexpr double kLowestAdapted = 0.5;
    return eta < 1 && threshold > kLowestAdapted ? threshold * static_cast<double>(eta) : threshold;
}

// The smaller of two sizes, each known or not.
inline Dimension smaller(const Dimension& a, const Dimension& b) {
    const auto high_a = a.get_max_length();
    const auto high_b = b.get_max_length();
    const auto high = high_a == Dimension::kUnbounded   ? high_b
                      : high_b == Dimension::kUnbounded ? high_a
                                                        : std::min(high_a, high_b);
    return {std::min(a.get_min_length(), b.get_min_length()), high};
}

// Anything from 0 to the largest value of `size`.
inline Dimension up_to(const Dimension& size) {
    return {0, size.get_max_length()};
}

}  // namespace fuseq
