// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Channels of 4 x 4: value 16 c + 4 y + x.
In ramp(std::size_t channels) {
    std::vector<float> values(channels * 16);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i);
    }
    return in_f32({1, channels, 4, 4}, values);
}

void expect_pooled(const std::string& attributes,
                   const std::vector<In>& inputs,
                   const Shape& shape,
                   const std::vector<float>& expected) {
    expect_near(run_op("DeformablePSROIPooling", 1, attributes, inputs)[0], shape, expected);
}

// From 0 to 2: in cells from -0.5 to 2.5.
const In kRegion = in_f32({1, 5}, {0, 0, 0, 2, 2});

TEST(DeformablePsRoiPooling, TakesTheMeanOfSamples) {
    const std::string one = "output_dim=1; spatial_scale=1; ";
    expect_pooled(one, {ramp(1), kRegion}, {1, 1, 1, 1}, {0});
    // x = -0.5, which is 0, 0.5 and 1.5; and the same y.
    expect_pooled(one + "spatial_bins_x=3", {ramp(1), kRegion}, {1, 1, 1, 1}, {2.0F / 3});
    expect_pooled(one + "spatial_bins_y=3", {ramp(1), kRegion}, {1, 1, 1, 1}, {8.0F / 3});
    expect_pooled(one + "mode=bilinear_deformable; spatial_bins_x=3; spatial_bins_y=3",
                  {ramp(1), kRegion}, {1, 1, 1, 1}, {10.0F / 3});
    // Corners are rounded, halves away from zero: 0.5 to 1, 2.4 to 2. From 0.5 to 2.5: x =
    // 0.5, 1.5.
    expect_pooled(one + "spatial_bins_x=2", {ramp(1), in_f32({1, 5}, {0, 0.5F, 0, 2.4F, 2})},
                  {1, 1, 1, 1}, {1});
    // Half the scale: from -0.5 to 1. x = -0.5, which is 0, and 0.25.
    expect_pooled("output_dim=1; spatial_scale=0.5; spatial_bins_x=2", {ramp(1), kRegion},
                  {1, 1, 1, 1}, {0.125F});
}

TEST(DeformablePsRoiPooling, LeavesOutWhatLiesOutside) {
    const std::string one = "output_dim=1; spatial_scale=1; spatial_bins_x=2";
    // x from 2.5 to 5.5: of 2.5 and 4 the first counts.
    expect_pooled(one, {ramp(1), in_f32({1, 5}, {0, 3, 0, 5, 2})}, {1, 1, 1, 1}, {2.5F});
    expect_pooled(one, {ramp(1), in_f32({1, 5}, {0, 100, 0, 102, 2})}, {1, 1, 1, 1}, {0});
    expect_pooled(one, {ramp(1), in_f32({1, 5}, {0, 0, 100, 2, 102})}, {1, 1, 1, 1}, {0});
    // A region of no image, and one after it.
    expect_pooled(one, {ramp(1), in_f32({2, 5}, {-1, 3, 0, 5, 2, 0, 3, 0, 5, 2})}, {2, 1, 1, 1},
                  {0, 2.5F});
    // Without a side it is 0.1 wide: samples at 1.5 and 1.55.
    expect_pooled(one, {ramp(1), in_f32({1, 5}, {0, 2, 0, 1, 2})}, {1, 1, 1, 1}, {1.525F});
}

TEST(DeformablePsRoiPooling, GivesEveryPartAChannel) {
    // Parts begin at -0.5, which is 0, and 1.
    expect_pooled("output_dim=1; spatial_scale=1; group_size=2", {ramp(4), kRegion}, {1, 1, 2, 2},
                  {0, 17, 36, 53});
    expect_pooled("output_dim=2; spatial_scale=1", {ramp(2), kRegion}, {1, 2, 1, 1}, {0, 16});
}

TEST(DeformablePsRoiPooling, MovesParts) {
    const std::string group = "output_dim=1; spatial_scale=1; group_size=2; ";
    // By half a region, 1.5 cells, to the right: x = 1 and 2.5.
    const std::vector<float> right = {1, 1, 1, 1, 0, 0, 0, 0};
    expect_pooled(group + "part_size=2; trans_std=0.5",
                  {ramp(4), kRegion, in_f32({1, 2, 2, 2}, right)}, {1, 1, 2, 2},
                  {1, 18.5F, 37, 54.5F});
    expect_pooled(group + "part_size=2",
                  {ramp(4), kRegion, in_f32({1, 2, 2, 2}, {0, 0.5F, 0, 0, 0, 0, 0, 0})},
                  {1, 1, 2, 2}, {0, 18.5F, 36, 53});
    // Down: y = 1 and 2.5. One offset for all parts.
    expect_pooled(group, {ramp(4), kRegion, in_f32({1, 2, 1, 1}, {0, 0.5F})}, {1, 1, 2, 2},
                  {4, 21, 42, 59});
    // Four parts of offsets for two of the region: 0 and 2 of each axis.
    std::vector<float> fine(32);
    fine[2 * 4 + 2] = 0.5F;
    expect_pooled(group + "part_size=4", {ramp(4), kRegion, in_f32({1, 2, 4, 4}, fine)},
                  {1, 1, 2, 2}, {0, 17, 36, 54.5F});
}

TEST(DeformablePsRoiPooling, MovesClassesApart) {
    const std::string four = "output_dim=4; spatial_scale=1";
    // Channels 0 and 1 are the first class.
    expect_pooled(four, {ramp(4), kRegion, in_f32({1, 4, 1, 1}, {0.5F, 0, 0, 0.5F})}, {1, 4, 1, 1},
                  {1, 17, 36, 52});
    // Regions have their own.
    expect_pooled("output_dim=1; spatial_scale=1",
                  {ramp(1), in_f32({2, 5}, {0, 0, 0, 2, 2, 0, 0, 0, 2, 2}),
                   in_f32({2, 2, 1, 1}, {0.5F, 0, 0, 0.5F})},
                  {2, 1, 1, 1}, {1, 4});
}

TEST(DeformablePsRoiPooling, Infers) {
    const auto shape = [](const std::string& features, const std::string& regions,
                          const std::string& offsets) {
        return shape_of("DeformablePSROIPooling", 1,
                        "spatial_scale=0.0625; output_dim=8; group_size=7; part_size=7; "
                        "spatial_bins_x=4; spatial_bins_y=4; trans_std=0.1",
                        {open(ElementType::f32, features), open(ElementType::f32, regions),
                         open(ElementType::f32, offsets)});
    };
    EXPECT_EQ(shape("[1,392,38,63]", "[300,5]", "[300,2,7,7]"), "[300,8,7,7]");
    EXPECT_EQ(shape("[1,392,?,?]", "[?,5]", "[300,?,7,7]"), "[300,8,7,7]");
    EXPECT_EQ(shape("...", "...", "..."), "[?,8,7,7]");
    EXPECT_EQ(
        shape_of("DeformablePSROIPooling", 1, "spatial_scale=1; output_dim=882; group_size=3",
                 {open(ElementType::f32, "[1,7938,63,38]"), open(ElementType::f32, "[300,5]")}),
        "[300,882,3,3]");
}

TEST(DeformablePsRoiPooling, Refuses) {
    const auto refused = [](const std::string& attributes, const std::string& features,
                            const std::string& offsets) {
        return error_of("DeformablePSROIPooling", 1, "output_dim=4; " + attributes,
                        {open(ElementType::f32, features), open(ElementType::f32, "[3,5]"),
                         open(ElementType::f32, offsets)});
    };
    const std::string good = "spatial_scale=1";
    EXPECT_THAT(refused("spatial_scale=0", "[1,4,4,4]", "[3,2,1,1]"),
                HasSubstr("spatial_scale is 0, expected a value above 0"));
    EXPECT_THAT(refused(good + "; group_size=0", "[1,4,4,4]", "[3,2,1,1]"),
                HasSubstr("group_size is 0, expected a value in [1, 65536]"));
    EXPECT_THAT(refused(good + "; spatial_bins_x=0", "[1,4,4,4]", "[3,2,1,1]"),
                HasSubstr("spatial_bins_x is 0, expected a value in [1, 4096]"));
    EXPECT_THAT(refused(good + "; spatial_bins_y=65536", "[1,4,4,4]", "[3,2,1,1]"),
                HasSubstr("spatial_bins_y is 65536, expected a value in [1, 4096]"));
    EXPECT_THAT(refused(good + "; spatial_bins_y=-1", "[1,4,4,4]", "[3,2,1,1]"),
                HasSubstr("spatial_bins_y is -1"));
    EXPECT_THAT(refused(good + "; part_size=0", "[1,4,4,4]", "[3,2,1,1]"),
                HasSubstr("part_size is 0"));
    EXPECT_THAT(refused(good + "; trans_std=inf", "[1,4,4,4]", "[3,2,1,1]"),
                HasSubstr("trans_std is inf, expected a finite value"));
    EXPECT_THAT(refused(good + "; mode=average", "[1,4,4,4]", "[3,2,1,1]"),
                HasSubstr("'average' is not one of bilinear_deformable"));
    EXPECT_THAT(refused(good, "[1,5,4,4]", "[3,2,1,1]"),
                HasSubstr("features have 5 channels, expected 4"));
    EXPECT_THAT(refused(good, "[1,4,4,4]", "[3,2,2,2]"),
                HasSubstr("offsets have shape [3,2,2,2], expected [3,2*classes,1,1]"));
    EXPECT_THAT(refused(good, "[1,4,4,4]", "[2,2,1,1]"), HasSubstr("offsets have shape [2,2,1,1]"));
    EXPECT_THAT(refused(good, "[1,4,4,4]", "[3,3,1,1]"),
                HasSubstr("offsets have 3 channels, expected 2 for every class"));
    EXPECT_THAT(refused(good, "[1,4,4,4]", "[3,6,1,1]"),
                HasSubstr("and output_dim, 4, to be a multiple of the classes"));
    EXPECT_THAT(error_of("DeformablePSROIPooling", 1, "output_dim=1; spatial_scale=1",
                         {ramp(1), in_f32({1, 5}, {1, 0, 0, 2, 2})}),
                HasSubstr("a region names image 1, but there are 1"));
}

}  // namespace
}  // namespace fuseq::test
