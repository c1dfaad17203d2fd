// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/detectron.hpp"

#include <cmath>

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kPriorGrid = "ExperimentalDetectronPriorGridGenerator";
constexpr const char* kProposals = "ExperimentalDetectronGenerateProposalsSingleImage";
constexpr const char* kTopKRois = "ExperimentalDetectronTopKROIs";
constexpr const char* kRoiFeatures = "ExperimentalDetectronROIFeatureExtractor";
constexpr const char* kDetectionOutput = "ExperimentalDetectronDetectionOutput";

Tensor filled(const Shape& shape, float value) {
    return floats(shape, std::vector<float>(shape_size(shape), value));
}

TEST(DetectronPriorGrid, PutsPriorsIntoEveryCell) {
    DetectronPriorGridAttrs attrs;
    const Tensor priors = floats({1, 4}, {-1, -2, 1, 2});
    const Tensor map = filled({1, 3, 1, 2}, 0);
    const Tensor image = filled({1, 3, 4, 8}, 0);
    const auto flat = run_op(kPriorGrid, 6, attrs, {priors, map, image});
    EXPECT_EQ(flat[0].get_shape(), (Shape{2, 4}));
    expect_values(flat[0], {1, 0, 3, 4, 5, 0, 7, 4});
    attrs.flatten = false;
    attrs.h = 1;
    attrs.w = 1;
    attrs.stride_x = 6;
    const auto cells = run_op(kPriorGrid, 6, attrs, {priors, map, image});
    EXPECT_EQ(cells[0].get_shape(), (Shape{1, 1, 1, 4}));
    expect_values(cells[0], {2, 0, 4, 4});
}

TEST(DetectronPriorGrid, InfersAndRefuses) {
    DetectronPriorGridAttrs attrs;
    EXPECT_EQ(
        shapes_of(kPriorGrid, 6, attrs, {open("[3,4]"), open("[1,8,5,6]"), open("[1,3,?,?]")}),
        "[90,4]");
    EXPECT_THAT(refusal(kPriorGrid, 6, attrs, {open("[3,5]"), open("[1,8,5,6]"), open("[...]")}),
                HasSubstr("expected [P,4]"));
    EXPECT_THAT(refusal(kPriorGrid, 6, attrs, {open("[3,4]"), open("[8,5,6]"), open("[...]")}),
                HasSubstr("expected rank 4"));
    attrs.stride_y = -1;
    EXPECT_THAT(refusal(kPriorGrid, 6, attrs, {open("[3,4]"), open("[...]"), open("[...]")}),
                HasSubstr("stride_x or stride_y is -1"));
    attrs.h = -1;
    EXPECT_THAT(refusal(kPriorGrid, 6, attrs, {open("[3,4]"), open("[...]"), open("[...]")}),
                HasSubstr("h and w are -1 and 0"));
}

// Two equal anchors and one that leaves the image.
struct ProposalCase {
    DetectronProposalsAttrs attrs;
    Tensor info = floats({3}, {10, 10, 1});
    Tensor anchors = floats({3, 4}, {0, 0, 3, 3, 0, 0, 3, 3, 5, 5, 8, 20});
    Tensor deltas = filled({12, 1, 1}, 0);
    Tensor scores = floats({3, 1, 1}, {0.5F, 0.9F, 0.7F});
    ProposalCase() {
        attrs.nms_threshold = 0.5F;
        attrs.pre_nms_count = 10;
        attrs.post_nms_count = 3;
    }
    std::vector<Tensor> run() const {
        return run_op(kProposals, 6, attrs, {info, anchors, deltas, scores});
    }
};

TEST(DetectronProposals, SuppressesAndClips) {
    ProposalCase test;
    auto out = test.run();
    expect_values(out[0], {0, 0, 3, 3, 5, 5, 8, 9, 0, 0, 0, 0});
    expect_values(out[1], {0.9F, 0.7F, 0});
    test.attrs.pre_nms_count = 1;
    out = test.run();
    expect_values(out[1], {0.9F, 0, 0});
    test.attrs.pre_nms_count = 10;
    test.attrs.nms_threshold = 1;
    out = test.run();
    expect_values(out[1], {0.9F, 0.7F, 0.5F});
    // Boxes that are too small lose their score, not their place.
    test.attrs.min_size = 5;
    out = test.run();
    expect_values(out[1], {0, 0, 0});
    expect_values(out[0], {0, 0, 3, 3, 0, 0, 3, 3, 5, 5, 8, 9});
}

TEST(DetectronProposals, MovesAnchors) {
    ProposalCase test;
    test.attrs.post_nms_count = 1;
    // One step of 4 to the right by a quarter, twice as wide; the best anchor is number 1.
    std::vector<float> deltas(12, 0);
    deltas[4] = 0.25F;
    deltas[6] = std::log(2.0F);
    test.deltas = floats({12, 1, 1}, deltas);
    expect_values(test.run()[0], {0, 0, 6, 3});
    // Growth is limited to 1000 / 16.
    deltas[4] = 0;
    deltas[6] = 100;
    test.info = floats({3}, {10, 1000, 1});
    test.deltas = floats({12, 1, 1}, deltas);
    expect_values(test.run()[0], {0, 0, 126, 3});
}

TEST(DetectronProposals, InfersAndRefuses) {
    DetectronProposalsAttrs attrs;
    attrs.post_nms_count = 7;
    EXPECT_EQ(shapes_of(kProposals, 6, attrs,
                        {open("[3]"), open("[?,4]"), open("[12,?,?]"), open("[3,?,?]")}),
              "[7,4] [7]");
    EXPECT_THAT(refusal(kProposals, 6, attrs,
                        {open("[3]"), open("[24,4]"), open("[12,4,2]"), open("[3,4,3]")}),
                HasSubstr("expected [3], [H*W*A,4]"));
    attrs.pre_nms_count = 0;
    EXPECT_THAT(
        refusal(kProposals, 6, attrs, {open("[3]"), open("[...]"), open("[...]"), open("[...]")}),
        HasSubstr("pre_nms_count is 0"));
}

TEST(DetectronTopKRois, OrdersByScore) {
    DetectronTopKRoisAttrs attrs;
    attrs.max_rois = 2;
    const Tensor rois = floats({3, 4}, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6});
    const Tensor scores = floats({3}, {0.2F, 0.1F, 0.9F});
    expect_values(run_op(kTopKRois, 6, attrs, {rois, scores})[0], {5, 5, 6, 6, 1, 1, 2, 2});
    attrs.max_rois = 4;
    const Tensor nan = floats({3}, {0.2F, std::nanf(""), 0.9F});
    expect_values(run_op(kTopKRois, 6, attrs, {rois, nan})[0],
                  {5, 5, 6, 6, 1, 1, 2, 2, 3, 3, 4, 4, 0, 0, 0, 0});
    EXPECT_EQ(shapes_of(kTopKRois, 6, attrs, {open("[?,4]"), open("[?]")}), "[4,4]");
    EXPECT_THAT(refusal(kTopKRois, 6, attrs, {open("[3,4]"), open("[2]")}),
                HasSubstr("expected [N,4] and [N]"));
    attrs.max_rois = -1;
    EXPECT_THAT(refusal(kTopKRois, 6, attrs, {open("[3,4]"), open("[3]")}),
                HasSubstr("max_rois is -1"));
}

TEST(DetectronRoiFeatures, TakesTheLevelBySize) {
    DetectronRoiFeaturesAttrs attrs;
    attrs.sampling_ratio = 2;
    attrs.pyramid_scales = {4, 8};
    // A small region, a large one, one without an area.
    const Tensor regions = floats({3, 4}, {8, 8, 58, 58, 0, 0, 224, 224, 9, 9, 9, 30});
    const auto out = run_op(kRoiFeatures, 6, attrs,
                            {regions, filled({1, 1, 30, 30}, 1), filled({1, 1, 30, 30}, 2)});
    EXPECT_EQ(out[0].get_shape(), (Shape{3, 1, 1, 1}));
    expect_values(out[0], {1, 2, 0});
    expect_values(out[1], to_floats(regions));
}

TEST(DetectronRoiFeatures, SamplesAndAligns) {
    DetectronRoiFeaturesAttrs attrs;
    attrs.output_size = 2;
    attrs.sampling_ratio = 1;
    attrs.pyramid_scales = {8};
    std::vector<float> ramp(16);
    for (std::size_t i = 0; i < 16; ++i) {
        ramp[i] = static_cast<float>(i % 4);
    }
    const std::vector<Tensor> inputs = {floats({1, 4}, {8, 8, 24, 24}), floats({1, 1, 4, 4}, ramp)};
    expect_values(run_op(kRoiFeatures, 6, attrs, inputs)[0], {1.5F, 2.5F, 1.5F, 2.5F});
    attrs.aligned = true;
    expect_values(run_op(kRoiFeatures, 6, attrs, inputs)[0], {1, 2, 1, 2});
}

TEST(DetectronRoiFeatures, InfersAndRefuses) {
    DetectronRoiFeaturesAttrs attrs;
    attrs.output_size = 7;
    attrs.pyramid_scales = {4, 8};
    EXPECT_EQ(shapes_of(kRoiFeatures, 6, attrs,
                        {open("[?,4]"), open("[1,?,50,60]"), open("[1,16,25,30]")}),
              "[?,16,7,7] [?,4]");
    EXPECT_THAT(refusal(kRoiFeatures, 6, attrs, {open("[5,4]"), open("[1,8,50,60]")}),
                HasSubstr("pyramid_scales has 2 values for 1 feature maps"));
    EXPECT_THAT(
        refusal(kRoiFeatures, 6, attrs, {open("[5,4]"), open("[1,8,50,60]"), open("[1,16,25,30]")}),
        HasSubstr("feature map 1 has shape [1,16,25,30]"));
    attrs.pyramid_scales = {4, 0};
    EXPECT_THAT(refusal(kRoiFeatures, 6, attrs, {open("[5,4]"), open("[...]"), open("[...]")}),
                HasSubstr("pyramid_scales has the value 0"));
    attrs.output_size = 0;
    EXPECT_THAT(refusal(kRoiFeatures, 6, attrs, {open("[5,4]"), open("[...]"), open("[...]")}),
                HasSubstr("output_size is 0"));
}

DetectronDetectionOutputAttrs two_classes() {
    DetectronDetectionOutputAttrs attrs;
    attrs.score_threshold = 0.25F;
    attrs.nms_threshold = 0.5F;
    attrs.num_classes = 3;
    attrs.post_nms_count = 5;
    attrs.max_detections_per_image = 4;
    attrs.max_delta_log_wh = 4;
    attrs.deltas_weights = {10, 10, 5, 5};
    return attrs;
}

// Two regions that overlap, one apart, one without an area. Class 0 is the background.
const Tensor kRegions = floats({4, 4}, {0, 0, 9, 9, 0, 0, 9, 8, 20, 20, 29, 29, 3, 3, 3, 8});
const Tensor kScores =
    floats({4, 3}, {0.9F, 0.6F, 0.1F, 0.9F, 0.7F, 0.3F, 0.9F, 0.5F, 0.8F, 0.9F, 0.95F, 0.95F});
const Tensor kInfo = floats({1, 3}, {25, 40, 1});

TEST(DetectronDetectionOutput, SuppressesClassByClass) {
    DetectronDetectionOutputAttrs attrs = two_classes();
    const auto out =
        run_op(kDetectionOutput, 6, attrs, {kRegions, filled({4, 12}, 0), kScores, kInfo});
    expect_values(out[0], {0, 0, 9, 8, 20, 20, 29, 24, 20, 20, 29, 24, 0, 0, 9, 8});
    EXPECT_EQ(to_ints(out[1]), (std::vector<std::int64_t>{1, 1, 2, 2}));
    expect_values(out[2], {0.7F, 0.5F, 0.8F, 0.3F});
    attrs.max_detections_per_image = 2;
    const auto best =
        run_op(kDetectionOutput, 6, attrs, {kRegions, filled({4, 12}, 0), kScores, kInfo});
    EXPECT_EQ(to_ints(best[1]), (std::vector<std::int64_t>{2, 1}));
    expect_values(best[2], {0.8F, 0.7F});
    attrs.max_detections_per_image = 3;
    attrs.post_nms_count = 1;
    const auto one =
        run_op(kDetectionOutput, 6, attrs, {kRegions, filled({4, 12}, 0), kScores, kInfo});
    EXPECT_EQ(to_ints(one[1]), (std::vector<std::int64_t>{1, 2, 0}));
    expect_values(one[2], {0.7F, 0.8F, 0});
}

TEST(DetectronDetectionOutput, MovesBoxesByWeightedDeltas) {
    const DetectronDetectionOutputAttrs attrs = two_classes();
    // Of region 2 and class 2: 2 of 10 sides to the left, half as high.
    std::vector<float> deltas(48, 0);
    deltas[(2 * 3 + 2) * 4] = -2;
    deltas[(2 * 3 + 2) * 4 + 3] = 5 * std::log(0.5F);
    const Tensor info = floats({1, 3}, {100, 100, 1});
    const auto out =
        run_op(kDetectionOutput, 6, attrs, {kRegions, floats({4, 12}, deltas), kScores, info});
    const std::vector<float> boxes = to_floats(out[0]);
    const std::vector<float> box(boxes.begin() + 8, boxes.begin() + 12);
    EXPECT_THAT(box, testing::Pointwise(testing::FloatNear(1e-4F),
                                        std::vector<float>{18, 22.5F, 27, 26.5F}));
}

// The background, class 0, comes out neither way.
TEST(DetectronDetectionOutput, TakesClassAgnosticRegression) {
    DetectronDetectionOutputAttrs attrs = two_classes();
    const std::vector<Tensor> inputs = {kRegions, filled({4, 12}, 0), kScores, kInfo};
    const auto plain = run_op(kDetectionOutput, 6, attrs, inputs);
    attrs.class_agnostic_box_regression = true;
    const auto agnostic = run_op(kDetectionOutput, 6, attrs, inputs);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_TRUE(same_bytes(plain[i], agnostic[i])) << "output " << i;
    }
}

TEST(DetectronDetectionOutput, InfersAndRefuses) {
    DetectronDetectionOutputAttrs attrs = two_classes();
    const std::vector<Input> inputs = {open("[?,4]"), open("[?,12]"), open("[?,3]"), open("[1,3]")};
    EXPECT_EQ(shapes_of(kDetectionOutput, 6, attrs, inputs), "[4,4] [4] [4]");
    EXPECT_THAT(refusal(kDetectionOutput, 6, attrs,
                        {open("[?,4]"), open("[?,8]"), open("[?,3]"), open("[1,3]")}),
                HasSubstr("expected [N,4], [N,12], [N,3] and [1,3]"));
    attrs.deltas_weights = {1, 1, 1};
    EXPECT_THAT(refusal(kDetectionOutput, 6, attrs, inputs), HasSubstr("has 3 values"));
    attrs.deltas_weights = {1, 1, 1, 0};
    EXPECT_THAT(refusal(kDetectionOutput, 6, attrs, inputs), HasSubstr("has the value 0"));
    attrs.num_classes = 0;
    EXPECT_THAT(refusal(kDetectionOutput, 6, attrs, inputs), HasSubstr("num_classes is 0"));
}

}  // namespace
}  // namespace fuseq::test
