// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// IRs with packed elements, on both devices, against numbers worked out by hand: weights in groups
// with zero points and scales, and packed inputs and outputs.
#include "models/ir_text.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

class PackedIr : public testing::TestWithParam<const char*> {};

// Rows (1,2 | 3,15) and (0,8 | 4,5), less (1 | 8) and (0 | 4), times (1 | 0.5) and (2 | 0.25).
TEST_P(PackedIr, GroupsOfU4AreWeightsOfAMatMul) {
    IrText ir;
    const int x = ir.parameter("f32", "1,4");
    const int q = ir.constant<std::uint8_t>("u4", "2,2,2", {0x21, 0xf3, 0x80, 0x54});
    const int z = ir.constant<std::uint8_t>("u4", "2,2,1", {0x81, 0x40});
    const int scale = ir.halves("2,2,1", {1, 0.5f, 2, 0.25f});
    const int shape = ir.constant<std::int64_t>("i64", "2", {2, 4});
    const int difference = ir.add("Subtract", "", {ir.convert(q, "f16"), ir.convert(z, "f16")});
    const int scaled = ir.add("Multiply", "", {difference, scale});
    const int rows = ir.add("Reshape", "special_zero=\"false\"", {scaled, shape});
    const int w = ir.convert(rows, "f32");
    ir.add("Result", "", {ir.add("MatMul", "transpose_b=\"true\"", {x, w})});
    const auto outputs = ir.run(GetParam(), {Tensor::of<float>({1, 4}, {1, 2, 3, 4})});
    // (0, 1, -2.5, 3.5) and (0, 16, 0, 0.25)
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(FloatEq(8.5f), FloatEq(33)));
}

// (-8,-1) * 0.5 and (7,2) * 2
TEST_P(PackedIr, I4IsTheFilterOfAConvolution) {
    IrText ir;
    const int x = ir.parameter("f32", "1,2,1,1");
    const int q = ir.constant<std::uint8_t>("i4", "2,2,1,1", {0xf8, 0x27});
    const int scale = ir.constant<float>("f32", "2,1,1,1", {0.5f, 2});
    const int w = ir.add("Multiply", "", {ir.convert(q, "f32"), scale});
    ir.add("Result", "",
           {ir.add("Convolution",
                   R"(strides="1,1" dilations="1,1" pads_begin="0,0" pads_end="0,0")", {x, w})});
    const auto outputs = ir.run(GetParam(), {Tensor::of<float>({1, 2, 1, 1}, {1, 2})});
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(FloatEq(-5), FloatEq(22)));
}

// (-1,1) * 2 and (0,0.07958) * 10
TEST_P(PackedIr, Nf4IsATableOfAGather) {
    IrText ir;
    const int indices = ir.parameter("i64", "2");
    const int q = ir.constant<std::uint8_t>("nf4", "2,2", {0xf0, 0x87});
    const int scale = ir.halves("2,1", {2, 10});
    const int axis = ir.constant<std::int64_t>("i64", "", {0});
    const int table = ir.convert(ir.add("Multiply", "", {ir.convert(q, "f16"), scale}), "f32");
    ir.add("Result", "", {ir.add("Gather", "", {table, indices, axis}, "opset8")});
    const auto outputs = ir.run(GetParam(), {Tensor::of<std::int64_t>({2}, {1, 0})});
    EXPECT_THAT(to_floats(outputs[0]),
                ElementsAre(FloatEq(0), FloatEq(0.7958029955625534f), FloatEq(-2), FloatEq(2)));
}

TEST_P(PackedIr, InputsAndOutputsArePacked) {
    IrText ir;
    const int x = ir.parameter("i4", "3");
    const int y = ir.parameter("f32", "3");
    const int c = ir.constant<std::uint8_t>("i4", "3", {0x21, 0x07});
    ir.add("Result", "", {x});
    ir.add("Result", "", {ir.convert(x, "f32")});
    ir.add("Result", "", {ir.convert(y, "u4")});
    ir.add("Result", "", {ir.add("Add", "", {x, c})});
    ir.add("Result", "", {ir.convert(ir.convert(y, "u2"), "i32")});
    const auto outputs = ir.run(GetParam(), {Tensor::of<float>({3}, {-8, 3, 5}).to(element::i4),
                                             Tensor::of<float>({3}, {-2, 2.7f, 99})});
    ASSERT_EQ(outputs.size(), 5u);
    EXPECT_EQ(outputs[0].get_element_type(), element::i4);
    EXPECT_THAT(to_ints(outputs[0]), ElementsAre(-8, 3, 5));
    EXPECT_THAT(to_floats(outputs[1]), ElementsAre(-8, 3, 5));
    EXPECT_EQ(outputs[2].get_byte_size(), 2u);
    EXPECT_THAT(to_ints(outputs[2]), ElementsAre(0, 2, 15));
    EXPECT_THAT(to_ints(outputs[3]), ElementsAre(-7, 5, 7)) << "clamped: 5 + 7";
    EXPECT_THAT(to_ints(outputs[4]), ElementsAre(0, 2, 3));
}

// A model of bf16 throughout: its values are computed in f32, its input and output stay bf16.
TEST_P(PackedIr, Bf16RunsAsF32) {
    IrText ir;
    const int x = ir.parameter("bf16", "1,2");
    // 1.5, -2, 0.25, 4
    const int w = ir.constant<std::uint16_t>("bf16", "2,2", {0x3fc0, 0xc000, 0x3e80, 0x4080});
    ir.add("Result", "", {ir.add("ReLU", "", {ir.add("MatMul", "", {x, w})})});
    const auto outputs = ir.run(GetParam(), {Tensor::of<float>({1, 2}, {2, -1}).to(element::bf16)});
    EXPECT_EQ(outputs[0].get_element_type(), element::bf16);
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(2.75f, 0));
}

INSTANTIATE_TEST_SUITE_P(Devices,
                         PackedIr,
                         testing::Values("REFERENCE", "CPU"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace fuseq::test
