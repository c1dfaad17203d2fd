// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/normalize_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

std::string convolution_of(const std::string& weights) {
    return R"(model "m"
        %x = Parameter : f32[1,1,2,2]
        )" +
           weights +
           R"(
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1]
        %r = Result(%conv))";
}

// Two output channels of scales 0.5 and 0.25, integers {-127, 5} and {127, -1}.
const char* const kNormalized = R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={0.5,0.25} : f32[2,1,1,1]
        %w = Multiply(%c, %s))";

struct Spelling {
    const char* name;
    const char* text;
};

const Spelling kSpellings[] = {
    {"FakeQuantizeOfReals", R"(
        %d = Const value={-63.5,2.5,31.75,-0.25} : f32[2,1,1,2]
        %l = Const value={-63.5,-31.75} : f32[2,1,1,1]
        %h = Const value={63.5,31.75} : f32[2,1,1,1]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=255)"},
    {"FakeQuantizeOfUnsignedIntegers", R"(
        %u = Const value={0,132,254,126} : u8[2,1,1,2]
        %d = Convert(%u) destination_type=f32
        %il = Const value=fill(0) : f32[1,1,1,1]
        %ih = Const value=fill(254) : f32[1,1,1,1]
        %l = Const value={-63.5,-31.75} : f32[2,1,1,1]
        %h = Const value={63.5,31.75} : f32[2,1,1,1]
        %w = FakeQuantize(%d, %il, %ih, %l, %h) levels=255)"},
    {"SubtractOfZero", R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %z = Const value={0,0} : f32[2,1,1,1]
        %b = Subtract(%c, %z)
        %s = Const value={0.5,0.25} : f32[2,1,1,1]
        %w = Multiply(%b, %s))"},
    {"SubtractOfNoiseAlongTheSum", R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %z = Const value={0,7.6e-6} : f32[1,1,1,2]
        %b = Subtract(%c, %z)
        %s = Const value={0.5,0.25} : f32[2,1,1,1]
        %w = Multiply(%b, %s))"},
    {"MultiplyOnly", R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={0.5,0.25} : f32[2,1,1,1]
        %w = Multiply(%c, %s))"},
    {"UnsignedIntegersWithZeroPoint", R"(
        %i = Const value={1,133,255,127} : u8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %z = Const value=fill(128) : f32[]
        %b = Subtract(%c, %z)
        %s = Const value={0.5,0.25} : f32[2,1,1,1]
        %w = Multiply(%b, %s))"},
    {"LimitsInHalfPrecision", R"(
        %d = Const value={-63.5,2.5,31.75,-0.25} : f32[2,1,1,2]
        %lh = Const value={-63.5,-31.75} : f16[2,1,1,1]
        %l = Convert(%lh) destination_type=f32
        %hh = Const value={63.5,31.75} : f16[2,1,1,1]
        %h = Convert(%hh) destination_type=f32
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=255)"},
    {"ThroughReshape", R"(
        %i = Const value={-127,5,127,-1} : i8[2,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={0.5,0.25} : f32[2,1]
        %m = Multiply(%c, %s)
        %p = Const value={2,1,1,2} : i64[4]
        %w = Reshape(%m, %p))"},
    {"ThroughTranspose", R"(
        %i = Const value={-127,127,5,-1} : i8[1,2,1,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={0.5,0.25} : f32[1,1,1,2]
        %m = Multiply(%c, %s)
        %p = Const value={3,0,2,1} : i64[4]
        %w = Transpose(%m, %p))"},
};

class NormalizeWeightsSpelling : public ::testing::TestWithParam<Spelling> {};

TEST_P(NormalizeWeightsSpelling, ReachesTheSameIntegers) {
    const PassTest test = run_pass(normalize_weights, convolution_of(GetParam().text));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, convolution_of(kNormalized)), "");
    EXPECT_LT(largest_difference(test), 1e-3);  // the noise of one spelling: 127 * 7.6e-6
}

INSTANTIATE_TEST_SUITE_P(All,
                         NormalizeWeightsSpelling,
                         ::testing::ValuesIn(kSpellings),
                         [](const auto& test) { return test.param.name; });

// What is left of a chain whose scale was 1 everywhere.
const char* const kScaleOfOne = R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={1} : f32[]
        %w = Multiply(%c, %s))";

TEST(NormalizeWeights, TakesAScaleThatWasDropped) {
    const PassTest test = run_pass(normalize_weights, convolution_of(R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %w = Convert(%i) destination_type=f32)"));
    EXPECT_EQ(differs_from(test, convolution_of(kScaleOfOne)), "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(NormalizeWeights, TakesAZeroPointWithoutAScale) {
    const PassTest test = run_pass(normalize_weights, convolution_of(R"(
        %i = Const value={1,133,255,127} : u8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %z = Const value=fill(128) : f32[]
        %w = Subtract(%c, %z))"));
    EXPECT_EQ(differs_from(test, convolution_of(kScaleOfOne)), "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(NormalizeWeights, TakesTheWholeRangeOf256Levels) {
    const PassTest test = run_pass(normalize_weights, convolution_of(R"(
        %d = Const value={-64,2.5,63.5,70} : f32[2,1,1,2]
        %l = Const value=fill(-64) : f32[]
        %h = Const value=fill(63.5) : f32[]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=256)"));
    EXPECT_EQ(differs_from(test, convolution_of(R"(
        %i = Const value={-128,5,127,127} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={0.5} : f32[]
        %w = Multiply(%c, %s))")),
              "");
    EXPECT_LT(largest_difference(test), 1e-4);
}

TEST(NormalizeWeights, TakesFewLevels) {  // 4-bit weights
    const PassTest test = run_pass(normalize_weights, convolution_of(R"(
        %d = Const value={-9,2.4,3,1} : f32[2,1,1,2]
        %l = Const value=fill(-8) : f32[]
        %h = Const value=fill(7) : f32[]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=16)"));
    EXPECT_EQ(differs_from(test, convolution_of(R"(
        %i = Const value={-8,2,3,1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={1} : f32[]
        %w = Multiply(%c, %s))")),
              "");
    EXPECT_LT(largest_difference(test), 1e-5);
}

TEST(NormalizeWeights, KeepsChannelsOfOneValue) {
    const PassTest test = run_pass(normalize_weights, convolution_of(R"(
        %d = Const value={3,-1,0.25,1} : f32[2,1,1,2]
        %l = Const value={0,0.75} : f32[2,1,1,1]
        %h = Const value={0,0.75} : f32[2,1,1,1]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=255)"));
    EXPECT_EQ(differs_from(test, convolution_of(R"(
        %i = Const value={0,0,1,1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={1,0.75} : f32[2,1,1,1]
        %w = Multiply(%c, %s))")),
              "");
    EXPECT_LT(largest_difference(test), 1e-6);
}

TEST(NormalizeWeights, NumbersGroupsAndChannels) {
    const PassTest test = run_pass(normalize_weights, R"(model "m"
        %x = Parameter : f32[1,2,3,3]
        %i = Const value=random(3,-127,127) : i8[4,1,2,2]
        %c = Convert(%i) destination_type=f32
        %s = Const value={0.5,0.25,2,1} : f32[4,1,1,1]
        %m = Multiply(%c, %s)
        %p = Const value={2,2,1,2,2} : i64[5]
        %w = Reshape(%m, %p)
        %conv = GroupConvolution(%x, %w) strides=[1,1] dilations=[1,1]
        %r = Result(%conv))");
    const Node* multiply = test.after->find("conv")->input_node(1);
    EXPECT_EQ(multiply->type(), "Multiply");
    EXPECT_EQ(multiply->input(0).node->input(0).shape(), (Shape{2, 2, 1, 2, 2}));
    EXPECT_EQ(multiply->input(1).shape(), (Shape{2, 2, 1, 1, 1}));
    EXPECT_EQ(to_floats(multiply->input_node(1)->constant()),
              (std::vector<float>{0.5, 0.25, 2, 1}));
    EXPECT_EQ(multiply->origins, (std::vector<std::string>{"c", "m"}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

// Integers, the zero point that is left, and the scale.
struct ZeroPoint {
    const char* name;
    const char* text;
    const char* after;
};

const ZeroPoint kZeroPoints[] = {
    {"Noise", R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %z = Const value={0,7.5e-6} : f32[2,1,1,1]
        %b = Subtract(%c, %z)
        %s = Const value={0.5,0.25} : f32[2,1,1,1]
        %w = Multiply(%b, %s))",
     R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %z = Const value={0,7.5e-6} : f32[2,1,1,1]
        %s = Const value={0.5,0.25} : f32[2,1,1,1])"},
    {"FractionOfARange", R"(
        %d = Const value={-1,0.5,0.25,1} : f32[2,1,1,2]
        %l = Const value=fill(-1) : f32[]
        %h = Const value=fill(1.03125) : f32[]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=256)",  // a step of 1/125.538, 125.538 below
     R"(
        %i = Const value={-126,62,31,125} : i8[2,1,1,2]
        %z = Const value={-0.4615384638309479} : f32[]
        %s = Const value={0.007965686} : f32[])"},
    {"BetweenTwoNumbers", R"(
        %d = Const value={-1,0,0.5,1} : f32[2,1,1,2]
        %l = Const value=fill(-1) : f32[]
        %h = Const value=fill(1) : f32[]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=256)",
     R"(
        %i = Const value={-128,0,63,127} : i8[2,1,1,2]
        %z = Const value={-0.5} : f32[]
        %s = Const value={0.007843138} : f32[])"},
    {"TooFarFromZero", R"(
        %d = Const value={0,1,2,255} : f32[2,1,1,2]
        %l = Const value=fill(0) : f32[]
        %h = Const value=fill(255) : f32[]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=256)",
     R"(
        %i = Const value={-128,-127,-126,127} : i8[2,1,1,2]
        %z = Const value={-128} : f32[]
        %s = Const value={1} : f32[])"},
    {"UnsignedWithoutZeroPoint", R"(
        %i = Const value={1,133,255,127} : u8[2,1,1,2]
        %w = Convert(%i) destination_type=f32)",
     R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %z = Const value={-128} : f32[]
        %s = Const value={1} : f32[])"},
    {"SignedBeyondTheRange", R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %z = Const value={10.25,-3} : f32[2,1,1,1]
        %w = Subtract(%c, %z))",
     R"(
        %i = Const value={-127,5,127,-1} : i8[2,1,1,2]
        %z = Const value={10.25,-3} : f32[2,1,1,1]
        %s = Const value={1} : f32[])"},
};

class NormalizeWeightsZeroPoint : public ::testing::TestWithParam<ZeroPoint> {};

TEST_P(NormalizeWeightsZeroPoint, StaysBesideTheIntegers) {
    const PassTest test = run_pass(normalize_weights, convolution_of(GetParam().text));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, convolution_of(std::string(GetParam().after) + R"(
        %c = Convert(%i) destination_type=f32
        %b = Subtract(%c, %z)
        %w = Multiply(%b, %s))")),
              "");
    EXPECT_LT(largest_difference(test), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(All,
                         NormalizeWeightsZeroPoint,
                         ::testing::ValuesIn(kZeroPoints),
                         [](const auto& test) { return test.param.name; });

struct Refusal {
    const char* name;
    const char* text;
    const char* reason;
};

const Refusal kRefusals[] = {
    {"ZeroPointOfInputChannels", R"(
        %i = Const value=random(1) : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %z = Const value={0,0.25} : f32[1,1,1,2]
        %b = Subtract(%c, %z)
        %s = Const value=fill(2) : f32[]
        %w = Multiply(%b, %s))",
     "weight_zero_point: the zero point of the weights varies along a dimension that is summed"},
    {"ZeroPointThatIsNoNumber", R"(
        %i = Const value=random(1) : i8[2,1,1,2]
        %c = Convert(%i) destination_type=f32
        %z = Const value=fill(3e7) : f32[]
        %w = Subtract(%c, %z))",
     "weight_zero_point: the zero point of the weights is 3e+07, expected a number below 1048576"},
    {"ScaleOfInputChannels", R"(
        %d = Const value=random(1) : f32[2,1,1,2]
        %l = Const value={-1,-2} : f32[1,1,1,2]
        %h = Const value={1,2} : f32[1,1,1,2]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=255)",
     "weight_scale_axis: "},
    {"TooManyLevels", R"(
        %d = Const value=random(1) : f32[2,1,1,2]
        %l = Const value={-1} : f32[]
        %h = Const value={1} : f32[]
        %w = FakeQuantize(%d, %l, %h, %l, %h) levels=65535)",
     "levels: 65535 levels do not fit into 8 bits"},
};

class NormalizeWeightsRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(NormalizeWeightsRefusal, SaysWhy) {
    const std::string text = convolution_of(GetParam().text);
    const PassTest test = run_pass(normalize_weights, text);
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(differs_from(test, text), "");
    EXPECT_THAT(refusal_at(test.context, "conv"), StartsWith(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(All,
                         NormalizeWeightsRefusal,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.name; });

TEST(NormalizeWeights, LeavesWhatTheUserKeepsInFloat) {
    PassOptions options;
    options.keep_float = {"w"};
    const PassTest test = run_pass(normalize_weights, convolution_of(kSpellings[0].text), options);
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "conv"), StartsWith("kept_float"));
}

}  // namespace
}  // namespace fuseq::testing
