// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "patterns/macros.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "patterns/pattern.hpp"

namespace fuseq::patterns {
namespace {

std::string expanded(const std::string& line) {
    return expand_macro(line, "p.txt:7");
}

// The rule that the line breaks.
std::string refusal(const std::string& line) {
    try {
        expanded(line);
    } catch (const Error& error) {
        return error.info().rule;
    }
    return "none";
}

TEST(PatternMacros, OtherLinesStayAsTheyAre) {
    for (const std::string line :
         {"", "// fq(%x, 0, 1, 256)", "model \"fq(1)\"", "%x = Parameter : f32[1,16]",
          "%s = Const value=random(3,0,1) : f32[2]", "    %y = Add(%x, %s)", "} input_map=[0,0]"}) {
        EXPECT_EQ(expanded(line), line + "\n");
    }
}

TEST(PatternMacros, FqIsTwoConstantsAndTheNode) {
    EXPECT_EQ(expanded("    %q = fq(%x:1, -8, 7.9375, 256)"),
              "    %q_low = Const value={-8} : f32[]\n"
              "    %q_high = Const value={7.9375} : f32[]\n"
              "    %q = FakeQuantize(%x:1, %q_low, %q_high, %q_low, %q_high) levels=256\n");
}

TEST(PatternMacros, BiasIsARandomConstantThatIsAdded) {
    EXPECT_EQ(expanded("%b = bias(%x, [1,16,1,1], 9, 0.5)"),
              "%b_c = Const value=random(9,-0.5,0.5) : f32[1,16,1,1]\n"
              "%b = Add(%x, %b_c)\n");
}

TEST(PatternMacros, WeightsHaveScalesThatVaryByChannel) {
    EXPECT_EQ(expanded("%w = weights([2,10], axis=1, scale=1)"),
              "%w_real = Const value=random(3,-254,254) : f32[2,10]\n"
              "%w_low = Const value={-127,-63.5,-31.75,-127,-254,-63.5,-127,-31.75,-127,-63.5} : "
              "f32[1,10]\n"
              "%w_high = Const value={127,63.5,31.75,127,254,63.5,127,31.75,127,63.5} : f32[1,10]\n"
              "%w = FakeQuantize(%w_real, %w_low, %w_high, %w_low, %w_high) levels=255\n");
    EXPECT_EQ(expanded("%w = weights([3,2], scales=equal, seed=5)"),
              "%w_real = Const value=random(5,-0.9921875,0.9921875) : f32[3,2]\n"
              "%w_low = Const value={-0.9921875} : f32[1,1]\n"
              "%w_high = Const value={0.9921875} : f32[1,1]\n"
              "%w = FakeQuantize(%w_real, %w_low, %w_high, %w_low, %w_high) levels=255\n");
}

TEST(PatternMacros, WeightsOfTheI8SpellingMayBeSigned) {
    EXPECT_EQ(expanded("%w = weights([4,2], spelling=i8, scales=signed, scale=0.5)"),
              "%w_i8 = Const value=random(3,-127,127) : i8[4,2]\n"
              "%w_f = Convert(%w_i8) destination_type=f32\n"
              "%w_s = Const value={0.5,-0.25,0.125,-0.5} : f32[4,1]\n"
              "%w = Multiply(%w_f, %w_s)\n");
    EXPECT_THAT(expanded("%w = weights([4,2], spelling=i8, scales=equal)"),
                testing::HasSubstr("%w_s = Const value={0.0078125} : f32[]\n"));
}

TEST(PatternMacros, AnchorsKnowWhereTheirOutputChannelsAre) {
    const auto has = [](const char* scales, const char* node) {
        return testing::AllOf(testing::HasSubstr(scales), testing::EndsWith(node));
    };
    EXPECT_THAT(expanded("%c = qconv(%x, [2,3,3,3], pads=1, strides=2)"),
                has("%c_w_low = Const value={-0.9921875,-0.49609375} : f32[2,1,1,1]\n",
                    "%c = Convolution(%x, %c_w) strides=[2,2] dilations=[1,1] pads_begin=[1,1] "
                    "pads_end=[1,1]\n"));
    EXPECT_THAT(expanded("%c = qdeconv(%x, [3,2,4], dilations=2)"),
                has("%c_w_low = Const value={-0.9921875,-0.49609375} : f32[1,2,1]\n",
                    "%c = ConvolutionBackpropData(%x, %c_w) strides=[1] dilations=[2] "
                    "pads_begin=[0] pads_end=[0]\n"));
    EXPECT_THAT(expanded("%c = qgroup_conv(%x, [1,2,3,3,3])"),
                has("%c_w_low = Const value={-0.9921875,-0.49609375} : f32[1,2,1,1,1]\n",
                    "%c = GroupConvolution(%x, %c_w) strides=[1,1] dilations=[1,1] "
                    "pads_begin=[0,0] pads_end=[0,0]\n"));
    EXPECT_THAT(expanded("%m = qmatmul(%x, [3,2])"),
                has("%m_w_low = Const value={-0.9921875,-0.49609375} : f32[1,2]\n",
                    "%m = MatMul(%x, %m_w)\n"));
    EXPECT_THAT(expanded("%m = qmatmul(%x, [2,3], transpose_b=true)"),
                has("%m_w_low = Const value={-0.9921875,-0.49609375} : f32[2,1]\n",
                    "%m = MatMul(%x, %m_w) transpose_b=true\n"));
}

TEST(PatternMacros, EndsReadIntegersAndChangeNothing) {
    EXPECT_EQ(expanded("%end = end_conv(%q, 16)"),
              "%end_i8 = Const value=fill(2) : i8[16,1,1,1,1]\n"
              "%end_f = Convert(%end_i8) destination_type=f32\n"
              "%end_scale = Const value={0.5} : f32[]\n"
              "%end_w = Multiply(%end_f, %end_scale)\n"
              "%end = GroupConvolution(%q, %end_w) strides=[1,1] dilations=[1,1]\n");
    EXPECT_THAT(
        expanded("%end = end_matmul(%q, 3)"),
        testing::AllOf(testing::StartsWith("%end_i8 = Const value={2,0,0,0,2,0,0,0,2} : i8[3,3]\n"),
                       testing::EndsWith("%end = MatMul(%q, %end_w)\n")));
}

TEST(PatternMacros, RefusalsNamePlaceMacroAndValue) {
    EXPECT_EQ(refusal("%y = conv(%x)"),
              "p.txt:7: no macro is named 'conv'; there are fq, bias, weights, qconv, qdeconv, "
              "qgroup_conv, qmatmul, end_conv, end_matmul");
    EXPECT_EQ(refusal("%y = fq(%x, 0, 1)"), "p.txt:7: fq: levels is missing");
    EXPECT_EQ(refusal("%y = fq(%x, 0, 1, 256, 3)"), "p.txt:7: fq: '3' is one argument too many");
    EXPECT_EQ(refusal("%y = fq(x, 0, 1, 256)"),
              "p.txt:7: fq: source is 'x', expected a node like %x");
    EXPECT_EQ(refusal("%y = fq(%x, 0, 1.2.3, 256)"),
              "p.txt:7: fq: high is '1.2.3', expected a number");
    EXPECT_EQ(refusal("%y = fq(%x, 1, 0, 256)"), "p.txt:7: fq: low is 1, high 0");
    EXPECT_EQ(refusal("%y = fq(%x, 0, 1, 25.5)"),
              "p.txt:7: fq: levels is '25.5', expected a whole number");
    EXPECT_EQ(refusal("%y = fq(%x, 0, 1, 256) levels=255"),
              "p.txt:7: fq: the line does not end with ')'");
    EXPECT_EQ(refusal("%y = qconv(%x, [16,a,3,3])"),
              "p.txt:7: qconv: shape is '[16,a,3,3]', expected a shape like [16,16,3,3]");
    EXPECT_EQ(refusal("%y = qconv(%x, [16,16])"),
              "p.txt:7: qconv: the shape [16,16] has no kernel");
    EXPECT_EQ(refusal("%y = qconv(%x, [16,16,1,1], groups=2)"),
              "p.txt:7: qconv: no argument is named 'groups'");
    EXPECT_EQ(refusal("%y = qconv(%x, [16,16,1,1], scales=odd)"),
              "p.txt:7: qconv: scales is 'odd', expected one of varied, equal, signed");
    EXPECT_EQ(refusal("%y = qconv(%x, [16,16,1,1], scales=signed)"),
              "p.txt:7: qconv: scale 0.0078125 and scales=signed give an inverted range; "
              "spelling=i8 has signs");
    EXPECT_EQ(refusal("%y = qmatmul(%x, [16])"), "p.txt:7: qmatmul: the shape [16] is no matrix");
    EXPECT_EQ(refusal("%y = weights([16,16], axis=2)"),
              "p.txt:7: weights: the shape [16,16] has no axis 2");
}

TEST(PatternMacros, PatternsNameTheLineOfTheirFile) {
    try {
        parse_pattern("conv",
                      "// What it is.\nmodel \"m\"\n%x = Parameter : f32[1]\n%y = fq(%x)\n");
        FAIL() << "the macro was taken";
    } catch (const Error& error) {
        EXPECT_EQ(error.info().rule, "conv.txt:4: fq: low is missing");
    }
}

}  // namespace
}  // namespace fuseq::patterns
