// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Positions worked out by hand from the formulas of Interpolate-4.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "cpu/kernels/resize/resize.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using C = ResizeCoordinates;
using N = ResizeNearest;

TEST(ResizeAxis, NearestPositions) {
    EXPECT_THAT(nearest_axis(2, 4, 2.0, C::kHalfPixel, N::kRoundPreferFloor).low,
                ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(nearest_axis(2, 4, 2.0, C::kAsymmetric, N::kFloor).low, ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(nearest_axis(2, 4, 2.0, C::kAsymmetric, N::kCeil).low, ElementsAre(0, 1, 1, 1));
    // x / 2 = 0.5 is a tie at position 1.
    EXPECT_THAT(nearest_axis(2, 4, 2.0, C::kAsymmetric, N::kRoundPreferFloor).low,
                ElementsAre(0, 0, 1, 1));
    EXPECT_THAT(nearest_axis(2, 4, 2.0, C::kAsymmetric, N::kRoundPreferCeil).low,
                ElementsAre(0, 1, 1, 1));
    EXPECT_THAT(nearest_axis(5, 2, 0.4, C::kAsymmetric, N::kSimple).low, ElementsAre(0, 3));
    EXPECT_THAT(nearest_axis(3, 5, 5.0 / 3.0, C::kAlignCorners, N::kFloor).low,
                ElementsAre(0, 0, 1, 1, 2));
    EXPECT_THAT(nearest_axis(4, 2, 0.5, C::kTfHalfPixel, N::kFloor).low, ElementsAre(1, 3));
}

TEST(ResizeAxis, LinearPositions) {
    const ResizeAxis half = linear_axis(2, 4, 2.0, C::kHalfPixel);
    EXPECT_THAT(half.low, ElementsAre(0, 0, 0, 1));
    EXPECT_THAT(half.high, ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(half.weight, ElementsAre(0.0f, 0.25f, 0.75f, 0.0f));
    const ResizeAxis corners = linear_axis(3, 5, 5.0 / 3.0, C::kAlignCorners);
    EXPECT_THAT(corners.low, ElementsAre(0, 0, 1, 1, 2));
    EXPECT_THAT(corners.weight, ElementsAre(0.0f, 0.5f, 0.0f, 0.5f, 0.0f));
    EXPECT_THAT(linear_axis(3, 1, 1.0 / 3.0, C::kPytorchHalfPixel).weight, ElementsAre(0.0f));
    EXPECT_THAT(linear_axis(3, 1, 1.0 / 3.0, C::kHalfPixel).low, ElementsAre(1));
}

// One source element: every position is it, whatever the formula says.
TEST(ResizeAxis, OfOneElement) {
    for (const C c :
         {C::kHalfPixel, C::kPytorchHalfPixel, C::kAsymmetric, C::kTfHalfPixel, C::kAlignCorners}) {
        for (const N n :
             {N::kRoundPreferFloor, N::kRoundPreferCeil, N::kFloor, N::kCeil, N::kSimple}) {
            EXPECT_THAT(nearest_axis(1, 3, 3.0, c, n).low, Each(0u));
        }
        const ResizeAxis axis = linear_axis(1, 3, 3.0, c);
        EXPECT_THAT(axis.low, Each(0u));
        EXPECT_THAT(axis.high, Each(0u));
        EXPECT_THAT(axis.weight, Each(0.0f));
    }
}

// Positions (i + 0.5) / 2 of tf_half_pixel: 0.25, 0.75, 1.25, 1.75, 2.25, 2.75; the last is 2.
TEST(ResizeAxis, PositionsAfterTheEndAreTheLastElement) {
    const ResizeAxis axis = linear_axis(3, 6, 2.0, C::kTfHalfPixel);
    EXPECT_THAT(axis.low, ElementsAre(0, 0, 1, 1, 2, 2));
    EXPECT_THAT(axis.high, ElementsAre(1, 1, 2, 2, 2, 2));
    EXPECT_THAT(axis.weight, ElementsAre(0.25f, 0.75f, 0.25f, 0.75f, 0.0f, 0.0f));
    EXPECT_THAT(nearest_axis(3, 6, 2.0, C::kTfHalfPixel, N::kCeil).low,
                ElementsAre(1, 1, 2, 2, 2, 2));
    // Positions -0.25, 0.25: nothing stands before the first.
    EXPECT_THAT(nearest_axis(3, 2, 2.0, C::kHalfPixel, N::kFloor).low, ElementsAre(0, 0));
}

// The scale that the operation states need not be the ratio of lengths: 0, 1 / 1.5, 2 / 1.5, 2.
TEST(ResizeAxis, TheStatedScaleCounts) {
    EXPECT_THAT(nearest_axis(9, 4, 1.5, C::kAsymmetric, N::kFloor).low, ElementsAre(0, 0, 1, 2));
    // align_corners does not know a scale: 0, 8/3, 16/3, 8.
    EXPECT_THAT(nearest_axis(9, 4, 1.5, C::kAlignCorners, N::kRoundPreferFloor).low,
                ElementsAre(0, 3, 5, 8));
}

// `simple` rounds up when the axis shrinks and down when it grows.
TEST(ResizeAxis, SimpleDependsOnTheScale) {
    EXPECT_THAT(nearest_axis(7, 3, 0.4, C::kAsymmetric, N::kSimple).low, ElementsAre(0, 3, 5));
    EXPECT_THAT(nearest_axis(2, 5, 2.5, C::kAsymmetric, N::kSimple).low,
                ElementsAre(0, 0, 0, 1, 1));
}

std::string refusal(std::size_t src, std::size_t dst, double scale) {
    try {
        linear_axis(src, dst, scale, C::kHalfPixel);
        nearest_axis(src, dst, scale, C::kHalfPixel, N::kFloor);
        return "accepted";
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(ResizeAxis, Refuses) {
    EXPECT_EQ(refusal(2, 4, 2.0), "accepted");
    EXPECT_THAT(refusal(0, 4, 2.0), HasSubstr("resize kernel: 0 to 4 with scale 2"));
    EXPECT_THAT(refusal(4, 0, 2.0), HasSubstr("resize kernel: 4 to 0 with scale 2"));
    EXPECT_THAT(refusal((std::size_t{1} << 31) + 1, 4, 2.0), HasSubstr("2147483649 to 4"));
    for (const double scale : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_THAT(refusal(2, 4, scale), HasSubstr("2 to 4 with scale"));
    }
}

}  // namespace
}  // namespace fuseq::kernels
