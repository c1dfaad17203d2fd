// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "quantizer/insertion.hpp"

namespace fuseq::quantizer {
namespace {

// x has channels of [0, 1], of zeros alone, and of [0, 4], before a depthwise convolution.
PlaceScales scales_of_channels() {
    const std::shared_ptr<Model> model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,3,1,2]
        %w = Const value=random(1) : f32[3,1,1,1,1]
        %d = GroupConvolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r = Result(%d))");
    Profile profile;
    TensorProfile& seen = profile.tensors["x"];
    seen.histogram = Histogram(16);
    const float values[] = {1, 0, 0, 0, 4, 2};
    seen.add(values, {1, 3, 1, 2});
    const std::vector<PlaceScales> all = choose_place_scales(place(*model, {}), profile, {});
    EXPECT_EQ(all.size(), 1u);
    return all.at(0);
}

TEST(PlaceScales, ChannelsBeforeADepthwiseConvolutionHaveTheirOwn) {
    const PlaceScales scales = scales_of_channels();
    ASSERT_EQ(scales.size(), 3u);
    EXPECT_FLOAT_EQ(scales[0].scale, 1.0F / 255);
    EXPECT_FLOAT_EQ(scales[2].scale, 4.0F / 255);
}

// The range [0, 0] would become [-25.5, 0] by Glow's rule, with a zero point of its own.
TEST(PlaceScales, ADeadChannelHasTheRangeOfTheTensor) {
    const PlaceScales scales = scales_of_channels();
    ASSERT_EQ(scales.size(), 3u);
    EXPECT_FLOAT_EQ(scales[1].scale, 4.0F / 255);
    EXPECT_EQ(scales[1].offset, scales[0].offset);
    EXPECT_EQ(scales[1].limits().min, 0);
}

}  // namespace
}  // namespace fuseq::quantizer
