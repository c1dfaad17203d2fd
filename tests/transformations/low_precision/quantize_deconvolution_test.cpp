// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/quantize_deconvolution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"

namespace fuseq::testing {
namespace {

const char* const kWeights = R"(
        %i = Const value=random(5,-127,127) : i8[3,4,3,3]
        %ic = Convert(%i) destination_type=f32
        %t = Const value={0.5,1,2,0.25} : f32[1,4,1,1]
        %w = Multiply(%ic, %t) !origins=["weights_fq"]
)";

std::string deconvolution(const std::string& zero_point, const std::string& attributes) {
    return model(dq("x", "u8[1,3,4,4]", "0.5", zero_point) + kWeights +
                 "%y = ConvolutionBackpropData(%x, %w) " + attributes);
}

const char* const kPlain = "strides=[2,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]";

TEST(QuantizeDeconvolution, WithWholeZeroPoint) {
    const PassTest test = run_pass(quantize_deconvolution, deconvolution("7", kPlain));
    EXPECT_EQ(differs_from(test, model(std::string(R"(
        %x_q = Parameter : u8[1,3,4,4]
        %i = Const value=random(5,-127,127) : i8[3,4,3,3]
        %z = Const value={7} : i32[]
        %p = ConvolutionBackpropData(%x_q, %i, _, %z) )") +
                                       kPlain + R"(
        %s = Const value={0.25,0.5,1,0.125} : f32[1,4,1,1]
        %y = Multiply(%p, %s))")),
              "");
    EXPECT_EQ(test.after->find("y")->origins, (std::vector<std::string>{"y", "weights_fq"}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeDeconvolution, WithZeroPointsOfWeights) {
    for (const char* zero_point : {"", "7", "7.25"}) {
        std::string text = deconvolution(zero_point, kPlain);
        const std::string multiply = "%w = Multiply(%ic";
        text.replace(text.find(multiply), multiply.size(),
                     "%wz = Const value={0.25,-1,0,100.5} : f32[1,4,1,1]\n"
                     "%iz = Subtract(%ic, %wz)\n%w = Multiply(%iz");
        const PassTest test = run_pass(quantize_deconvolution, text);
        EXPECT_TRUE(test.changed);
        const Node& deconv = *test.after->find("y");
        EXPECT_EQ(deconv.has_input(3), *zero_point != 0);
        EXPECT_EQ(to_floats(deconv.input_node(4)->constant()),
                  (std::vector<float>{0.25f, -1.0f, 0.0f, 100.5f}));
        EXPECT_LT(largest_difference(test), 1e-2) << zero_point;  // of values up to 1e5
    }
}

TEST(QuantizeDeconvolution, CorrectsTheFractionOfTheZeroPointEverywhere) {
    const char* const kWindows[] = {
        kPlain,
        "strides=[2,2] pads_begin=[0,0] pads_end=[0,0] output_padding=[1,1]",
        "strides=[3,3] pads_begin=[0,1] pads_end=[1,0]",
        "strides=[1,2] dilations=[2,1] pads_begin=[1,1] pads_end=[0,0]",
        "strides=[4,4]",
    };
    for (const char* window : kWindows) {
        const PassTest test = run_pass(quantize_deconvolution, deconvolution("7.25", window));
        EXPECT_TRUE(test.changed) << window;
        EXPECT_LT(largest_difference(test), 1e-2) << window;
    }
}

TEST(QuantizeDeconvolution, KeepsTheOutputShape) {
    const PassTest test = run_pass(
        quantize_deconvolution,
        model(dq("x", "u8[1,3,4,4]", "0.5", "7.25") + kWeights +
              "%n = Const value={8,7} : i64[2]\n"
              "%y = ConvolutionBackpropData(%x, %w, %n) strides=[2,2] auto_pad=same_lower"));
    EXPECT_EQ(test.after->find("y")->input_count(), 4u);
    EXPECT_LT(largest_difference(test), 1e-2);
}

TEST(QuantizeDeconvolution, GroupsAndChannels) {
    const PassTest test = run_pass(quantize_deconvolution, model(R"(
        %x_q = Parameter : i8[1,4,3,3]
        %xc = Convert(%x_q) destination_type=f32
        %z = Const value={1.5} : f32[]
        %xs = Subtract(%xc, %z)
        %s = Const value={0.5} : f32[]
        %x = Multiply(%xs, %s)
        %i = Const value=random(6,-127,127) : i8[2,2,3,2,2]
        %ic = Convert(%i) destination_type=f32
        %t = Const value={1,2,4,8,16,32} : f32[2,1,3,1,1]
        %w = Multiply(%ic, %t)
        %y = GroupConvolutionBackpropData(%x, %w) strides=[2,2])"));
    EXPECT_TRUE(test.changed);
    EXPECT_LT(largest_difference(test), 2e-2);
}

TEST(QuantizeDeconvolution, DepthwiseTakesScalesPerChannel) {
    const PassTest test = run_pass(quantize_deconvolution, model(R"(
        %x_q = Parameter : i8[1,2,3,3]
        %xc = Convert(%x_q) destination_type=f32
        %s = Const value={0.5,0.25} : f32[1,2,1,1]
        %x = Multiply(%xc, %s)
        %i = Const value=random(6,-127,127) : i8[2,1,2,2,2]
        %ic = Convert(%i) destination_type=f32
        %t = Const value={1,2,4,8} : f32[2,1,2,1,1]
        %w = Multiply(%ic, %t)
        %y = GroupConvolutionBackpropData(%x, %w) strides=[2,2])"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(largest_difference(test), 0.0);
}

const Refusal kRefusals[] = {
    {"FloatSource",
     std::string("%x = Parameter : f32[1,3,4,4]\n") + kWeights +
         "%y = ConvolutionBackpropData(%x, %w) strides=[1,1]",
     "src_not_quantized: "},
    {"PerChannelScale",
     dq("x", "u8[1,3,4,4]", "1,2,3", "", "f32[1,3,1,1]") + kWeights +
         "%y = ConvolutionBackpropData(%x, %w) strides=[1,1]",
     "per_channel_scale: "},
    {"FractionOfOpenShape",
     dq("x", "u8[1,3,?,?]", "1", "0.25") + kWeights +
         "%y = ConvolutionBackpropData(%x, %w) strides=[1,1]",
     "fractional_zero_point: "},
    {"HugeZeroPoint",
     dq("x", "u8[1,3,4,4]", "1", "3e9") + kWeights +
         "%y = ConvolutionBackpropData(%x, %w) strides=[1,1]",
     "accumulator_overflow: "},
};

class QuantizeDeconvolutionRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(QuantizeDeconvolutionRefusal, SaysWhy) {
    expect_refused(quantize_deconvolution, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All,
                         QuantizeDeconvolutionRefusal,
                         ::testing::ValuesIn(kRefusals),
                         refusal_name);

}  // namespace
}  // namespace fuseq::testing
