// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/matrix_nms.hpp"
#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Box 1 overlaps box 0 by 0.5 (half of it); box 2 stands apart.
const Tensor kBoxes = floats({1, 3, 4}, {0, 0, 4, 4, 0, 0, 4, 2, 8, 8, 9, 9});
const Tensor kScores = floats({1, 2, 3}, {0.8F, 0.6F, 0.5F, 0.9F, 0.1F, 0.7F});

TEST(MatrixNms, DecaysScores) {
    MatrixNmsAttrs attrs;
    attrs.background_class = 1;
    attrs.sort_result_type = SortResult::kScore;
    auto out = run_op("MatrixNms", 8, attrs, {kBoxes, kScores});
    // Box 1: 0.6 * (1 - 0.5) / 1.
    expect_values(out[0], {0, 0.8F, 0, 0, 4, 4, 0, 0.5F, 8, 8, 9, 9, 0, 0.3F, 0, 0, 4, 2});
    expect_ints(out[1], {0, 2, 1});
    expect_ints(out[2], {3});
    attrs.decay_function = DecayFunction::kGaussian;  // exp(-0.25 * 2)
    attrs.post_threshold = 0.36F;
    out = run_op("MatrixNms", 8, attrs, {kBoxes, kScores});
    expect_values(out[0], {0, 0.8F, 0, 0, 4, 4, 0, 0.5F, 8, 8, 9, 9, 0, 0.363918F, 0, 0, 4, 2});
    attrs.nms_top_k = 1;
    expect_ints(run_op("MatrixNms", 8, attrs, {kBoxes, kScores})[1], {0});
}

TEST(MulticlassNms, KeepsTheBestOfAllClasses) {
    MulticlassNmsAttrs attrs;
    attrs.iou_threshold = 0.4F;
    attrs.sort_result_type = SortResult::kClassId;
    attrs.output_type = element::i32;
    auto out = run_op("MulticlassNms", 8, attrs, {kBoxes, kScores});
    expect_ints(out[1], {0, 2, 0, 2});
    expect_ints(out[2], {4});
    attrs.keep_top_k = 3;
    attrs.sort_result_type = SortResult::kNone;
    out = run_op("MulticlassNms", 8, attrs, {kBoxes, kScores});
    expect_values(out[0], {1, 0.9F, 0, 0, 4, 4, 0, 0.8F, 0, 0, 4, 4, 1, 0.7F, 8, 8, 9, 9});
    attrs.iou_threshold = 0.5F;  // an overlap of 0.5 is not above it
    attrs.score_threshold = 0.6F;
    attrs.background_class = 1;
    expect_ints(run_op("MulticlassNms", 8, attrs, {kBoxes, kScores})[1], {0, 1});
}

TEST(MulticlassNms, AdaptsItsThreshold) {
    MulticlassNmsAttrs attrs;
    attrs.iou_threshold = 0.6F;
    attrs.background_class = 1;
    expect_ints(run_op("MulticlassNms", 8, attrs, {kBoxes, kScores})[2], {3});
    attrs.nms_eta = 0.5F;  // 0.3 once a box is kept
    expect_ints(run_op("MulticlassNms", 8, attrs, {kBoxes, kScores})[2], {2});
    attrs.nms_eta = 1.5F;
    EXPECT_THAT(refusal("MulticlassNms", 8, attrs, {open("[1,3,4]"), open("[1,2,3]")}),
                HasSubstr("nms_eta is 1.5"));
}

TEST(MulticlassNms, CountsBothEndPixelsWithoutNormalized) {
    MulticlassNmsAttrs attrs;
    attrs.normalized = false;
    attrs.background_class = 1;
    attrs.iou_threshold = 0.55F;  // 5 * 3 of 5 * 5 is 0.6
    expect_ints(run_op("MulticlassNms", 8, attrs, {kBoxes, kScores})[2], {2});
}

TEST(MulticlassNms, SortsAcrossTheBatch) {
    MulticlassNmsAttrs attrs;
    attrs.sort_result_type = SortResult::kScore;
    const Tensor boxes = floats({2, 1, 4}, {0, 0, 1, 1, 0, 0, 2, 2});
    const Tensor scores = floats({2, 1, 1}, {0.5F, 0.6F});
    expect_ints(run_op("MulticlassNms", 8, attrs, {boxes, scores})[1], {0, 1});
    attrs.sort_result_across_batch = true;
    const auto out = run_op("MulticlassNms", 8, attrs, {boxes, scores});
    expect_ints(out[1], {1, 0});
    expect_ints(out[2], {1, 1});
}

TEST(MulticlassNms, ReadsBoxesOfEveryClass) {
    MulticlassNmsAttrs attrs;
    attrs.iou_threshold = 0.4F;
    // Two classes, three boxes: two of the first image, one of the second.
    const Tensor boxes = floats({2, 3, 4}, {0, 0, 4, 4, 0, 0, 4, 2, 0, 0, 1, 1,  //
                                            0, 0, 1, 1, 5, 5, 6, 6, 0, 0, 2, 2});
    const Tensor scores = floats({2, 3}, {0.9F, 0.8F, 0.7F, 0.1F, 0.6F, 0.5F});
    const auto out = run_op("MulticlassNms", 9, attrs, {boxes, scores, i64s({2}, {2, 1})});
    expect_ints(out[2], {3, 2});
    expect_ints(out[1], {0, 3, 1, 4, 5});  // (box of all images) * 2 + class
    EXPECT_THAT(error_of([&] {
                    run_op("MulticlassNms", 9, attrs, {boxes, scores, i64s({2}, {2, 2})});
                }),
                HasSubstr("roisnum has the value 2"));
}

TEST(MulticlassNms, InfersRows) {
    MulticlassNmsAttrs attrs;
    EXPECT_EQ(shapes_of("MulticlassNms", 8, attrs, {open("[2,10,4]"), open("[2,3,10]")}),
              "[0..60,6] [0..60,1] [2]");
    attrs.nms_top_k = 4;
    attrs.keep_top_k = 5;
    EXPECT_EQ(shapes_of("MulticlassNms", 8, attrs, {open("[2,10,4]"), open("[2,3,10]")}),
              "[0..10,6] [0..10,1] [2]");
    EXPECT_THAT(refusal("MulticlassNms", 8, attrs, {open("[2,10,4]"), open("[2,3,11]")}),
                HasSubstr("expected [N,M,4] and [N,C,M]"));
    attrs.keep_top_k = -2;
    EXPECT_THAT(refusal("MulticlassNms", 8, attrs, {open("[2,10,4]"), open("[2,3,10]")}),
                HasSubstr("keep_top_k is -2"));
}

}  // namespace
}  // namespace fuseq::test
