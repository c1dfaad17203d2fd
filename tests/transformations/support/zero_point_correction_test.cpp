// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// All sums are worked out by hand.
#include "transformations/support/zero_point_correction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fuseq::testing {
namespace {

using ::testing::ElementsAre;

// The layer "c" of a model, and integer weights beside it.
class ZeroPointCorrectionTest : public ::testing::Test {
protected:
    const Node& layer(const std::string& source, const std::string& weights, const std::string& c) {
        model_ =
            Model::from_text("%x = Parameter : f32" + source + "\n%w = Const value=fill(1) : f32" +
                             weights + "\n" + c + "\n%r = Result(%c)");
        return *model_->find("c");
    }
    IntegerWeights integers(const Shape& shape, const std::vector<std::int8_t>& values) {
        values_ = Tensor::of(shape, values);
        return {values_, zero_point_};
    }

    std::vector<float> zero_point_;

private:
    std::shared_ptr<Model> model_;
    Tensor values_;
};

// 1 2 3 4 along a row of three pixels, one column of padding at either side: two outputs.
TEST_F(ZeroPointCorrectionTest, AtABorderFewerWeightsMeetTheSource) {
    const Node& conv = layer(
        "[1,1,1,3]", "[1,1,1,4]",
        "%c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,1] pads_end=[0,1]");
    const IntegerWeights weights = integers({1, 1, 1, 4}, {1, 2, 3, 4});
    EXPECT_THAT(weight_sums(conv, weights), ElementsAre(10));
    EXPECT_THAT(met_sums(conv, weights), ElementsAre(2 + 3 + 4, 1 + 2 + 3));
    EXPECT_THAT(largest_missed_sums(conv, weights), ElementsAre(4));
}

// A zero point of 1/2 takes as much from each weight that meets the source, and from no other.
TEST_F(ZeroPointCorrectionTest, TheZeroPointOfTheWeightsCountsForThoseThatMeetTheSource) {
    zero_point_ = {0.5f};
    const Node& conv = layer(
        "[1,1,1,3]", "[1,1,1,4]",
        "%c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,1] pads_end=[0,1]");
    const IntegerWeights weights = integers({1, 1, 1, 4}, {1, 2, 3, 4});
    EXPECT_THAT(weight_sums(conv, weights), ElementsAre(8));
    EXPECT_THAT(met_sums(conv, weights), ElementsAre(7.5, 4.5));
    EXPECT_THAT(largest_missed_sums(conv, weights), ElementsAre(3.5));
}

// Rows and columns: 1 2 / 3 4 on one pixel, with a padding of one on all sides.
TEST_F(ZeroPointCorrectionTest, SumsAreInTheOrderOfTheResult) {
    const Node& conv = layer(
        "[1,1,1,1]", "[1,1,2,2]",
        "%c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]");
    const IntegerWeights weights = integers({1, 1, 2, 2}, {1, 2, 3, 4});
    EXPECT_THAT(met_sums(conv, weights), ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(largest_missed_sums(conv, weights), ElementsAre(9));
}

// A channel of two inputs in each of two groups; weights [groups, outputs, inputs, 1, 1].
TEST_F(ZeroPointCorrectionTest, AGroupHasItsOwnInputsAndZeroPoints) {
    zero_point_ = {0.0f, 10.0f};
    const Node& conv = layer("[1,4,1,1]", "[2,1,2,1,1]",
                             "%c = GroupConvolution(%x, %w) strides=[1,1] dilations=[1,1] "
                             "pads_begin=[0,0] pads_end=[0,0]");
    const IntegerWeights weights = integers({2, 1, 2, 1, 1}, {1, 2, 30, 40});
    EXPECT_THAT(weight_sums(conv, weights), ElementsAre(3, 50));
    EXPECT_THAT(met_sums(conv, weights), ElementsAre(3, 50));
    EXPECT_THAT(largest_missed_sums(conv, weights), ElementsAre(0, 0));
}

// Of stride 2, one dimension of two pixels: dst[p] += src[i] * w[p - 2 i]. Position 2 meets w[2] of
// the first pixel and w[0] of the second one, all others one weight.
TEST_F(ZeroPointCorrectionTest, InADeconvolutionTheSumDependsOnThePosition) {
    const Node& conv = layer("[1,1,2]", "[1,1,3]",
                             "%c = ConvolutionBackpropData(%x, %w) strides=[2] dilations=[1] "
                             "pads_begin=[0] pads_end=[0]");
    const IntegerWeights weights = integers({1, 1, 3}, {1, 2, 4});
    EXPECT_THAT(met_sums(conv, weights), ElementsAre(1, 2, 4 + 1, 2, 4));
    EXPECT_TRUE(may_miss_source(conv));
}

// Weights of a deconvolution are [inputs, outputs, ...].
TEST_F(ZeroPointCorrectionTest, WeightsOfADeconvolutionBeginWithTheInputs) {
    const Node& conv = layer("[1,2,1]", "[2,3,1]",
                             "%c = ConvolutionBackpropData(%x, %w) strides=[1] dilations=[1] "
                             "pads_begin=[0] pads_end=[0]");
    const IntegerWeights weights = integers({2, 3, 1}, {1, 2, 3, 10, 20, 30});
    EXPECT_THAT(weight_sums(conv, weights), ElementsAre(11, 22, 33));
    EXPECT_THAT(met_sums(conv, weights), ElementsAre(11, 22, 33));
}

TEST_F(ZeroPointCorrectionTest, WeightsMissTheSourceWhereThereIsPadding) {
    const auto may_miss = [&](const std::string& attributes) {
        return may_miss_source(
            layer("[1,1,5,5]", "[1,1,3,3]",
                  "%c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] " + attributes));
    };
    EXPECT_FALSE(may_miss("pads_begin=[0,0] pads_end=[0,0]"));
    EXPECT_TRUE(may_miss("pads_begin=[0,1] pads_end=[0,0]"));
    EXPECT_TRUE(may_miss("pads_begin=[0,0] pads_end=[1,0]"));
    EXPECT_TRUE(may_miss("auto_pad=same_upper pads_begin=[0,0] pads_end=[0,0]"));
    EXPECT_FALSE(may_miss("auto_pad=valid pads_begin=[1,1] pads_end=[1,1]"));
}

TEST_F(ZeroPointCorrectionTest, OpenBatchesDoNotMatterOpenRowsDo) {
    const auto is_static = [&](const std::string& source) {
        return has_static_spatial_shape(layer(source, "[1,1,3,3]",
                                              "%c = Convolution(%x, %w) strides=[1,1] "
                                              "dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]"));
    };
    EXPECT_TRUE(is_static("[?,1,5,5]"));
    EXPECT_FALSE(is_static("[1,1,?,5]"));
    EXPECT_FALSE(is_static("[...]"));
}

}  // namespace
}  // namespace fuseq::testing
