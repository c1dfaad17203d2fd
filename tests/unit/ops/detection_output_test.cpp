// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Two priors, two classes (0 is the background), corner code.
const In kPriors = in_f32({1, 2, 8},
                          {0, 0, 0.5F, 0.5F, 0.5F, 0.5F, 1, 1,  //
                           1, 1, 1, 1, 1, 1, 1, 1});
const In kNoOffset = in_f32({1, 8}, {0, 0, 0, 0, 0, 0, 0, 0});
const In kScores = in_f32({1, 4}, {0.1F, 0.9F, 0.4F, 0.6F});
const std::string kCorner =
    "code_type=caffe.PriorBoxParameter.CORNER; nms_threshold=0.5; confidence_threshold=0.2; "
    "normalized=true; keep_top_k=3; ";

TEST(DetectionOutput, ListsDetectionsThenTheEnd) {
    for (const int opset : {1, 8}) {
        const auto out =
            run_op("DetectionOutput", opset, kCorner + (opset == 1 ? "num_classes=2" : ""),
                   {kNoOffset, kScores, kPriors});
        expect_tensor<float>(out[0], {1, 1, 3, 7}, {0,  1, 0.9F, 0,    0,    0.5F, 0.5F,  //
                                                    0,  1, 0.6F, 0.5F, 0.5F, 1,    1,     //
                                                    -1, 0, 0,    0,    0,    0,    0});
    }
}

TEST(DetectionOutput, SuppressesOverlaps) {
    // The second prior is moved onto the first.
    const In onto = in_f32({1, 8}, {0, 0, 0, 0, -0.5F, -0.5F, -0.5F, -0.5F});
    const auto out = run_op("DetectionOutput", 8, kCorner, {onto, kScores, kPriors});
    EXPECT_EQ(out[0].data<float>()[2], 0.9F);
    EXPECT_EQ(out[0].data<float>()[7], -1.0F);
}

TEST(DetectionOutput, KeepTopKTakesTheBestOfAllClasses) {
    // Three classes: labels 1 and 2 are detected, the best two are kept, ordered by label.
    const In scores = in_f32({1, 6}, {0, 0.3F, 0.9F, 0, 0.8F, 0.7F});
    const auto out = run_op("DetectionOutput", 8,
                            "nms_threshold=0.5; confidence_threshold=0.2; normalized=true; "
                            "keep_top_k=2",
                            {kNoOffset, scores, kPriors});
    expect_tensor<float>(out[0], {1, 1, 2, 7},
                         {0, 1, 0.8F, 0.5F, 0.5F, 1, 1,  //
                          0, 2, 0.9F, 0, 0, 0.5F, 0.5F});
}

TEST(DetectionOutput, TopKLimitsAClass) {
    const auto out =
        run_op("DetectionOutput", 8, "nms_threshold=0.5; normalized=true; keep_top_k=-1; top_k=1",
               {kNoOffset, kScores, kPriors});
    expect_tensor<float>(out[0], {1, 1, 2, 7},
                         {0, 1, 0.9F, 0, 0, 0.5F, 0.5F, -1, 0, 0, 0, 0, 0, 0});
}

TEST(DetectionOutput, CenterSizeUsesVariances) {
    const In priors = in_f32({1, 2, 4}, {0.25F, 0.25F, 0.75F, 0.75F, 0.1F, 0.1F, 0.2F, 0.2F});
    // x moves by 1 * 0.1 * 0.5; the width doubles: exp(5 ln 2 * 0.2).
    const In offset = in_f32({1, 4}, {1, 0, 3.4657359F, 0});
    const std::string common =
        "code_type=caffe.PriorBoxParameter.CENTER_SIZE; nms_threshold=0.5; normalized=true; "
        "keep_top_k=1; ";
    const In scores = in_f32({1, 2}, {0, 1});
    expect_near(run_op("DetectionOutput", 8, common, {offset, scores, priors})[0], {1, 1, 1, 7},
                {0, 1, 1, 0.05F, 0.25F, 1.05F, 0.75F});
    expect_near(
        run_op("DetectionOutput", 8, common + "clip_after_nms=true", {offset, scores, priors})[0],
        {1, 1, 1, 7}, {0, 1, 1, 0.05F, 0.25F, 1, 0.75F});
    const In encoded = in_f32({1, 4}, {0.1F, 0, 0.6931472F, 0});
    const In only_boxes = in_f32({1, 1, 4}, {0.25F, 0.25F, 0.75F, 0.75F});
    expect_near(run_op("DetectionOutput", 8, common + "variance_encoded_in_target=true",
                       {encoded, scores, only_boxes})[0],
                {1, 1, 1, 7}, {0, 1, 1, 0.05F, 0.25F, 1.05F, 0.75F});
}

TEST(DetectionOutput, PriorsInPixelsHaveFiveValues) {
    const In priors = in_f32({1, 2, 5}, {7, 10, 20, 50, 80, 1, 1, 1, 1, 0});
    expect_near(run_op("DetectionOutput", 8,
                       "nms_threshold=0.5; normalized=false; input_width=100; input_height=200; "
                       "keep_top_k=1",
                       {in_f32({1, 4}, {0, 0, 0, 0}), in_f32({1, 2}, {0, 1}), priors})[0],
                {1, 1, 1, 7}, {0, 1, 1, 0.1F, 0.1F, 0.5F, 0.4F});
}

TEST(DetectionOutput, LocationsOfEachClass) {
    const In priors = in_f32({1, 2, 4}, {0, 0, 0.5F, 0.5F, 1, 1, 1, 1});
    const In offset = in_f32({1, 8}, {9, 9, 9, 9, 0.25F, 0, 0.25F, 0});
    expect_tensor<float>(run_op("DetectionOutput", 8,
                                "nms_threshold=0.5; normalized=true; keep_top_k=1; "
                                "share_location=false",
                                {offset, in_f32({1, 2}, {0, 1}), priors})[0],
                         {1, 1, 1, 7}, {0, 1, 1, 0.25F, 0, 0.75F, 0.5F});
}

TEST(DetectionOutput, DecreaseLabelIdTakesTheBestClassOfAPrior) {
    const In scores = in_f32({1, 6}, {0.9F, 0.3F, 0.6F, 0, 0.8F, 0.7F});
    const auto out = run_op("DetectionOutput", 8,
                            "nms_threshold=0.5; normalized=true; keep_top_k=3; "
                            "decrease_label_id=true",
                            {kNoOffset, scores, kPriors});
    expect_tensor<float>(out[0], {1, 1, 3, 7}, {0,  0, 0.8F, 0.5F, 0.5F, 1,    1,     //
                                                0,  1, 0.6F, 0,    0,    0.5F, 0.5F,  //
                                                -1, 0, 0,    0,    0,    0,    0});
}

TEST(DetectionOutput, CascadeMovesPriorsAndDropsEmptyOnes) {
    // The first stage calls prior 1 empty and moves prior 0 by 0.25 in x.
    const In first_scores = in_f32({1, 4}, {0, 1, 1, 0.01F});
    const In first_boxes = in_f32({1, 8}, {0.25F, 0, 0.25F, 0, 0, 0, 0, 0});
    const In offset = in_f32({1, 8}, {0, 0.125F, 0, 0.125F, 0, 0, 0, 0});
    const auto out = run_op("DetectionOutput", 8, kCorner + "objectness_score=0.5",
                            {offset, kScores, kPriors, first_scores, first_boxes});
    expect_tensor<float>(out[0], {1, 1, 3, 7}, {0,  1, 0.9F, 0.25F, 0.125F, 0.75F, 0.625F,  //
                                                -1, 0, 0,    0,     0,      0,     0,       //
                                                0,  0, 0,    0,     0,      0,     0});
}

TEST(DetectionOutput, EveryImageForItself) {
    const In offset = in_f32({2, 8}, std::vector<float>(16, 0));
    const In scores = in_f32({2, 4}, {1, 0, 1, 0.5F, 1, 0.5F, 1, 0});
    const auto out = run_op("DetectionOutput", 8, kCorner, {offset, scores, kPriors});
    ASSERT_EQ(to_string(out[0].get_shape()), "[1,1,6,7]");
    const auto values = out[0].values<float>();
    EXPECT_EQ(values[0], 0);
    EXPECT_EQ(values[3], 0.5F);
    EXPECT_EQ(values[7], 1);
    EXPECT_EQ(values[10], 0);
    EXPECT_EQ(values[14], -1);
}

TEST(DetectionOutput, InfersOpenShapes) {
    const std::vector<In> inputs = {open(ElementType::f32, "[?,8]"),
                                    open(ElementType::f32, "[?,4]"),
                                    open(ElementType::f32, "[1,2,8]")};
    EXPECT_EQ(shape_of("DetectionOutput", 8, kCorner, inputs), "[1,1,?,7]");
    EXPECT_EQ(shape_of("DetectionOutput", 8, kCorner,
                       {open(ElementType::f32, "[1..4,8]"), inputs[1], inputs[2]}),
              "[1,1,3..12,7]");
}

TEST(DetectionOutput, RefusesSizesThatDoNotFit) {
    EXPECT_THAT(
        error_of("DetectionOutput", 8, kCorner, {in_f32({1, 4}, {0, 0, 0, 0}), kScores, kPriors}),
        HasSubstr("input 0 has 4 values an image, expected 8"));
    EXPECT_THAT(
        error_of("DetectionOutput", 1, kCorner + "num_classes=3", {kNoOffset, kScores, kPriors}),
        HasSubstr("2 classes, expected 3"));
    EXPECT_THAT(error_of("DetectionOutput", 8, kCorner, {kNoOffset, kScores, kPriors, kScores}),
                HasSubstr("has 4 inputs, expected 3 or 5"));
    EXPECT_THAT(error_of("DetectionOutput", 8, "nms_threshold=0.5; normalized=true; keep_top_k=-2",
                         {kNoOffset, kScores, kPriors}),
                HasSubstr("keep_top_k is -2"));
    EXPECT_THAT(error_of("DetectionOutput", 8, "nms_threshold=0.5; normalized=false; keep_top_k=1",
                         {kNoOffset, kScores, kPriors}),
                HasSubstr("expected a multiple of 5"));
    EXPECT_THAT(blind_error_of("DetectionOutput", 8, kCorner,
                               {in_f32({1, 4}, {0, 0, 0, 0}), kScores, kPriors}),
                HasSubstr("expected 8"));
}

}  // namespace
}  // namespace fuseq::test
