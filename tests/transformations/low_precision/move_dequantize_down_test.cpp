// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/move_dequantize_down.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"

namespace fuseq::testing {
namespace {

struct Moved {
    const char* name;
    std::string before;
    std::string after;
};

const char* const kChannels = "f32[1,2,1,1]";

const Moved kMoved[] = {
    {"ReLUOfSigned", dq("x", "i8[1,2,4,4]", "0.5", "") + "%y = ReLU(%x)",
     "%x_q = Parameter : i8[1,2,4,4]\n%p = ReLU(%x_q)\n%c = Convert(%p) destination_type=f32\n"
     "%s = Const value={0.5} : f32[]\n%y = Multiply(%c, %s)"},
    {"ReLUAtAZeroPoint", dq("x", "u8[1,2,4,4]", "0.5", "2") + "%y = ReLU(%x)",
     "%x_q = Parameter : u8[1,2,4,4]\n%p = Clamp(%x_q) min=2 max=255\n"
     "%c = Convert(%p) destination_type=f32\n%z = Const value={2} : f32[]\n"
     "%b = Subtract(%c, %z)\n%s = Const value={0.5} : f32[]\n%y = Multiply(%b, %s)"},
    {"MaxPool",
     dq("x", "u8[1,2,4,4]", "0.5,0.25", "3,4.5", kChannels) +
         "%y = MaxPool.1(%x) strides=[2,2] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1]",
     "%x_q = Parameter : u8[1,2,4,4]\n"
     "%p = MaxPool.1(%x_q) strides=[2,2] kernel=[3,3] pads_begin=[1,1] pads_end=[1,1]\n"
     "%c = Convert(%p) destination_type=f32\n"
     "%z = Const value={3,4.5} : f32[1,2,1,1]\n%b = Subtract(%c, %z)\n"
     "%s = Const value={0.5,0.25} : f32[1,2,1,1]\n%y = Multiply(%b, %s)"},
    {"ReshapePerTensor",
     dq("x", "u8[1,2,4,4]", "0.5", "3") + "%n = Const value={8,4} : i64[2]\n%y = Reshape(%x, %n)",
     "%x_q = Parameter : u8[1,2,4,4]\n%n = Const value={8,4} : i64[2]\n%p = Reshape(%x_q, %n)\n"
     "%c = Convert(%p) destination_type=f32\n%z = Const value={3} : f32[]\n"
     "%b = Subtract(%c, %z)\n%s = Const value={0.5} : f32[]\n%y = Multiply(%b, %s)"},
    {"ReshapePerChannelKeepsTheDimension",
     dq("x", "u8[1,2,4,4]", "0.5,0.25", "", kChannels) +
         "%n = Const value={1,2,16} : i64[3]\n%y = Reshape(%x, %n)",
     "%x_q = Parameter : u8[1,2,4,4]\n%n = Const value={1,2,16} : i64[3]\n%p = Reshape(%x_q, %n)\n"
     "%c = Convert(%p) destination_type=f32\n"
     "%s = Const value={0.5,0.25} : f32[1,2,1]\n%y = Multiply(%c, %s)"},
    {"SqueezeMovesTheDimension",
     dq("x", "u8[1,2,4,4]", "0.5,0.25", "", kChannels) +
         "%n = Const value={0} : i64[1]\n%y = Squeeze(%x, %n)",
     "%x_q = Parameter : u8[1,2,4,4]\n%n = Const value={0} : i64[1]\n%p = Squeeze(%x_q, %n)\n"
     "%c = Convert(%p) destination_type=f32\n"
     "%s = Const value={0.5,0.25} : f32[2,1,1]\n%y = Multiply(%c, %s)"},
    {"UnsqueezeMovesTheDimension",
     dq("x", "u8[1,2,4]", "0.5,0.25", "", "f32[1,2,1]") +
         "%n = Const value={0} : i64[1]\n%y = Unsqueeze(%x, %n)",
     "%x_q = Parameter : u8[1,2,4]\n%n = Const value={0} : i64[1]\n%p = Unsqueeze(%x_q, %n)\n"
     "%c = Convert(%p) destination_type=f32\n"
     "%s = Const value={0.5,0.25} : f32[1,1,2,1]\n%y = Multiply(%c, %s)"},
    {"TransposeMovesTheDimension",
     dq("x", "u8[1,2,4,4]", "0.5,0.25", "", kChannels) +
         "%n = Const value={0,2,3,1} : i64[4]\n%y = Transpose(%x, %n)",
     "%x_q = Parameter : u8[1,2,4,4]\n%n = Const value={0,2,3,1} : i64[4]\n%p = Transpose(%x_q, "
     "%n)\n"
     "%c = Convert(%p) destination_type=f32\n"
     "%s = Const value={0.5,0.25} : f32[1,1,1,2]\n%y = Multiply(%c, %s)"},
    {"ConcatOfEqualScales",
     dq("a", "u8[1,2,4,4]", "0.5", "") + dq("b", "u8[1,3,4,4]", "0.5", "") +
         "%y = Concat(%a, %b) axis=1",
     "%a_q = Parameter : u8[1,2,4,4]\n%b_q = Parameter : u8[1,3,4,4]\n%p = Concat(%a_q, %b_q) "
     "axis=1\n"
     "%c = Convert(%p) destination_type=f32\n%s = Const value={0.5} : f32[]\n"
     "%y = Multiply(%c, %s)"},
    {"ConcatOfEqualChannelsAlongAnotherDimension",
     dq("a", "u8[1,2,4,4]", "0.5,2", "", kChannels) +
         dq("b", "u8[1,2,3,4]", "0.5,2", "", kChannels) + "%y = Concat(%a, %b) axis=-2",
     "%a_q = Parameter : u8[1,2,4,4]\n%b_q = Parameter : u8[1,2,3,4]\n%p = Concat(%a_q, %b_q) "
     "axis=-2\n"
     "%c = Convert(%p) destination_type=f32\n%s = Const value={0.5,2} : f32[1,2,1,1]\n"
     "%y = Multiply(%c, %s)"},
    {"SeveralOperationsInARow",
     dq("x", "u8[1,2,4,4]", "0.5", "3") + "%m = MaxPool.1(%x) strides=[2,2] kernel=[2,2]\n"
                                          "%n = Const value={8,1} : i64[2]\n%y = Reshape(%m, %n)",
     "%x_q = Parameter : u8[1,2,4,4]\n%m = MaxPool.1(%x_q) strides=[2,2] kernel=[2,2]\n"
     "%n = Const value={8,1} : i64[2]\n%p = Reshape(%m, %n)\n"
     "%c = Convert(%p) destination_type=f32\n%z = Const value={3} : f32[]\n"
     "%b = Subtract(%c, %z)\n%s = Const value={0.5} : f32[]\n%y = Multiply(%b, %s)"},
};

class MoveDequantizeDown : public ::testing::TestWithParam<Moved> {};

TEST_P(MoveDequantizeDown, GivesTheSameNumbers) {
    const PassTest test = run_pass(move_dequantize_down, model(GetParam().before));
    EXPECT_TRUE(test.changed);
    // The result of the model is what the DQ gives; its parameters are the integers.
    std::string after = model(GetParam().after);
    EXPECT_EQ(differs_from(test, after), "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

INSTANTIATE_TEST_SUITE_P(All,
                         MoveDequantizeDown,
                         ::testing::ValuesIn(kMoved),
                         [](const auto& test) { return test.param.name; });

TEST(MoveDequantizeDown, ReLUOfUnsignedIntegersGoes) {
    struct Integers {
        const char* type;
        const char* zero_point;
    };
    for (const Integers& i : {Integers{"u8[1,2,4,4]", ""}, Integers{"u8[1,2,4,4]", "-2.5"},
                              Integers{"i8[1,2,4,4]", "-128"}}) {
        const std::string integers = dq("x", i.type, "0.5", i.zero_point);
        const PassTest test = run_pass(move_dequantize_down, model(integers + "%y = ReLU(%x)"));
        EXPECT_TRUE(test.changed);
        EXPECT_EQ(differs_from(test, "model \"m\"\n" + integers + "%r = Result(%x)"), "");
        EXPECT_EQ(test.after->find("x")->origins, (std::vector<std::string>{"x", "y"}));
        EXPECT_EQ(largest_difference(test), 0.0);
    }
}

TEST(MoveDequantizeDown, StaysForReadersThatDoNotMove) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("x", "u8[1,2,4,4]", "0.5", "") +
                       "%p = MaxPool.1(%x) strides=[1,1] kernel=[1,1]\n%y = Add(%p, %x)"));
    const Node* add = test.after->find("y");
    EXPECT_EQ(add->input_node(0)->type(), "Multiply");
    EXPECT_EQ(add->input_node(1)->name(), "x");
    EXPECT_EQ(test.after->find("p")->port().type, element::u8);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveDequantizeDown, ConcatOfDifferentScalesInFrontOfADepthwiseConvolution) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("a", "u8[1,1,4,4]", "0.5", "3") + dq("b", "u8[1,2,4,4]", "2", "") +
                       "%p = Concat(%a, %b) axis=1\n%w = Const value=random(2) : f32[3,1,1,1,1]\n"
                       "%y = GroupConvolution(%p, %w) strides=[1,1] dilations=[1,1]"));
    const Node* multiply = test.after->find("y")->input_node(0);
    EXPECT_EQ(multiply->type(), "Multiply");
    EXPECT_EQ(to_floats(multiply->input_node(1)->constant()), (std::vector<float>{0.5, 2, 2}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

const Refusal kRefusals[] = {
    {"ReLUOfNegativeScale", dq("x", "u8[1,2,4,4]", "-0.5", "") + "%y = ReLU(%x)",
     "scale_sign: a scale is zero or negative"},
    {"ReLUOfZeroPoint", dq("x", "u8[1,2,4,4]", "0.5", "2.5") + "%y = ReLU(%x)",
     "zero_point: the zero point of the source is no integer"},
    {"ReLUOfZeroPoints", dq("x", "u8[1,2,4,4]", "0.5,0.5", "2,3", kChannels) + "%y = ReLU(%x)",
     "zero_point: the zero point of the source is no integer, or differs by channel"},
    {"MaxPoolOfNegativeScale",
     dq("x", "u8[1,2,4,4]", "0.5,-1", "", kChannels) +
         "%y = MaxPool.1(%x) strides=[1,1] kernel=[2,2]",
     "scale_sign: "},
    {"ReshapeMixesChannels",
     dq("x", "u8[1,2,4,3]", "0.5,0.25", "", kChannels) +
         "%n = Const value={1,3,8} : i64[3]\n%y = Reshape(%x, %n)",
     "channel_dimension: the channels of [1,2,4,3] are no single dimension of [1,3,8]"},
    {"TransposeOfUnknownOrder",
     dq("x", "u8[1,2,4,4]", "0.5,0.25", "", kChannels) +
         "%n = Parameter : i64[4]\n%y = Transpose(%x, %n)",
     "channel_dimension: "},
    {"ConcatOfDifferentScales",
     dq("a", "u8[1,2,4,4]", "0.5", "") + dq("b", "u8[1,2,3,4]", "0.25", "") +
         "%y = Concat(%a, %b) axis=2",
     "different_scales: the inputs have different scales or zero points along dimension 2"},
    {"ConcatOfDifferentTypes",
     dq("a", "u8[1,2,4,4]", "0.5", "") + dq("b", "i8[1,3,4,4]", "0.5", "") +
         "%y = Concat(%a, %b) axis=1",
     "different_types: inputs are u8 and i8"},
    {"ConcatWithFloat",
     dq("a", "u8[1,2,4,4]", "0.5", "") + "%b = Parameter : f32[1,3,4,4]\n" +
         "%y = Concat(%b, %a) axis=1",
     "input_not_quantized: input 0, Parameter 'b', is in float"},
};

class MoveDequantizeDownRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(MoveDequantizeDownRefusal, SaysWhy) {
    expect_refused(move_dequantize_down, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All,
                         MoveDequantizeDownRefusal,
                         ::testing::ValuesIn(kRefusals),
                         refusal_name);

}  // namespace
}  // namespace fuseq::testing
