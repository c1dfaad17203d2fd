// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/region_yolo.hpp"

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr float kLog3 = 1.0986123F;  // sigmoid 0.75; softmax of (0, log 3) is (0.25, 0.75)

RegionYoloAttrs make(bool softmax) {
    RegionYoloAttrs attrs;
    attrs.classes = 2;
    attrs.num = 2;
    attrs.do_softmax = softmax;
    attrs.mask = {0};
    return attrs;
}

TEST(RegionYolo, SquashesEveryClass) {
    const Tensor in = floats({1, 7, 1, 1}, {kLog3, 0, 5, 6, -kLog3, 0, kLog3});
    const auto out = run_op("RegionYolo", 1, make(false), {in});
    EXPECT_EQ(out[0].get_shape(), (Shape{1, 7, 1, 1}));
    expect_values(out[0], {0.75F, 0.5F, 5, 6, 0.25F, 0.5F, 0.75F});
}

TEST(RegionYolo, TakesTheSoftmaxOfClasses) {
    const Tensor in = floats({1, 14, 1, 1}, {kLog3, 0, 5, 6, -kLog3, 0, kLog3,  //
                                             0, kLog3, 7, 8, 0, 1 + kLog3, 1});
    const auto out = run_op("RegionYolo", 1, make(true), {in});
    EXPECT_EQ(out[0].get_shape(), (Shape{1, 14}));
    expect_values(out[0], {0.75F, 0.5F, 5, 6, 0.25F, 0.25F, 0.75F,  //
                           0.5F, 0.75F, 7, 8, 0.5F, 0.75F, 0.25F});
    RegionYoloAttrs part = make(true);
    part.end_axis = 2;
    EXPECT_EQ(shapes_of("RegionYolo", 1, part, {open("[?,14,3,5]")}), "[?,42,5]");
}

TEST(RegionYolo, RefusesOtherChannels) {
    EXPECT_THAT(refusal("RegionYolo", 1, make(true), {open("[1,13,1,1]")}),
                HasSubstr("2 regions of 4 coords and 2 classes need 14 channels"));
    RegionYoloAttrs attrs = make(true);
    attrs.num = 0;
    EXPECT_THAT(refusal("RegionYolo", 1, attrs, {open("[1,14,1,1]")}), HasSubstr("num is 0"));
    attrs = make(true);
    attrs.axis = 4;
    EXPECT_THAT(refusal("RegionYolo", 1, attrs, {open("[1,14,1,1]")}), HasSubstr("axis is 4"));
}

TEST(ReorgYolo, MovesPixelsAsDarknetDoes) {
    ReorgYoloAttrs attrs;
    attrs.stride = {2};
    std::vector<float> values(16);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i);
    }
    // [1,4,2,2] is read as [1,1,4,4]; channel c of four takes pixel (c / 2, c % 2) of every block.
    const auto out = run_op("ReorgYolo", 2, attrs, {floats({1, 4, 2, 2}, values)});
    EXPECT_EQ(out[0].get_shape(), (Shape{1, 16, 1, 1}));
    expect_values(out[0], {0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15});
    EXPECT_EQ(shapes_of("ReorgYolo", 2, attrs, {open("[1,?,26,26]")}), "[1,?,13,13]");
    EXPECT_THAT(refusal("ReorgYolo", 2, attrs, {open("[1,4,3,2]")}), HasSubstr("stride is 2"));
    attrs.stride = {0};
    EXPECT_THAT(refusal("ReorgYolo", 2, attrs, {open("[1,4,2,2]")}), HasSubstr("stride is 0"));
}

}  // namespace
}  // namespace fuseq::test
