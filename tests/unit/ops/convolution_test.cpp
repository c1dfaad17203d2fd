// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kLine = in_f32({1, 1, 4}, {1, 2, 3, 4});

TEST(Convolution, SlidesPadsStridesAndDilates) {
    const In wei = in_f32({1, 1, 2}, {1, 10});
    const auto run = [&](const char* attributes) {
        return run_op("Convolution", 1, attributes, {kLine, wei})[0];
    };
    expect_tensor<float>(run("strides=1; dilations=1"), {1, 1, 3}, {21, 32, 43});
    expect_tensor<float>(run("strides=2; dilations=1; pads_begin=1; pads_end=1"), {1, 1, 3},
                         {10, 32, 4});
    expect_tensor<float>(run("strides=1; dilations=3"), {1, 1, 1}, {41});
    expect_tensor<float>(run("strides=1; dilations=1; auto_pad=same_upper"), {1, 1, 4},
                         {21, 32, 43, 4});
    expect_tensor<float>(run("strides=1; dilations=1; auto_pad=same_lower"), {1, 1, 4},
                         {10, 21, 32, 43});
}

TEST(Convolution, SumsChannelsAndGroups) {
    const In src = in_f32({1, 2, 1, 1}, {2, 3});
    expect_tensor<float>(run_op("Convolution", 1, "strides=1,1; dilations=1,1",
                                {src, in_f32({2, 2, 1, 1}, {1, 2, 3, 4})})[0],
                         {1, 2, 1, 1}, {8, 18});
    expect_tensor<float>(run_op("GroupConvolution", 1, "strides=1,1; dilations=1,1",
                                {src, in_f32({2, 2, 1, 1, 1}, {1, 2, 3, 4})})[0],
                         {1, 4, 1, 1}, {2, 4, 9, 12});
}

TEST(Convolution, PaddingIsRealZeroUnderAZeroPoint) {
    const In src = in<std::uint8_t>({1, 1, 2}, {130, 120});
    const In wei = in<std::int8_t>({1, 1, 2}, {1, 2});
    expect_tensor<float>(run_op("Convolution", 1, "strides=1; dilations=1; pads_begin=1",
                                {src, wei, constant<std::uint8_t>({}, {128})}, Dynamic::kSkip)[0],
                         {1, 1, 2}, {4, -14});
}

TEST(Convolution, InfersOpenShapes) {
    EXPECT_EQ(
        shape_of("Convolution", 1, "strides=2,2; dilations=1,1",
                 {open(ElementType::f32, "[?,3,8..9,?]"), open(ElementType::f32, "[16,3,2,2]")}),
        "[?,16,4,?]");
}

TEST(Convolution, RefusesBadAttributes) {
    const In wei = in_f32({1, 1, 2}, {1, 10});
    const auto error = [](const char* attributes, const std::vector<In>& inputs) {
        return error_of("Convolution", 1, attributes, inputs);
    };
    EXPECT_THAT(error("strides=0; dilations=1", {kLine, wei}),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(error("strides=1; dilations=1; pads_end=-1", {kLine, wei}),
                HasSubstr("pads_end has the value -1"));
    EXPECT_THAT(error("strides=1; dilations=4", {kLine, wei}), HasSubstr("extent 5"));
    EXPECT_THAT(error("strides=1; dilations=1", {kLine, in_f32({1, 2, 1}, {1, 1})}),
                HasSubstr("src has 1 channels"));
    // What inference could not see, the kernel does.
    EXPECT_THAT(blind_error_of("Convolution", 1, "strides=0; dilations=1", {kLine, wei}),
                HasSubstr("strides has the value 0"));
    EXPECT_THAT(blind_error_of("Convolution", 1, "strides=1; dilations=1",
                               {kLine, in_f32({1, 2, 1}, {1, 1})}),
                HasSubstr("src has 1 channels"));
    EXPECT_THAT(blind_error_of("Convolution", 1, "strides=1; dilations=4", {kLine, wei}),
                HasSubstr("does not fit"));
    EXPECT_THAT(error_of("GroupConvolution", 1, "strides=1; dilations=1",
                         {in_f32({1, 3, 1}, {1, 2, 3}), in_f32({2, 1, 1, 1}, {1, 1})}),
                HasSubstr("src has 3 channels"));
}

}  // namespace
}  // namespace fuseq::test
