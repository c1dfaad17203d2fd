// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/depthwise_fold.hpp"

#include <gtest/gtest.h>

#include <string>

#include "fuseq/model.hpp"

namespace fuseq::cpu {
namespace {

using kernels::ConvGeometry;

// Of the only convolution of a model.
std::optional<ConvGeometry> fold(const std::string& text) {
    const auto model = Model::from_text(text + "%r = Result(%y)\n");
    return folded_depthwise(*model->results()[0]->input_node(0));
}

std::string source(const std::string& shape, const std::string& weights) {
    return "%x = Parameter : u8[" + shape + "]\n%w = Const value=fill(1) : i8[" + weights + "]\n";
}

TEST(DepthwiseFold, LeavesTwoDimensionsAsTheyAre) {
    const auto g = fold(source("2,8,9,7", "8,1,1,3,5") +
                        "%y = GroupConvolution(%x, %w) strides=[2,1] dilations=[1,1] "
                        "pads_begin=[1,2] pads_end=[1,2]\n");
    ASSERT_TRUE(g);
    EXPECT_EQ(g->batch, 2u);
    EXPECT_EQ(g->src_height, 9u);
    EXPECT_EQ(g->dst_height, 5u);
    EXPECT_EQ(g->src_width, 7u);
    EXPECT_EQ(g->dst_width, 7u);
    EXPECT_EQ(g->kernel_height, 3u);
    EXPECT_EQ(g->kernel_width, 5u);
}

TEST(DepthwiseFold, TakesPlanesAsImagesOfTheBatch) {
    const auto g = fold(source("2,8,6,9,7", "8,1,1,1,3,5") +
                        "%y = GroupConvolution(%x, %w) strides=[1,2,1] dilations=[1,1,1] "
                        "pads_begin=[0,1,2] pads_end=[0,1,2]\n");
    ASSERT_TRUE(g);
    EXPECT_EQ(g->batch, 12u);
    EXPECT_EQ(g->src_height, 9u);
    EXPECT_EQ(g->dst_height, 5u);
    EXPECT_EQ(g->stride_height, 2u);
    EXPECT_EQ(g->pad_top, 1);
    EXPECT_EQ(g->src_width, 7u);
    EXPECT_EQ(g->dst_width, 7u);
    EXPECT_EQ(g->pad_left, 2);
}

TEST(DepthwiseFold, TakesPlanesAsRowsWhereTheKernelIsDepthAlone) {
    const auto g = fold(source("2,8,6,9,7", "8,1,1,3,1,1") +
                        "%y = GroupConvolution(%x, %w) strides=[2,1,1] dilations=[1,1,1] "
                        "pads_begin=[1,0,0] pads_end=[1,0,0]\n");
    ASSERT_TRUE(g);
    EXPECT_EQ(g->batch, 2u);
    EXPECT_EQ(g->src_height, 6u);
    EXPECT_EQ(g->dst_height, 3u);
    EXPECT_EQ(g->kernel_height, 3u);
    EXPECT_EQ(g->src_width, 63u);
    EXPECT_EQ(g->dst_width, 63u);
    EXPECT_EQ(g->kernel_width, 1u);
}

TEST(DepthwiseFold, NothingForKernelsOfThreeDimensions) {
    EXPECT_FALSE(fold(source("1,8,6,9,7", "8,1,1,3,1,3") +
                      "%y = GroupConvolution(%x, %w) strides=[1,1,1] dilations=[1,1,1]\n"));
    // A plane that is padded is no longer its own image.
    EXPECT_FALSE(fold(source("1,8,6,9,7", "8,1,1,1,3,3") +
                      "%y = GroupConvolution(%x, %w) strides=[1,1,1] dilations=[1,1,1] "
                      "pads_begin=[1,0,0] pads_end=[0,0,0]\n"));
}

TEST(DepthwiseFold, NothingForRowsWithoutZeroPointsOfChannels) {
    EXPECT_FALSE(fold(source("1,8,9", "8,1,1,3") +
                      "%y = GroupConvolution(%x, %w) strides=[1] dilations=[1]\n"));
}

TEST(DepthwiseFold, NothingForOtherGroups) {
    EXPECT_FALSE(fold(source("1,8,9,9", "4,2,2,3,3") +
                      "%y = GroupConvolution(%x, %w) strides=[1,1] dilations=[1,1]\n"));
    EXPECT_FALSE(fold(source("1,8,9,9", "8,2,1,3,3") +
                      "%y = GroupConvolution(%x, %w) strides=[1,1] dilations=[1,1]\n"));
}

}  // namespace
}  // namespace fuseq::cpu
