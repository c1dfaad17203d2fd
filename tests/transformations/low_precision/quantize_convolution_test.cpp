// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/quantize_convolution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

// DQ of u8 with the zero point, weights of 4 output channels, a 3x3 window with padding.
std::string convolution(const std::string& zero_point, const std::string& pads = "1,1") {
    return R"(model "m"
        %x = Parameter : u8[1,3,6,6]
        %xc = Convert(%x) destination_type=f32
        %z = Const value={)" +
           zero_point + R"(} : f32[]
        %xs = Subtract(%xc, %z)
        %s = Const value={0.5} : f32[]
        %src = Multiply(%xs, %s)
        %i = Const value=random(5,-127,127) : i8[4,3,3,3]
        %ic = Convert(%i) destination_type=f32
        %t = Const value={0.5,1,2,0.25} : f32[4,1,1,1]
        %w = Multiply(%ic, %t) !origins=["weights_fq"]
        %conv = Convolution(%src, %w) strides=[1,1] dilations=[1,1] pads_begin=[)" +
           pads + "] pads_end=[" + pads + R"(]
        %y = ReLU(%conv)
        %r = Result(%y))";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    return text.replace(text.find(what), what.size(), by);
}

TEST(QuantizeConvolution, WithoutZeroPoint) {
    const PassTest test = run_pass(quantize_convolution, convolution("0"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : u8[1,3,6,6]
        %i = Const value=random(5,-127,127) : i8[4,3,3,3]
        %conv = Convolution(%x, %i) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %s = Const value={0.25,0.5,1,0.125} : f32[1,4,1,1]
        %m = Multiply(%conv, %s)
        %y = ReLU(%m)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(test.after->find("conv")->origins, (std::vector<std::string>{"conv", "weights_fq"}));
    EXPECT_EQ(largest_difference(test), 0.0);  // powers of two: exact
}

// The weights less `zero_point`, of each output channel.
std::string with_weight_zero_point(const std::string& text, const std::string& zero_point) {
    return replaced(text, "%w = Multiply(%ic",
                    "%wz = Const value={" + zero_point +
                        "} : f32[4,1,1,1]\n"
                        "%iz = Subtract(%ic, %wz)\n"
                        "%w = Multiply(%iz");
}

TEST(QuantizeConvolution, WithZeroPointsOfWeights) {
    const PassTest test =
        run_pass(quantize_convolution, with_weight_zero_point(convolution("7"), "0.25,-1,0,100.5"));
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : u8[1,3,6,6]
        %i = Const value=random(5,-127,127) : i8[4,3,3,3]
        %z = Const value={7} : i32[]
        %y0 = Const value={0.25,-1,0,100.5} : f32[4]
        %conv = Convolution(%x, %i, %z, %y0) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %s = Const value={0.25,0.5,1,0.125} : f32[1,4,1,1]
        %m = Multiply(%conv, %s)
        %y = ReLU(%m)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeConvolution, OneZeroPointOfWeightsAndNoneOfTheSource) {
    const PassTest test =
        run_pass(quantize_convolution, with_weight_zero_point(convolution("0"), "0.5,0.5,0.5,0.5"));
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : u8[1,3,6,6]
        %i = Const value=random(5,-127,127) : i8[4,3,3,3]
        %y0 = Const value={0.5} : f32[]
        %conv = Convolution(%x, %i, _, %y0) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %s = Const value={0.25,0.5,1,0.125} : f32[1,4,1,1]
        %m = Multiply(%conv, %s)
        %y = ReLU(%m)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

// The correction for the fraction counts the weights less their zero points, at the border too.
TEST(QuantizeConvolution, FractionsOfBothZeroPoints) {
    const PassTest test = run_pass(quantize_convolution,
                                   with_weight_zero_point(convolution("7.25"), "0.25,-1,0,100.5"));
    EXPECT_TRUE(test.changed);
    EXPECT_LT(largest_difference(test), 1e-2);  // of values up to 1e5
}

TEST(QuantizeConvolution, WithWholeZeroPoint) {
    const PassTest test = run_pass(quantize_convolution, convolution("7"));
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : u8[1,3,6,6]
        %i = Const value=random(5,-127,127) : i8[4,3,3,3]
        %z = Const value={7} : i32[]
        %conv = Convolution(%x, %i, %z) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %s = Const value={0.25,0.5,1,0.125} : f32[1,4,1,1]
        %m = Multiply(%conv, %s)
        %y = ReLU(%m)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

// A range that leaves out zero: kernels take zero points that the type of the source can hold.
TEST(QuantizeConvolution, ZeroPointOutsideOfTheTypeIsClamped) {
    for (const auto& [zero_point, whole] : {std::pair{"-16", 0}, std::pair{"300.25", 255}}) {
        const PassTest test = run_pass(quantize_convolution, convolution(zero_point));
        const Node* add = test.after->find("y")->input_node(0);
        ASSERT_EQ(add->type(), "Add") << zero_point;
        EXPECT_EQ(add->input(1).shape(), (Shape{1, 4, 6, 6}));
        const Node& conv = *test.after->find("conv");
        EXPECT_EQ(whole == 0, !conv.has_input(2)) << zero_point;
        if (whole != 0) {
            EXPECT_EQ(to_ints(conv.input_node(2)->constant()), std::vector<std::int64_t>{whole});
        }
        EXPECT_LT(largest_difference(test), 1e-1) << zero_point;  // of values up to 1e6
    }
}

TEST(QuantizeConvolution, FractionOfTheZeroPointIsABiasWithoutPadding) {
    const PassTest test = run_pass(quantize_convolution, convolution("7.25", "0,0"));
    const Node* add = test.after->find("y")->input_node(0);
    ASSERT_EQ(add->type(), "Add");
    EXPECT_EQ(add->input(1).shape(), (Shape{1, 4, 1, 1}));
    EXPECT_EQ(to_ints(test.after->find("conv")->input_node(2)->constant()),
              std::vector<std::int64_t>{7});
    EXPECT_LT(largest_difference(test), 1e-2);  // of values up to 1e5
}

TEST(QuantizeConvolution, FractionOfTheZeroPointIsExactAtTheBorder) {
    const PassTest test = run_pass(quantize_convolution, convolution("7.25"));
    const Node* add = test.after->find("y")->input_node(0);
    ASSERT_EQ(add->type(), "Add");
    EXPECT_EQ(add->input(1).shape(), (Shape{1, 4, 6, 6}));
    EXPECT_LT(largest_difference(test), 1e-2);
}

TEST(QuantizeConvolution, BorderCountsOnlyWhereItChangesTheNextQuantization) {
    // 0.002 * 127 * 9 weights at most: less than 0.001 of a step of 4000.
    std::string text = convolution("7.002");
    const std::string relu = "%y = ReLU(%conv)";
    text.replace(text.find(relu), relu.size(), R"(
        %l = Const value={0} : f32[]
        %h = Const value={1020000} : f32[]
        %y = FakeQuantize(%conv, %l, %h, %l, %h) levels=256)");
    const PassTest coarse = run_pass(quantize_convolution, text);
    EXPECT_EQ(coarse.after->find("y")->input_node(0)->input(1).shape(), (Shape{1, 4, 1, 1}));
    text.replace(text.find("1020000"), 7, "102.000");
    const PassTest fine = run_pass(quantize_convolution, text);
    EXPECT_EQ(fine.after->find("y")->input_node(0)->input(1).shape(), (Shape{1, 4, 6, 6}));
}

TEST(QuantizeConvolution, SaysWhereABorderIsApproximate) {
    std::string text = convolution("7.25");
    text.replace(text.find("u8[1,3,6,6]"), 11, "u8[1,3,?,?]");
    const PassTest test = run_pass(quantize_convolution, text);
    EXPECT_TRUE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "conv"), StartsWith("approximate_border: "));
    EXPECT_EQ(test.after->find("y")->input_node(0)->input(1).shape(), (Shape{1, 4, 1, 1}));
}

// Strides, dilations and asymmetric padding: the correction follows the window.
TEST(QuantizeConvolution, FollowsEveryWindow) {
    const char* const kWindows[] = {
        "strides=[2,1] dilations=[1,2] pads_begin=[1,2] pads_end=[0,1]",
        "strides=[1,1] dilations=[2,2] pads_begin=[2,2] pads_end=[2,2]",
        "strides=[2,2] dilations=[1,1] auto_pad=same_upper",
        "strides=[1,2] dilations=[1,1] auto_pad=same_lower",
        "strides=[1,1] dilations=[1,1] auto_pad=valid pads_begin=[1,1] pads_end=[1,1]",
        "strides=[3,3] dilations=[1,1] pads_begin=[2,2] pads_end=[2,2]",
    };
    for (const char* window : kWindows) {
        std::string text = convolution("-3.4");
        const std::string plain = "strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]";
        text.replace(text.find(plain), plain.size(), window);
        const PassTest test = run_pass(quantize_convolution, text);
        EXPECT_TRUE(test.changed) << window;
        EXPECT_LT(largest_difference(test), 2e-2) << window;
    }
}

std::string depthwise(const std::string& scale, const std::string& zero_point) {
    return R"(model "m"
        %x = Parameter : i8[1,2,5,5]
        %xc = Convert(%x) destination_type=f32
        %z = Const value={)" +
           zero_point + R"(} : f32[1,2,1,1]
        %xs = Subtract(%xc, %z)
        %s = Const value={)" +
           scale + R"(} : f32[1,2,1,1]
        %src = Multiply(%xs, %s)
        %i = Const value=random(6,-127,127) : i8[2,3,1,3,3]
        %ic = Convert(%i) destination_type=f32
        %t = Const value={1,2,4,8,16,32} : f32[2,3,1,1,1]
        %w = Multiply(%ic, %t)
        %conv = GroupConvolution(%src, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %y = ReLU(%conv)
        %r = Result(%y))";
}

TEST(QuantizeConvolution, DepthwiseTakesScalesPerChannel) {
    const PassTest test = run_pass(quantize_convolution, depthwise("0.5,0.25", "0,0"));
    EXPECT_TRUE(test.changed);
    const Node* conv = test.after->find("conv");
    EXPECT_EQ(conv->input_count(), 2u);
    EXPECT_EQ(to_floats(test.after->find("y")->input_node(0)->input_node(1)->constant()),
              (std::vector<float>{0.5, 1, 2, 2, 4, 8}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeConvolution, DepthwiseTakesZeroPointsPerChannel) {
    const PassTest test = run_pass(quantize_convolution, depthwise("0.5,0.25", "3,-4"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(to_ints(test.after->find("conv")->input_node(2)->constant()),
              (std::vector<std::int64_t>{3, -4}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeConvolution, DepthwiseTakesFractionsPerChannel) {
    const PassTest test = run_pass(quantize_convolution, depthwise("0.5,0.25", "0.25,0.0625"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("conv")->input_count(), 2u);  // both round to zero
    EXPECT_LT(largest_difference(test), 2e-2);
}

TEST(QuantizeConvolution, TakesChannelsOfDifferentScalesInParts) {
    std::string text = replaced(convolution("0"), "%s = Const value={0.5} : f32[]",
                                "%s = Const value={0.5,2,0.5} : f32[1,3,1,1]");
    text = replaced(text, "%z = Const value={0} : f32[]",
                    "%z = Const value={3,1.25,3} : f32[1,3,1,1]");
    const PassTest test = run_pass(quantize_convolution, text);
    EXPECT_TRUE(test.changed);
    const Node* first = test.after->find("conv/part0");
    const Node* last = test.after->find("conv");
    EXPECT_EQ(first->input(1).shape(), (Shape{4, 2, 3, 3}));
    EXPECT_EQ(last->input(1).shape(), (Shape{4, 1, 3, 3}));
    EXPECT_EQ(first->input_node(0)->type(), "Gather");
    EXPECT_EQ(to_ints(first->input_node(0)->input_node(1)->constant()),
              (std::vector<std::int64_t>{0, 2}));
    EXPECT_EQ(first->origins, (std::vector<std::string>{"conv", "weights_fq"}));
    EXPECT_LT(largest_difference(test), 2e-2);
}

// Three DQ, the first two with equal numbers, the last one of another type if asked.
std::string concatenation(const std::string& last_type) {
    return R"(model "m"
        %a = Parameter : u8[1,2,5,5]
        %b = Parameter : u8[1,1,5,5]
        %c = Parameter : )" +
           last_type + R"([1,3,5,5]
        %ac = Convert(%a) destination_type=f32
        %bc = Convert(%b) destination_type=f32
        %cc = Convert(%c) destination_type=f32
        %s = Const value={0.5} : f32[]
        %t = Const value={2} : f32[]
        %am = Multiply(%ac, %s)
        %bm = Multiply(%bc, %t)
        %cm = Multiply(%cc, %s)
        %src = Concat(%am, %bm, %cm) axis=1
        %i = Const value=random(5,-127,127) : i8[4,6,3,3]
        %ic = Convert(%i) destination_type=f32
        %u = Const value={0.5,1,2,0.25} : f32[4,1,1,1]
        %w = Multiply(%ic, %u)
        %conv = Convolution(%src, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %r = Result(%conv))";
}

TEST(QuantizeConvolution, ReadsTheInputsOfAConcatOfDifferentTypes) {
    const PassTest test = run_pass(quantize_convolution, concatenation("i8"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("src"), nullptr);
    EXPECT_EQ(test.after->find("conv")->input_node(0)->name(), "c");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeConvolution, ReadsTheInputsOfAConcatOfDifferentScales) {
    // After move_dequantize_down the Concat joins integers, and the scales are per channel.
    PassTest test = run_pass(move_dequantize_down, concatenation("u8"));
    EXPECT_EQ(test.after->find("src")->port().type, element::u8);
    EXPECT_TRUE(quantize_convolution(*test.after, test.context));
    test.after->remove_dead_nodes();
    test.after->validate();
    EXPECT_EQ(test.after->find("src"), nullptr);
    EXPECT_EQ(test.after->find("conv")->input_node(0)->name(), "b");
    EXPECT_EQ(test.after->find("conv/part0")->input_node(0)->type(), "Concat");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeConvolution, GroupsOfSeveralChannels) {
    const PassTest test = run_pass(quantize_convolution, R"(model "m"
        %x = Parameter : u8[1,4,5]
        %xc = Convert(%x) destination_type=f32
        %z = Const value={1.5} : f32[]
        %xs = Subtract(%xc, %z)
        %s = Const value={0.5} : f32[]
        %src = Multiply(%xs, %s)
        %i = Const value=random(6,-127,127) : i8[2,3,2,3]
        %ic = Convert(%i) destination_type=f32
        %t = Const value={1,2,4,8,16,32} : f32[2,3,1,1]
        %w = Multiply(%ic, %t)
        %conv = GroupConvolution(%src, %w) strides=[1] dilations=[1] pads_begin=[1] pads_end=[1]
        %r = Result(%conv))");
    EXPECT_TRUE(test.changed);
    EXPECT_LT(largest_difference(test), 2e-2);
}

struct Refusal {
    const char* name;
    std::string text;
    const char* reason;
};

const Refusal kRefusals[] = {
    {"FloatSource", replaced(convolution("0"), "Convolution(%src", "Convolution(%float_src"),
     "src_not_quantized: the source comes from Parameter 'float_src' in float"},
    {"FloatWeights",
     replaced(convolution("0"),
              "%w = Multiply(%ic, %t) !origins=[\"weights_fq\"]",
              "%w = Const value=random(1) : f32[4,3,3,3]"),
     "weights_not_quantized: the second operand comes from Const 'w' in float"},
    {"WeightScalesOfInputChannels",
     replaced(convolution("0"),
              "%t = Const value={0.5,1,2,0.25} : f32[4,1,1,1]",
              "%t = Const value={0.25,0.5,1} : f32[1,3,1,1]"),
     "weights_not_quantized: "},
    {"PerChannelScaleOfAGroup",
     replaced(replaced(replaced(replaced(convolution("0"),
                                         "%s = Const value={0.5} : f32[]",
                                         "%s = Const value={1,2,3,4} : f32[1,4,1,1]"),
                                "u8[1,3,6,6]",
                                "u8[1,4,6,6]"),
                       "i8[4,3,3,3]",
                       "i8[2,2,2,3,3]"),
              "%t = Const value={0.5,1,2,0.25} : f32[4,1,1,1]",
              "%t = Const value={0.5} : f32[]"),
     "per_channel_scale: the source is quantized per channel (4 scales), and each group sums over "
     "several channels"},
    {"TooManyScales",
     replaced(replaced(replaced(convolution("0"),
                                "%s = Const value={0.5} : f32[]",
                                "%s = Const value=iota(1) : f32[1,17,1,1]"),
                       "u8[1,3,6,6]",
                       "u8[1,17,6,6]"),
              "i8[4,3,3,3]",
              "i8[4,17,3,3]"),
     "too_many_scales: the channels of the source have 17 different scales or zero points"},
    {"HugeZeroPoint", convolution("-3000000"), "accumulator_overflow: "},
    {"LargeZeroPoint", replaced(convolution("-1000000"), "random(5,-127,127)", "fill(127)"),
     "accumulator_overflow: a sum of products may not fit into 32 bits"},
};

class QuantizeConvolutionRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(QuantizeConvolutionRefusal, SaysWhy) {
    std::string text = GetParam().text;
    if (text.find("%float_src") != std::string::npos) {
        text = replaced(text, "%xc =", "%float_src = Parameter : f32[1,3,6,6]\n%xc =");
    }
    if (text.find("i8[2,2,2,3,3]") != std::string::npos) {
        text = replaced(text, "= Convolution", "= GroupConvolution");
    }
    const PassTest test = run_pass(quantize_convolution, text);
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "conv"), StartsWith(GetParam().reason));
    EXPECT_EQ(largest_difference(test), 0.0);
}

INSTANTIATE_TEST_SUITE_P(All,
                         QuantizeConvolutionRefusal,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.name; });

TEST(QuantizeConvolution, IsSilentAboutFloatConvolutions) {
    const PassTest test = run_pass(quantize_convolution, R"(model "m"
        %x = Parameter : f32[1,3,5,5]
        %w = Const value=random(1) : f32[2,3,1,1]
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %r = Result(%conv))");
    EXPECT_FALSE(test.changed);
    EXPECT_TRUE(test.context.remarks().empty());
}

}  // namespace
}  // namespace fuseq::testing
