// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/resize/grid_sample.hpp"

#include <limits>

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;
using Line = std::vector<float>;

// Samples a line of four pixels at the given x.
Line sample(const GridSampleAttrs& attrs, const Line& xs) {
    std::vector<float> grid;
    for (const float x : xs) {
        grid.push_back(x);
        grid.push_back(0);
    }
    return to_floats(
        run_op("GridSample", 9, attrs,
               {floats({1, 1, 1, 4}, {0, 8, 16, 24}), floats({1, 1, xs.size(), 2}, grid)})[0]);
}

TEST(GridSample, InterpolatesBetweenPixels) {
    GridSampleAttrs attrs;
    // Positions ((x + 1) * 4 - 1) / 2: 1.5, 0.5, -0.5, 3.5.
    EXPECT_EQ(sample(attrs, {0, -0.5F, -1, 1}), (Line{12, 4, 0, 12}));
    attrs.padding_mode = GridPadding::kBorder;
    EXPECT_EQ(sample(attrs, {1, 9}), (Line{24, 24}));
    attrs.padding_mode = GridPadding::kReflection;
    EXPECT_EQ(sample(attrs, {1.25F, -2}), (Line{24, 12}));  // 4 is 3; -2.5 is 1.5
    attrs.align_corners = true;                             // positions (x + 1) / 2 * 3
    EXPECT_EQ(sample(attrs, {-1, 1, 1.5F, -3}), (Line{0, 24, 18, 24}));
}

TEST(GridSample, TakesTheNearestPixel) {
    GridSampleAttrs attrs;
    attrs.mode = GridSampleMode::kNearest;
    EXPECT_EQ(sample(attrs, {-0.5F, 0, 0.5F, 2}), (Line{0, 16, 16, 0}));  // 0.5, 1.5, 2.5, 5.5
    attrs.padding_mode = GridPadding::kBorder;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(sample(attrs, {1e30F, -1e30F, nan}), (Line{24, 0, 0}));
}

TEST(GridSample, Bicubic) {
    GridSampleAttrs attrs;
    attrs.mode = GridSampleMode::kBicubic;
    // Half-way: -0.09375, 0.59375, 0.59375, -0.09375.
    EXPECT_EQ(sample(attrs, {0}), (Line{12}));
    // At 0.5, what lies before the line is 0: 0.59375 * 8 - 0.09375 * 16.
    EXPECT_EQ(sample(attrs, {-0.5F}), (Line{3.25F}));
}

TEST(GridSample, KeepsImagesAndChannelsApart) {
    const auto out =
        run_op("GridSample", 9, GridSampleAttrs(),
               {floats({2, 2, 1, 1}, {1, 2, 3, 4}), floats({2, 1, 1, 2}, {0, 0, 0, 0})});
    EXPECT_EQ(out[0].get_shape(), (Shape{2, 2, 1, 1}));
    expect_values(out[0], {1, 2, 3, 4});
    EXPECT_EQ(shapes_of("GridSample", 9, GridSampleAttrs(), {open("[?,3,?,?]"), open("[2,7,5,2]")}),
              "[2,3,7,5]");
    EXPECT_THAT(refusal("GridSample", 9, GridSampleAttrs(), {open("[1,3,4,4]"), open("[2,7,5,2]")}),
                HasSubstr("expected [N,C,H,W] and [N,H,W,2]"));
}

}  // namespace
}  // namespace fuseq::test
