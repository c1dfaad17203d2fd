// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Random boxes are held against TFLite (tests/unit/readers_tflite/cases/detection.json).
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

constexpr const char* kOp = "TfliteDetectionPostProcess";
constexpr const char* kScales =
    "; nms_score_threshold=0.2; nms_iou_threshold=0.5; y_scale=10; x_scale=10; h_scale=5; "
    "w_scale=5";

std::string attributes(const std::string& counts) {
    return counts + kScales;
}

// Three boxes of size 1: the second covers 9/11 of what it shares with the first. Scores of the
// background and two classes.
std::vector<In> three_boxes() {
    return {in_f32({1, 3, 4}, std::vector<float>(12, 0.0F)),
            in_f32({1, 3, 3}, {0.9F, 0.8F, 0.3F, 0.1F, 0.7F, 0.6F, 0, 0.1F, 0.5F}),
            in_f32({3, 4}, {0.5F, 0.5F, 1, 1, 0.5F, 0.625F, 1, 1, 0.5F, 2.5F, 1, 1})};
}

TEST(TfliteDetectionPostProcess, TakesBoxesByTheirBestClass) {
    const auto out =
        run_op(kOp, 1, attributes("max_detections=3; max_classes_per_detection=1; num_classes=2"),
               three_boxes());
    expect_tensor<float>(out[0], {1, 3, 4}, {0, 0, 1, 1, 0, 2, 1, 3, 0, 0, 0, 0});
    expect_tensor<float>(out[1], {1, 3}, {0, 1, 0});
    expect_tensor<float>(out[2], {1, 3}, {0.8F, 0.5F, 0});
    expect_tensor<float>(out[3], {1}, {2});
}

TEST(TfliteDetectionPostProcess, GivesTheBestClassesOfABox) {
    const auto out =
        run_op(kOp, 1, attributes("max_detections=2; max_classes_per_detection=3; num_classes=2"),
               three_boxes());
    expect_tensor<float>(out[1], {1, 6}, {0, 1, 0, 1, 0, 0});
    expect_tensor<float>(out[2], {1, 6}, {0.8F, 0.3F, 0, 0.5F, 0.1F, 0});
    expect_tensor<float>(out[3], {1}, {2});
}

TEST(TfliteDetectionPostProcess, TakesEveryClassApart) {
    const std::string regular = "max_classes_per_detection=1; num_classes=2; use_regular_nms=true";
    const auto out = run_op(kOp, 1, attributes("max_detections=4; " + regular), three_boxes());
    expect_tensor<float>(out[0], {1, 4, 4},
                         {0, 0, 1, 1, 0, 0.125F, 1, 1.125F, 0, 2, 1, 3, 0, 0, 0, 0});
    expect_tensor<float>(out[1], {1, 4}, {0, 1, 1, 0});
    expect_tensor<float>(out[2], {1, 4}, {0.8F, 0.6F, 0.5F, 0});
    expect_tensor<float>(out[3], {1}, {3});
    const auto one_a_class = run_op(
        kOp, 1, attributes("max_detections=4; detections_per_class=1; " + regular), three_boxes());
    expect_tensor<float>(one_a_class[2], {1, 4}, {0.8F, 0.6F, 0, 0});
}

// y: 1 / 10 * 2 + 0.5, x: -2 / 10 * 4 + 1; height: 2 * exp(5 ln 2 / 5), width 4 * exp(0).
TEST(TfliteDetectionPostProcess, DecodesBoxesByTheirAnchors) {
    const std::vector<In> inputs{in_f32({1, 1, 5}, {1, -2, 3.4657359F, 0, 99}),
                                 in_f32({1, 1, 1}, {1}), in_f32({1, 4}, {0.5F, 1, 2, 4})};
    const auto out = run_op(
        kOp, 1, attributes("max_detections=1; max_classes_per_detection=1; num_classes=1"), inputs);
    EXPECT_THAT(out[0].values<float>(),
                Pointwise(FloatNear(1e-6F), std::vector<float>{-1.3F, -1.8F, 2.7F, 2.2F}));
}

TEST(TfliteDetectionPostProcess, RefusesWhatDoesNotFit) {
    const std::string counts = "max_detections=3; max_classes_per_detection=1; num_classes=2";
    EXPECT_THAT(
        error_of(kOp, 1, attributes("max_detections=0; max_classes_per_detection=1; num_classes=2"),
                 three_boxes()),
        HasSubstr("max_detections is 0"));
    EXPECT_THAT(
        error_of(kOp, 1, attributes("max_detections=3; max_classes_per_detection=1; num_classes=4"),
                 three_boxes()),
        HasSubstr("there are scores of 3 classes, num_classes is 4"));
    EXPECT_THAT(error_of(kOp, 1,
                         counts + "; nms_score_threshold=0; nms_iou_threshold=1.5; y_scale=1; "
                                  "x_scale=1; h_scale=1; w_scale=1",
                         three_boxes()),
                HasSubstr("nms_iou_threshold is 1.5"));
    std::vector<In> inputs = three_boxes();
    inputs[2] = in_f32({2, 4}, std::vector<float>(8, 1.0F));
    EXPECT_THAT(error_of(kOp, 1, attributes(counts), inputs),
                HasSubstr("input 2 has shape [2,4], expected [3,4]"));
    inputs[2] = in_f32({3, 4}, std::vector<float>(12, 0.0F));
    EXPECT_THAT(error_of(kOp, 1, attributes(counts), inputs),
                HasSubstr("box 0 from y 0, x 0 to y 0, x 0 has no area"));
}

}  // namespace
}  // namespace fuseq::test
