// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/detection/box_overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

namespace fuseq::kernels {
namespace {

template <class T>
using Box = typename BoxColumns<T>::Box;

template <class T>
T side(T low, T high, T extra) {
    return high < low ? T{0} : high - low + extra;
}

template <class T>
T area(const Box<T>& b, T extra) {
    return b.x2 < b.x1 || b.y2 < b.y1 ? T{0} : side(b.x1, b.x2, extra) * side(b.y1, b.y2, extra);
}

// In the order in which the definition says it, one pair at a time.
template <class T>
T overlap(const Box<T>& a, const Box<T>& b, T extra) {
    const Box<T> common{std::max(a.x1, b.x1), std::max(a.y1, b.y1), std::min(a.x2, b.x2),
                        std::min(a.y2, b.y2), 0};
    const T both = area(common, extra);
    return a.area > 0 && b.area > 0 && both > 0 ? both / (a.area + b.area - both) : T{0};
}

// On a coarse grid, so that sides touch and overlaps are equal to thresholds; some are inside out.
template <class T>
Box<T> random_box(std::mt19937& random, T extra) {
    const auto at = [&] { return static_cast<T>(random() % 12) / 8; };
    Box<T> box{at(), at(), at(), at(), 0};
    if (random() % 8 != 0) {
        box = {std::min(box.x1, box.x2), std::min(box.y1, box.y2), std::max(box.x1, box.x2),
               std::max(box.y1, box.y2), 0};
    }
    box.area = area(box, extra);
    return box;
}

TEST(BoxOverlap, ByHand) {
    BoxColumns<float> kept;
    EXPECT_FALSE(overlaps_any(kept, {0, 0, 1, 1, 1}, 0.1f));
    kept.push_back({0, 0, 2, 2, 4});
    kept.push_back({10, 10, 11, 11, 1});
    // 2 of 4 + 4 - 2.
    EXPECT_TRUE(overlaps_any(kept, {1, 0, 3, 2, 4}, 0.33f));
    EXPECT_FALSE(overlaps_any(kept, {1, 0, 3, 2, 4}, 0.34f));
    EXPECT_FALSE(overlaps_any(kept, {2, 0, 4, 2, 4}, 0.0f));
    EXPECT_TRUE(overlaps_any(kept, {2, 0, 4, 2, 4}, -0.5f));
    kept.clear();
    EXPECT_FALSE(overlaps_any(kept, {1, 0, 3, 2, 4}, -0.5f));
}

TEST(BoxOverlap, FloatsLikeALoop) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    BoxColumns<float> columns;
    std::vector<Box<float>> boxes;
    for (std::size_t count = 0; count < 150; ++count) {
        for (const float threshold : {-0.1f, 0.0f, 0.25f, 0.5f, 0.9f}) {
            const auto box = random_box<float>(random, 0);
            const bool want = std::any_of(boxes.begin(), boxes.end(), [&](const auto& other) {
                return overlap<float>(box, other, 0) > threshold;
            });
            ASSERT_EQ(overlaps_any(columns, box, threshold), want) << count << ", " << threshold;
        }
        boxes.push_back(random_box<float>(random, 0));
        columns.push_back(boxes.back());
    }
}

TEST(BoxOverlap, DoublesLikeALoop) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (const double extra : {0.0, 1.0}) {
        BoxColumns<double> columns;
        std::vector<Box<double>> boxes;
        for (std::size_t count = 0; count < 150; ++count) {
            const auto box = random_box<double>(random, extra);
            const std::size_t first = random() % (count + 1);
            std::vector<double> got(count - first + 16, -1);
            overlaps(columns, box, extra, first, got.data());
            double most = -1;
            for (std::size_t i = 0; i < count; ++i) {
                const double want = overlap<double>(box, boxes[i], extra);
                most = std::max(most, want);
                if (i >= first) {
                    ASSERT_EQ(got[i - first], want) << count << ", " << i;
                }
            }
            for (const double threshold : {-0.1, 0.0, 0.25, 0.5, 0.9}) {
                ASSERT_EQ(overlaps_any(columns, box, extra, threshold), most > threshold);
            }
            boxes.push_back(random_box<double>(random, extra));
            columns.push_back(boxes.back());
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
