// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_model.hpp"

namespace fuseq::quantizer {
namespace {

// One output an input.
Outputs outputs(const Shape& shape, const std::vector<std::vector<float>>& values) {
    Outputs result;
    for (const auto& list : values) {
        result.push_back({Tensor::of(shape, list)});
    }
    return result;
}

// Signal 100 + 100, noise 1 + 1: 20 dB.
TEST(Metrics, SqnrIsOverAllInputs) {
    EXPECT_DOUBLE_EQ(
        drop_of(DropMetric::kSqnr, outputs({1}, {{10}, {10}}), outputs({1}, {{9}, {11}})), -20);
    EXPECT_DOUBLE_EQ(drop_of(DropMetric::kSqnr, outputs({1}, {{10}}), outputs({1}, {{10}})), -200);
}

// (3, 4) and (4, 3): 24 / 25.
TEST(Metrics, CosineIsThatOfTheWorstInput) {
    EXPECT_NEAR(drop_of(DropMetric::kCosine, outputs({2}, {{1, 0}, {3, 4}}),
                        outputs({2}, {{2, 0}, {4, 3}})),
                0.04, 1e-12);
}

TEST(Metrics, Top1CountsInputsOfAnotherClass) {
    const Outputs exact = outputs({1, 3}, {{0, 1, 0}, {5, 1, 2}, {0, 0, 1}, {3, 2, 1}});
    const Outputs other = outputs({1, 3}, {{0, 2, 1}, {1, 5, 2}, {0, 0, 9}, {3, 2, 1}});
    EXPECT_DOUBLE_EQ(drop_of(DropMetric::kTop1, exact, other), 0.25);
}

// Image, class, confidence, corners. Of three boxes, one moves a little, one changes its class, and
// one below the confidence does not count: the changed one is lost, and one is too many.
TEST(Metrics, DetectionsNeedAPartner) {
    const Outputs exact = outputs({1, 1, 4, 7}, {{0,  1, 0.9f, 0, 0, 1, 1,  //
                                                  0,  2, 0.8f, 2, 2, 4, 4,  //
                                                  0,  1, 0.1f, 5, 5, 6, 6,  //
                                                  -1, 0, 0,    0, 0, 0, 0}});
    const Outputs other = outputs({1, 1, 4, 7}, {{0,  3, 0.8f, 2, 2, 4, 4,     //
                                                  0,  1, 0.7f, 0, 0, 1, 0.9f,  //
                                                  -1, 0, 0,    0, 0, 0, 0,     //
                                                  0,  1, 0.9f, 8, 8, 9, 9}});
    EXPECT_DOUBLE_EQ(drop_of(DropMetric::kDetections, exact, exact), 0);
    EXPECT_DOUBLE_EQ(drop_of(DropMetric::kDetections, exact, other), 2.0 / 3);
    // x0, y0, x1, y1, confidence.
    const Outputs boxes = outputs({1, 5}, {{0, 0, 2, 2, 0.9f}});
    const Outputs moved = outputs({1, 5}, {{1, 0, 3, 2, 0.9f}});  // 2 of 6 in common
    EXPECT_DOUBLE_EQ(drop_of(DropMetric::kDetections, boxes, moved), 1);
}

TEST(Metrics, RefuseWhatTheyCannotRead) {
    const Outputs three = outputs({3}, {{1, 2, 3}});
    EXPECT_THAT(test::message_of([&] { drop_of(DropMetric::kDetections, three, three); }),
                testing::HasSubstr("needs an output of 5 or 7 columns"));
    EXPECT_THAT(test::message_of([&] { drop_of(DropMetric::kSqnr, {}, {}); }),
                testing::HasSubstr("no outputs to compare"));
    EXPECT_THAT(
        test::message_of([&] { metric_from("psnr"); }),
        testing::HasSubstr("there is no metric 'psnr', only SQNR, cosine, top1, detections"));
}

}  // namespace
}  // namespace fuseq::quantizer
