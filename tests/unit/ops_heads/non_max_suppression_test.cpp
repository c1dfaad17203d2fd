// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/non_max_suppression.hpp"

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Box 1 covers 0.9 of box 0; box 2 stands apart, its corners are given the other way round.
const Tensor kBoxes = floats({1, 3, 4}, {0, 0, 1, 1, 0, 0, 1, 0.9F, 3, 3, 2, 2});
const Tensor kScores = floats({1, 2, 3}, {0.8F, 0.9F, 0.7F, 0.5F, 0.1F, 0.3F});

std::vector<Tensor> arguments(std::int64_t most, float iou, float score) {
    return {kBoxes, kScores, i64s({}, {most}), floats({}, {iou}), floats({1}, {score})};
}

TEST(NonMaxSuppression, KeepsTheBestOfOverlappingBoxes) {
    NonMaxSuppression5Attrs attrs;
    attrs.sort_result_descending = false;
    auto out = run_op("NonMaxSuppression", 5, attrs, arguments(5, 0.5F, 0.1F), {2});
    expect_ints(out[0], {0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 1, 2});
    expect_values(out[1], {0, 0, 0.9F, 0, 0, 0.7F, 0, 1, 0.5F, 0, 1, 0.3F});
    expect_ints(out[2], {4});
    attrs.sort_result_descending = true;
    attrs.output_type = element::i32;
    out = run_op("NonMaxSuppression", 9, attrs, arguments(1, 0.5F, 0), {2});
    expect_ints(out[0], {0, 0, 1, 0, 1, 0});
    out = run_op("NonMaxSuppression", 9, attrs, arguments(5, 0.9F, 0));  // 0.9 is not above 0.9
    expect_ints(out[2], {6});
    expect_ints(out[0], {0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1, 2, 0, 1, 1});
}

TEST(NonMaxSuppression, ScoreMustBeAboveTheThreshold) {
    const auto out =
        run_op("NonMaxSuppression", 9, NonMaxSuppression5Attrs(), arguments(5, 0.5F, 0.7F));
    expect_ints(out[0], {0, 0, 1});
    EXPECT_EQ(
        to_ints(run_op("NonMaxSuppression", 9, NonMaxSuppression5Attrs(), {kBoxes, kScores})[2]),
        (std::vector<std::int64_t>{0}));
}

TEST(NonMaxSuppression, SoftSuppressionLowersScores) {
    std::vector<Tensor> inputs = arguments(5, 1, 0.32F);
    inputs.push_back(floats({}, {0.5F}));
    const auto out =
        run_op("NonMaxSuppression", 5, NonMaxSuppression5Attrs(), inputs, {2, 3, 4, 5});
    // 0.8 * exp(-0.5 * 0.9^2 / 0.5); class 1: box 0 alone is above 0.32.
    expect_ints(out[0], {0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 0, 0});
    expect_values(out[1], {0, 0, 0.9F, 0, 0, 0.7F, 0, 1, 0.5F, 0, 0, 0.355887F}, 1e-5F);
}

TEST(NonMaxSuppression, ReadsCentres) {
    NonMaxSuppression5Attrs attrs;
    attrs.box_encoding = BoxEncoding::kCenter;
    // As corners these would not overlap: [0,0,4,4] and [1,1,5,5] overlap by 9 / 23.
    const Tensor boxes = floats({1, 2, 4}, {2, 2, 4, 4, 3, 3, 4, 4});
    const Tensor scores = floats({1, 1, 2}, {0.5F, 0.6F});
    const auto run = [&](float iou) {
        return to_ints(run_op("NonMaxSuppression", 5, attrs,
                              {boxes, scores, i64s({1}, {9}), floats({1}, {iou})})[2]);
    };
    EXPECT_EQ(run(0.38F), (std::vector<std::int64_t>{1}));
    EXPECT_EQ(run(0.40F), (std::vector<std::int64_t>{2}));
}

TEST(NonMaxSuppression, FillsFixedRows) {
    const auto out =
        run_op("NonMaxSuppression", 4, NonMaxSuppression3Attrs(), arguments(2, 0.5F, 0.35F), {2});
    expect_ints(out[0], {0, 0, 1, 0, 0, 2, 0, 1, 0, -1, -1, -1});
    const auto old =
        run_op("NonMaxSuppression", 1, NonMaxSuppressionAttrs(), arguments(1, 0.5F, 0.75F), {2});
    expect_ints(old[0], {0, 0, 1, -1, -1, -1});
    NonMaxSuppression5Attrs attrs;
    attrs.pad_rows = true;
    const auto padded = run_op("NonMaxSuppression", 5, attrs, arguments(1, 0.5F, 0.75F), {2});
    expect_ints(padded[0], {0, 0, 1, -1, -1, -1});
    expect_values(padded[1], {0, 0, 0.9F, -1, -1, -1});
    expect_ints(padded[2], {1});
}

TEST(NonMaxSuppression, InfersRows) {
    const NonMaxSuppression5Attrs attrs;
    const auto shapes = [&](int opset, const auto& a, const std::string& boxes,
                            const std::string& scores) {
        return shapes_of("NonMaxSuppression", opset, a,
                         {open(boxes), open(scores), i64s({}, {10})});
    };
    EXPECT_EQ(shapes(5, attrs, "[2,100,4]", "[2,3,100]"), "[0..60,3] [0..60,3] [1]");
    EXPECT_EQ(shapes(4, NonMaxSuppression3Attrs(), "[2,100,4]", "[2,3,100]"), "[60,3]");
    EXPECT_EQ(shapes(3, NonMaxSuppression3Attrs(), "[2,100,4]", "[2,3,100]"), "[30,3]");
    EXPECT_EQ(shapes(9, attrs, "[?,?,4]", "[...]"), "[?,3] [?,3] [1]");
    NonMaxSuppression5Attrs padded;
    padded.pad_rows = true;
    EXPECT_EQ(shapes(5, padded, "[2,100,4]", "[2,3,100]"), "[60,3] [60,3] [1]");
}

TEST(NonMaxSuppression, RefusesWhatDoesNotFit) {
    const NonMaxSuppression5Attrs attrs;
    EXPECT_THAT(refusal("NonMaxSuppression", 9, attrs, {open("[1,5,4]"), open("[1,2,6]")}),
                HasSubstr("expected [N,B,4] and [N,C,B]"));
    EXPECT_THAT(
        refusal("NonMaxSuppression", 9, attrs, {open("[1,5,4]"), open("[1,2,5]"), i64s({}, {-1})}),
        HasSubstr("max_output_boxes_per_class is -1"));
    EXPECT_THAT(refusal("NonMaxSuppression", 9, attrs,
                        {open("[1,5,4]"), open("[1,2,5]"), i64s({2}, {1, 2})}),
                HasSubstr("has shape [2], expected one element"));
}

}  // namespace
}  // namespace fuseq::test
