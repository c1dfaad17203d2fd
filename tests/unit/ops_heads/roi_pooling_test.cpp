// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/roi_pooling.hpp"

#include <limits>

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

Tensor counting(const Shape& shape) {
    std::vector<float> values(shape_size(shape));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i);
    }
    return floats(shape, values);
}

const Tensor kFeatures = counting({1, 1, 4, 4});
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(RoiPooling, TakesTheLargestOfEveryPart) {
    RoiPoolingAttrs attrs;
    attrs.pooled_h = 2;
    attrs.pooled_w = 2;
    attrs.spatial_scale = 0.5F;
    // Cells 0 to 3 of both axes; one cell; a region outside; NaN.
    const Tensor regions = floats({4, 5}, {0, 0,  0,  6,  6,  0, 2,    2,    2,    2,  //
                                           0, 40, 40, 60, 60, 0, kNan, kNan, kNan, kNan});
    const auto out = run_op("ROIPooling", 2, attrs, {kFeatures, regions});
    const std::vector<float> values = to_floats(out[0]);
    EXPECT_EQ(std::vector<float>(values.begin(), values.begin() + 12),
              (std::vector<float>{5, 7, 13, 15, 5, 5, 5, 5, 0, 0, 0, 0}));
}

TEST(RoiPooling, InterpolatesSamples) {
    RoiPoolingAttrs attrs;
    attrs.output_size = {2, 2};
    attrs.method = RoiPoolingMethod::kBilinear;
    const Tensor regions = floats({2, 5}, {0, 0, 0, 1, 1, 0, 0.5F, 0, 2, 0.5F});
    expect_values(run_op("ROIPooling", 2, attrs, {kFeatures, regions})[0],
                  {0, 3, 12, 15, 1.5F, 0, 7.5F, 0});
    attrs.output_size = {1, 1};
    expect_values(run_op("ROIPooling", 2, attrs, {kFeatures, floats({1, 5}, {0, 0, 0, 1, 1})})[0],
                  {7.5F});
}

// Proposal gives fewer regions than it has rows: -1 and zeros after the last one.
TEST(RoiPooling, StopsAtTheEndOfTheList) {
    RoiPoolingAttrs attrs;
    attrs.pooled_h = 1;
    attrs.pooled_w = 1;
    attrs.spatial_scale = 1;
    const Tensor regions = floats({3, 5}, {0, 0, 0, 3, 3, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    expect_values(run_op("ROIPooling", 2, attrs, {kFeatures, regions})[0], {15, 0, 0});
    const Tensor none = floats({2, 5}, {-1, 0, 0, 3, 3, 0, 0, 0, 3, 3});
    expect_values(run_op("ROIPooling", 2, attrs, {kFeatures, none})[0], {0, 0});
}

TEST(PsRoiPooling, StopsAtTheEndOfTheList) {
    PsRoiPoolingAttrs attrs;
    attrs.group_size = 1;
    const Tensor regions = floats({3, 5}, {0, 0, 0, 3, 3, -1, 0, 0, 0, 0, 0, 0, 0, 3, 3});
    expect_values(run_op("PSROIPooling", 1, attrs, {kFeatures, regions})[0], {7.5F, 0, 0});
}

TEST(RoiPooling, InfersAndRefuses) {
    RoiPoolingAttrs attrs;
    EXPECT_THAT(refusal("ROIPooling", 2, attrs, {open("[1,2,4,4]"), open("[3,5]")}),
                HasSubstr("pooled_h is 0"));
    attrs.pooled_h = 6;
    attrs.pooled_w = 5;
    EXPECT_EQ(shapes_of("ROIPooling", 2, attrs, {open("[1,2,?,?]"), open("[?,5]")}), "[?,2,6,5]");
    RoiPoolingAttrs newer;
    newer.output_roi = {6, 5};
    EXPECT_EQ(shapes_of("ROIPooling", 2, newer, {open("[1,2,?,?]"), open("[?,5]")}), "[?,2,6,5]");
    newer.output_roi = {6};
    EXPECT_THAT(refusal("ROIPooling", 2, newer, {open("[1,2,4,4]"), open("[3,5]")}),
                HasSubstr("output_roi has 1 values, expected 2"));
    EXPECT_THAT(refusal("ROIPooling", 2, attrs, {open("[1,2,4,4]"), open("[3,4]")}),
                HasSubstr("expected [R,5]"));
    EXPECT_THAT(error_of([&] {
                    run_op("ROIPooling", 2, attrs, {kFeatures, floats({1, 5}, {1, 0, 0, 1, 1})});
                }),
                HasSubstr("a region names image 1, but there are 1"));
}

TEST(PsRoiPooling, AveragesChannelsOfItsOwn) {
    PsRoiPoolingAttrs attrs;
    attrs.group_size = 2;
    const Tensor features = counting({1, 4, 4, 4});
    // Cells 0 to 3 of both axes: channel c gives the mean of quarter c.
    const auto out = run_op("PSROIPooling", 1, attrs,
                            {features, floats({2, 5}, {0, 0, 0, 3, 3, 0, kNan, 0, kNan, 3})});
    const std::vector<float> values = to_floats(out[0]);
    EXPECT_EQ(std::vector<float>(values.begin(), values.begin() + 4),
              (std::vector<float>{2.5F, 20.5F, 42.5F, 60.5F}));
}

TEST(PsRoiPooling, InterpolatesBins) {
    PsRoiPoolingAttrs attrs;
    attrs.mode = PsRoiPoolingMode::kBilinear;
    attrs.spatial_bins_x = 2;
    attrs.group_size = 1;
    // Bins of half the width: middles at x = 0.75 and 2.25, y = 1.5, from channels 0 and 1.
    const auto out =
        run_op("PSROIPooling", 1, attrs, {counting({1, 2, 4, 4}), floats({1, 5}, {0, 0, 0, 1, 1})});
    expect_values(out[0], {(6.75F + 24.25F) / 2});
}

TEST(PsRoiPooling, InfersAndRefuses) {
    PsRoiPoolingAttrs attrs;
    attrs.output_dim = 3;
    attrs.group_size = 7;
    EXPECT_EQ(shapes_of("PSROIPooling", 1, attrs, {open("[1,147,?,?]"), open("[9,5]")}),
              "[9,3,7,7]");
    EXPECT_THAT(refusal("PSROIPooling", 1, attrs, {open("[1,146,4,4]"), open("[9,5]")}),
                HasSubstr("features have 146 channels, expected 147"));
    attrs.group_size = 0;
    EXPECT_THAT(refusal("PSROIPooling", 1, attrs, {open("[1,147,4,4]"), open("[9,5]")}),
                HasSubstr("group_size is 0"));
}

TEST(RoiAlign, PoolsSamples) {
    RoiAlignAttrs attrs;
    attrs.pooled_h = 1;
    attrs.pooled_w = 2;
    attrs.sampling_ratio = 1;
    const Tensor region = floats({1, 4}, {0, 0, 2, 2});
    const Tensor first = i64s({1}, {0});
    // Samples at y = 1, x = 0.5 and 1.5.
    expect_values(run_op("ROIAlign", 3, attrs, {kFeatures, region, first})[0], {4.5F, 5.5F});
    attrs.sampling_ratio = 2;  // y = 0.5 and 1.5; x = 0.25, 0.75 and 1.25, 1.75
    expect_values(run_op("ROIAlign", 3, attrs, {kFeatures, region, first})[0], {4.5F, 5.5F});
    attrs.mode = RoiAlignMode::kMax;
    expect_values(run_op("ROIAlign", 3, attrs, {kFeatures, region, first})[0], {6.75F, 7.75F});
    attrs.sampling_ratio = 0;  // as many as the part has cells: 2 by 1
    expect_values(run_op("ROIAlign", 3, attrs, {kFeatures, region, first})[0], {6.5F, 7.5F});
}

TEST(RoiAlign, ShiftsByHalfAPixel) {
    RoiAlign9Attrs attrs;
    attrs.sampling_ratio = 1;
    attrs.spatial_scale = 0.5F;
    const Tensor region = floats({1, 4}, {2, 2, 6, 6});  // 1 to 3
    const Tensor first = i32s({1}, {0});
    const auto value = [&](RoiAlignedMode mode) {
        attrs.aligned_mode = mode;
        return to_floats(run_op("ROIAlign", 9, attrs, {kFeatures, region, first})[0]);
    };
    EXPECT_EQ(value(RoiAlignedMode::kAsymmetric), (std::vector<float>{10}));        // at 2
    EXPECT_EQ(value(RoiAlignedMode::kHalfPixelForNn), (std::vector<float>{7.5F}));  // at 1.5
    EXPECT_EQ(value(RoiAlignedMode::kHalfPixel), (std::vector<float>{8.75F}));      // at 1.75
}

TEST(RoiAlign, ReadsNothingOutside) {
    RoiAlignAttrs attrs;
    attrs.sampling_ratio = 1;
    const Tensor regions = floats({2, 4}, {8, 8, 10, 10, 3, 3, 4, 4});
    expect_values(run_op("ROIAlign", 3, attrs, {kFeatures, regions, i64s({2}, {0, 0})})[0],
                  {0, 15});
    EXPECT_THAT(error_of([&] {
                    run_op("ROIAlign", 3, attrs,
                           {kFeatures, floats({1, 4}, {kNan, 0, 1, 1}), i64s({1}, {0})});
                }),
                HasSubstr("a region has the side nan"));
    EXPECT_THAT(error_of([&] {
                    run_op("ROIAlign", 3, attrs,
                           {kFeatures, floats({1, 4}, {0, 0, 1, 1}), i64s({1}, {-1})});
                }),
                HasSubstr("a region names image -1"));
    EXPECT_THAT(
        refusal("ROIAlign", 3, attrs, {open("[1,2,4,4]"), open("[3,4]"), i64s({2}, {0, 0})}),
        HasSubstr("batch_indices have shape [2]"));
    attrs.sampling_ratio = -1;
    EXPECT_THAT(refusal("ROIAlign", 3, attrs,
                        {open("[1,2,4,4]"), open("[3,4]"), open("[3]", element::i64)}),
                HasSubstr("sampling_ratio is -1"));
}

}  // namespace
}  // namespace fuseq::test
