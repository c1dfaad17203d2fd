// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/quantize_before_movement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/quantize_text.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

// Two integer convolutions %a and %b of [1,4,2,2], and the limits of a quantization to u8.
std::string model(const std::string& rest, const std::string& low = "{-2} : f32[]") {
    return R"(model "m"
        %x = Parameter : u8[1,2,2,2]
        %k = Const value={0.01} : f32[]
        %wa = Const value=random(1,-20,20) : i8[4,2,1,1]
        %ca = Convolution(%x, %wa) strides=[1,1] dilations=[1,1]
        %a = Multiply(%ca, %k)
        %wb = Const value=random(2,-20,20) : i8[4,2,1,1]
        %cb = Convolution(%x, %wb) strides=[1,1] dilations=[1,1]
        %b = Multiply(%cb, %k))" +
           limits(low, "23.5") + rest;
}

struct Movement {
    const char* name;
    const char* constants;
    const char* text;  // applied to %$
};

const Movement kMovements[] = {
    {"Reshape", "%s = Const value={1,16} : i64[2]", "Reshape(%$, %s)"},
    {"Squeeze", "%s = Const value={0} : i64[1]", "Squeeze(%$, %s)"},
    {"Unsqueeze", "%s = Const value={1} : i64[1]", "Unsqueeze(%$, %s)"},
    {"Transpose", "%s = Const value={0,2,3,1} : i64[4]", "Transpose(%$, %s)"},
    {"DepthToSpace", "", "DepthToSpace(%$) block_size=2 mode=blocks_first"},
    {"SpaceToDepth", "", "SpaceToDepth(%$) block_size=2 mode=blocks_first"},
    {"ShuffleChannels", "", "ShuffleChannels(%$) axis=1 group=2"},
    {"Tile", "%s = Const value={1,1,2,3} : i64[4]", "Tile(%$, %s)"},
    {"PadByEdge", "%s = Const value={0,0,1,1} : i64[4]", "Pad(%$, %s, %s) pad_mode=edge"},
    {"Interpolate", R"(%s = Const value={4,6} : i64[2]
        %z = Const value={2,3} : f32[2]
        %i = Const value={2,3} : i64[2])",
     "Interpolate.4(%$, %s, %z, %i) mode=nearest shape_calculation_mode=sizes "
     "coordinate_transformation_mode=asymmetric nearest_mode=floor"},
};

std::string applied(const Movement& movement, const std::string& to) {
    std::string text = movement.text;
    text.replace(text.find('$'), 1, to);
    return text;
}

class QuantizeBeforeMovement : public ::testing::TestWithParam<Movement> {};

TEST_P(QuantizeBeforeMovement, MovesBytesInstead) {
    const Movement& m = GetParam();
    const std::string constants = std::string(m.constants) + "\n";
    const PassTest test = run_pass(
        quantize_before_movement,
        model(constants + "%m = " + applied(m, "a") + quantize("q", "m") + "%r = Result(%q)"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, model(constants + quantize("f", "a") + "%m = " + applied(m, "f") +
                                       "\n%r = Result(%m)")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
    // The result of the movement is what the FakeQuantize of the IR gives.
    const Node* movement = test.after->results().at(0)->input_node(0);
    EXPECT_EQ(movement->name(), "q");
    EXPECT_EQ(movement->origins, (std::vector<std::string>{"m", "q"}));
}

INSTANTIATE_TEST_SUITE_P(All,
                         QuantizeBeforeMovement,
                         ::testing::ValuesIn(kMovements),
                         [](const auto& test) { return test.param.name; });

TEST(QuantizeBeforeMovement, QuantizesTheInputsOfAConcat) {
    const PassTest test =
        run_pass(quantize_before_movement,
                 model("%m = Concat(%a, %b) axis=1" + quantize("q", "m") + "%r = Result(%q)"));
    EXPECT_EQ(differs_from(test, model(quantize("fa", "a") + quantize("fb", "b") +
                                       "%m = Concat(%fa, %fb) axis=1\n%r = Result(%m)")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

// Each of two quantizations of a Concat with a resized tensor gets a Concat of its own, of bytes.
TEST(QuantizeBeforeMovement, RepeatsAConcatOfResizedIntegers) {
    const PassTest test = run_pass(quantize_before_movement, R"(model "m"
        %x = Parameter : u8[1,4,2,2]
        %xf = Convert(%x) destination_type=f32
        %s = Const value={4,6} : i64[2]
        %z = Const value={2,3} : f32[2]
        %i = Const value={2,3} : i64[2]
        %u = Interpolate.4(%xf, %s, %z, %i) mode=linear_onnx shape_calculation_mode=sizes
        %k = Const value={0.1} : f32[]
        %a = Multiply(%u, %k)
        %y = Parameter : u8[1,2,4,6]
        %yf = Convert(%y) destination_type=f32
        %b = Multiply(%yf, %k)
        %m = Concat(%a, %b) axis=1
        %l2 = Const value={0} : f32[])" + limits("{-2} : f32[]", "23.5") +
                                                                 quantize("q", "m") + R"(
        %q2 = FakeQuantize(%m, %l2, %h, %ol, %oh) levels=256 output_type=u8
        %r = Result(%q)
        %r2 = Result(%q2))");
    const auto concats = test.after->find_all("Concat");
    ASSERT_EQ(concats.size(), 2U);
    EXPECT_EQ(test.after->find_all("FakeQuantize").size(), 4U);
    for (const Node* concat : concats) {
        EXPECT_EQ(concat->port().type, ElementType::u8);
    }
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeBeforeMovement, TakesActivationsAlong) {
    const PassTest test = run_pass(quantize_before_movement, model(R"(
        %m = Concat(%a, %b) axis=2
        %r1 = ReLU(%m)
        %r2 = Clamp(%r1) min=0.5 max=20)" + quantize("q", "r2") + "%r = Result(%q)"));
    EXPECT_EQ(differs_from(test, model(R"(
        %a1 = ReLU(%a)
        %a2 = Clamp(%a1) min=0.5 max=20)" +
                                       quantize("fa", "a2") +
                                       R"(
        %b1 = ReLU(%b)
        %b2 = Clamp(%b1) min=0.5 max=20)" +
                                       quantize("fb", "b2") +
                                       "%m = Concat(%fa, %fb) axis=2\n%r = Result(%m)")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeBeforeMovement, PassesOneMovementAfterTheOther) {
    const char* const kSizes = R"(
        %s = Const value={2,2,2,2} : i64[4]
        %o = Const value={1,0,2,3} : i64[4])";
    const PassTest test = run_pass(quantize_before_movement, model(std::string(kSizes) + R"(
        %m = Reshape(%a, %s)
        %t = Transpose(%m, %o))" + quantize("q", "t") + "%r = Result(%q)"));
    EXPECT_EQ(differs_from(test, model(std::string(kSizes) + quantize("f", "a") + R"(
        %m = Reshape(%f, %s)
        %t = Transpose(%m, %o)
        %r = Result(%t))")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeBeforeMovement, QuantizesThePadding) {  // 1.03 is 30.3 steps of 0.1 from -2
    const char* const kPad = "%p = Const value={0,0,1,1} : i64[4]\n";
    const PassTest test = run_pass(quantize_before_movement,
                                   model(std::string(kPad) + "%v = Const value={1.03} : f32[]\n" +
                                         "%m = Pad(%a, %p, %p, %v) pad_mode=constant" +
                                         quantize("q", "m") + "%r = Result(%q)"));
    EXPECT_EQ(
        differs_from(
            test, model(std::string(kPad) + "%v = Const value={30} : u8[]\n" + quantize("f", "a") +
                        "%m = Pad(%f, %p, %p, %v) pad_mode=constant\n" + "%r = Result(%m)")),
        "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

struct Case {
    const char* name;
    std::string text;
    const char* reason;  // "" is a silent one
};

class QuantizeBeforeMovementRefusal : public ::testing::TestWithParam<Case> {};

TEST_P(QuantizeBeforeMovementRefusal, SaysWhy) {
    const PassTest test = run_pass(quantize_before_movement, GetParam().text);
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(differs_from(test, GetParam().text), "");
    EXPECT_THAT(refusal_at(test.context, "q"), StartsWith(GetParam().reason));
    EXPECT_EQ(refusal_at(test.context, "q").empty(), std::string(GetParam().reason).empty());
}

const char* const kTranspose = "%o = Const value={0,2,3,1} : i64[4]\n%m = Transpose(%a, %o)";

INSTANTIATE_TEST_SUITE_P(All,
                         QuantizeBeforeMovementRefusal,
                         ::testing::Values(Case{"ReadByOthers",
                                                model(kTranspose + quantize("q", "m") +
                                                      "%r = Result(%q)\n%r2 = Result(%m)"),
                                                "read_by_others: others read what Transpose 'm'"},
                                           Case{"PerChannel",
                                                model("%m = ShuffleChannels(%a) axis=1 group=2" +
                                                          quantize("q", "m") + "%r = Result(%q)",
                                                      "{-2,-1,-2,-1} : f32[1,4,1,1]"),
                                                "per_channel_range: "},
                                           Case{"PaddingBeforeAnActivation",
                                                model(R"(%p = Const value={0,0,1,1} : i64[4]
             %v = Const value={1} : f32[]
             %m = Pad(%a, %p, %p, %v) pad_mode=constant
             %s = Sigmoid(%m))" + quantize("q", "s") + "%r = Result(%q)"),
                                                "pad_value: "},
                                           Case{"SourceReadByOthers",
                                                model(kTranspose + quantize("q", "m") +
                                                      "%r = Result(%q)\n%r2 = Result(%a)"),
                                                ""},
                                           Case{"ConcatOfFloats", R"(model "m"
             %a = Parameter : f32[1,4,2,2]
             %b = ReLU(%a)
             %m = Concat(%b, %b) axis=1
             %l = Const value={0} : f32[]
             %h = Const value={25.5} : f32[]
             %ol = Const value={0} : f32[]
             %oh = Const value={255} : f32[])" + quantize("q", "m") + "%r = Result(%q)",
                                                ""}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fuseq::testing
