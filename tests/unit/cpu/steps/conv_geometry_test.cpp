// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/conv_geometry.hpp"

#include <gtest/gtest.h>

#include "fuseq/model.hpp"

namespace fuseq::test {
namespace {

using cpu::conv_geometry;
using cpu::single_zero_point;

TEST(ConvGeometry, OfTwoDimensions) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : u8[2,3,20,31]
        %w = Const value=random(1,-9,9) : i8[5,3,4,2]
        %c = Convolution(%x, %w) strides=[3,2] dilations=[2,5] pads_begin=[1,4] pads_end=[0,3]
        %r = Result(%c))");
    const kernels::ConvGeometry g = conv_geometry(*model->find("c"));
    EXPECT_EQ(g.batch, 2u);
    EXPECT_EQ(g.src_channels, 3u);
    EXPECT_EQ(g.dst_channels, 5u);
    EXPECT_EQ(g.src_height, 20u);
    EXPECT_EQ(g.src_width, 31u);
    EXPECT_EQ(g.dst_height, 5u);  // (20 + 1 - 7) / 3 + 1
    EXPECT_EQ(g.dst_width, 17u);  // (31 + 7 - 6) / 2 + 1
    EXPECT_EQ(g.kernel_height, 4u);
    EXPECT_EQ(g.kernel_width, 2u);
    EXPECT_EQ(g.stride_height, 3u);
    EXPECT_EQ(g.stride_width, 2u);
    EXPECT_EQ(g.dilation_height, 2u);
    EXPECT_EQ(g.dilation_width, 5u);
    EXPECT_EQ(g.pad_top, 1);
    EXPECT_EQ(g.pad_left, 4);
}

TEST(ConvGeometry, OneDimensionIsOneRow) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : u8[1,4,30]
        %w = Const value=random(1,-9,9) : i8[6,4,3]
        %c = Convolution(%x, %w) strides=[2] dilations=[3] pads_begin=[2] pads_end=[2]
        %r = Result(%c))");
    const kernels::ConvGeometry g = conv_geometry(*model->find("c"));
    EXPECT_EQ(g.src_height, 1u);
    EXPECT_EQ(g.dst_height, 1u);
    EXPECT_EQ(g.kernel_height, 1u);
    EXPECT_EQ(g.stride_height, 1u);
    EXPECT_EQ(g.dilation_height, 1u);
    EXPECT_EQ(g.pad_top, 0);
    EXPECT_EQ(g.src_width, 30u);
    EXPECT_EQ(g.dst_width, 14u);  // (30 + 4 - 7) / 2 + 1
    EXPECT_EQ(g.kernel_width, 3u);
    EXPECT_EQ(g.stride_width, 2u);
    EXPECT_EQ(g.dilation_width, 3u);
    EXPECT_EQ(g.pad_left, 2);
}

TEST(ConvGeometry, PaddingBySizeIsResolved) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : u8[1,6,10,10]
        %w = Const value=random(1,-9,9) : i8[6,1,1,3,3]
        %c = GroupConvolution(%x, %w) strides=[2,1] dilations=[1,1] auto_pad=same_upper
        %r = Result(%c))");
    const kernels::ConvGeometry g = conv_geometry(*model->find("c"));
    EXPECT_EQ(g.src_channels, 6u);
    EXPECT_EQ(g.dst_channels, 6u);
    EXPECT_EQ(g.kernel_height, 3u);
    EXPECT_EQ(g.kernel_width, 3u);
    EXPECT_EQ(g.dst_height, 5u);
    EXPECT_EQ(g.dst_width, 10u);
    EXPECT_EQ(g.pad_top, 0);  // one row of padding, at the end
    EXPECT_EQ(g.pad_left, 1);
}

std::optional<std::int32_t> zero_point(const std::string& input, const std::string& constant = "") {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : u8[1,2,4,4]
        %z = Parameter : u8[2]
        )" + constant + R"(
        %w = Const value=random(1,-9,9) : i8[5,2,1,1]
        %c = Convolution(%x, %w)" + input +
                                        R"() strides=[1,1] dilations=[1,1]
        %r = Result(%c))");
    return single_zero_point(*model->find("c"), 2);
}

TEST(SingleZeroPoint, IsZeroWithoutAnInput) {
    EXPECT_EQ(zero_point(""), 0);
}
TEST(SingleZeroPoint, IsTheCommonValue) {
    EXPECT_EQ(zero_point(", %k", "%k = Const value={7} : u8[1]"), 7);
    EXPECT_EQ(zero_point(", %k", "%k = Const value={-3,-3} : i8[2]"), -3);
}
TEST(SingleZeroPoint, IsNothingWhenValuesDiffer) {
    EXPECT_EQ(zero_point(", %k", "%k = Const value={7,8} : u8[2]"), std::nullopt);
}
TEST(SingleZeroPoint, IsNothingForWhatIsNoConstant) {
    EXPECT_EQ(zero_point(", %z"), std::nullopt);
}

}  // namespace
}  // namespace fuseq::test
