// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <numbers>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr auto kQuarter = static_cast<float>(std::numbers::pi / 2);

// Value 4 y + x.
const In kRamp = in_f32({1, 1, 4, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
// A single 1 at (1, 1).
const In kPeak = in_f32({1, 1, 4, 4}, {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});

void expect_pooled(const std::string& attributes,
                   const In& features,
                   const std::vector<float>& region,
                   const Shape& shape,
                   const std::vector<float>& expected) {
    expect_near(run_op("ROIAlignRotated", 15, attributes,
                       {features, in_f32({1, 5}, region), in<std::int64_t>({1}, {0})})[0],
                shape, expected);
}

TEST(RoiAlignRotated, TurnsTheSamples) {
    // The centre (2, 2) is at 1.5 of both axes. Upright: y = 1.5, x = 1 and 2.
    const std::string wide = "pooled_h=1; pooled_w=2; sampling_ratio=1; spatial_scale=1";
    expect_pooled(wide, kRamp, {2, 2, 2, 2, 0}, {1, 1, 1, 2}, {7, 8});
    // A quarter against the clock: what was on the left is below, x = 1.5, y = 2 and 1.
    expect_pooled(wide, kRamp, {2, 2, 2, 2, kQuarter}, {1, 1, 1, 2}, {9.5F, 5.5F});
    expect_pooled(wide + "; clockwise_mode=true", kRamp, {2, 2, 2, 2, kQuarter}, {1, 1, 1, 2},
                  {5.5F, 9.5F});
    expect_pooled(wide + "; clockwise_mode=false", kRamp, {2, 2, 2, 2, -kQuarter}, {1, 1, 1, 2},
                  {5.5F, 9.5F});
    // An eighth: the left sample is at sqrt(2) / 4 to the left and below.
    const float eighth = std::numbers::sqrt2_v<float> / 4;
    expect_pooled(wide, kRamp, {2, 2, 2, 2, kQuarter / 2}, {1, 1, 1, 2},
                  {7.5F + 3 * eighth, 7.5F - 3 * eighth});
    // Two rows, two columns: y = 1 and 2, x = 1 and 2.
    expect_pooled("pooled_h=2; pooled_w=2; sampling_ratio=1; spatial_scale=1", kRamp,
                  {2, 2, 2, 2, 0}, {1, 1, 2, 2}, {5, 6, 9, 10});
}

TEST(RoiAlignRotated, ScalesCentreAndSides) {
    expect_pooled("pooled_h=1; pooled_w=2; sampling_ratio=1; spatial_scale=0.5", kRamp,
                  {4, 4, 4, 4, 0}, {1, 1, 1, 2}, {7, 8});
}

TEST(RoiAlignRotated, TakesAsManySamplesAsAsked) {
    const std::string one = "pooled_h=1; pooled_w=1; spatial_scale=1; sampling_ratio=";
    expect_pooled(one + "1", kPeak, {2, 2, 3, 3, 0}, {1, 1, 1, 1}, {0.25F});
    // At 0.75 and 2.25: one of four sees 0.75 * 0.75.
    expect_pooled(one + "2", kPeak, {2, 2, 3, 3, 0}, {1, 1, 1, 1}, {0.140625F});
    // A sample a cell, at 0.5, 1.5 and 2.5: halves and halves again, of 9.
    expect_pooled(one + "0", kPeak, {2, 2, 3, 3, 0}, {1, 1, 1, 1}, {1.0F / 9});
}

TEST(RoiAlignRotated, ReadsTheBorderAndNothingBeyond) {
    const std::string one = "pooled_h=1; pooled_w=1; spatial_scale=1; sampling_ratio=1";
    // At 3.5: within a cell of the border, the last value. At -1: the first. At 4.5 and -1.1: 0.
    expect_pooled(one, kRamp, {4, 4, 1, 1, 0}, {1, 1, 1, 1}, {15});
    expect_pooled(one, kRamp, {-0.5F, 2, 1, 1, 0}, {1, 1, 1, 1}, {6});
    expect_pooled(one, kRamp, {5, 2, 1, 1, 0}, {1, 1, 1, 1}, {0});
    expect_pooled(one, kRamp, {-0.6F, 2, 1, 1, 0}, {1, 1, 1, 1}, {0});
    // No side, no sample.
    expect_pooled("pooled_h=1; pooled_w=1; spatial_scale=1; sampling_ratio=0", kRamp,
                  {2, 2, 0, 2, 0}, {1, 1, 1, 1}, {0});
}

TEST(RoiAlignRotated, PoolsChannelsOfTheImage) {
    const In features = in_f32({2, 2, 1, 1}, {1, 2, 3, 4});
    const In regions = in_f32({3, 5}, {0.5F, 0.5F, 1, 1, 0, 0.5F, 0.5F, 1, 1, 1, 9, 9, 1, 1, 0});
    expect_tensor<float>(
        run_op("ROIAlignRotated", 15, "pooled_h=1; pooled_w=1; spatial_scale=1; sampling_ratio=1",
               {features, regions, in<std::int32_t>({3}, {1, 0, 0})})[0],
        {3, 2, 1, 1}, {3, 4, 1, 2, 0, 0});
}

constexpr const char* kAttributes = "pooled_h=6; pooled_w=5; sampling_ratio=2; spatial_scale=16";

TEST(RoiAlignRotated, Infers) {
    const auto shape = [](const std::string& features, const std::string& regions,
                          const std::string& images) {
        return shape_of("ROIAlignRotated", 15, kAttributes,
                        {open(ElementType::f32, features), open(ElementType::f32, regions),
                         open(ElementType::i64, images)});
    };
    EXPECT_EQ(shape("[7,256,200,200]", "[1000,5]", "[1000]"), "[1000,256,6,5]");
    EXPECT_EQ(shape("[?,256,?,?]", "[?,5]", "[9]"), "[9,256,6,5]");
    EXPECT_EQ(shape("...", "...", "..."), "[?,?,6,5]");
}

TEST(RoiAlignRotated, Refuses) {
    const auto refused = [](const std::string& attributes, const std::string& regions,
                            const In& images) {
        return error_of(
            "ROIAlignRotated", 15, attributes,
            {open(ElementType::f32, "[1,2,4,4]"), open(ElementType::f32, regions), images});
    };
    const In images = open(ElementType::i64, "[3]");
    EXPECT_THAT(
        refused("pooled_h=0; pooled_w=1; sampling_ratio=1; spatial_scale=1", "[3,5]", images),
        HasSubstr("pooled_h is 0, expected a value in [1, 65536]"));
    EXPECT_THAT(refused("pooled_h=65536; pooled_w=65536; sampling_ratio=1; spatial_scale=1",
                        "[3,5]", images),
                HasSubstr("a region of 65536 x 65536 values is too large, expected at most "
                          "16777216 values"));
    EXPECT_THAT(
        refused("pooled_h=1; pooled_w=1; sampling_ratio=-1; spatial_scale=1", "[3,5]", images),
        HasSubstr("sampling_ratio is -1, expected a value in [0, 4096]"));
    EXPECT_THAT(
        refused("pooled_h=1; pooled_w=1; sampling_ratio=1; spatial_scale=0", "[3,5]", images),
        HasSubstr("spatial_scale is 0, expected a value above 0"));
    EXPECT_THAT(refused(kAttributes, "[3,4]", images),
                HasSubstr("regions have shape [3,4], expected [R,5]"));
    EXPECT_THAT(refused(kAttributes, "[3,5]", open(ElementType::i64, "[2]")),
                HasSubstr("batch_indices have shape [2], expected one value a region"));
    EXPECT_THAT(refused(kAttributes, "[3,5]", open(ElementType::f32, "[3]")),
                HasSubstr("batch_indices are f32, expected an integer type"));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto failed = [](const std::vector<float>& region, std::int64_t image) {
        return error_of("ROIAlignRotated", 15, kAttributes,
                        {kRamp, in_f32({1, 5}, region), in<std::int64_t>({1}, {image})});
    };
    EXPECT_THAT(failed({2, 2, 2, 2, 0}, 1), HasSubstr("a region names image 1, but there are 1"));
    EXPECT_THAT(failed({2, 2, 2, 2, nan}, 0),
                HasSubstr("a region has the centre (2, 2) and the angle nan"));
    EXPECT_THAT(failed({2, 2, nan, 2, 0}, 0), HasSubstr(" of length nan"));
}

}  // namespace
}  // namespace fuseq::test
