// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

Tensor first(std::string_view type,
             const std::vector<In>& inputs,
             std::string_view attributes = "") {
    return run_op(type, 13, attributes, inputs)[0];
}

TEST(Bitwise, CombinesIntegersBitByBit) {
    // 12 = 1100, 10 = 1010, -1 = all ones, -16 = ...11110000.
    const In a = in<std::int32_t>({4}, {12, -1, -16, 0});
    const In b = in<std::int32_t>({4}, {10, 6, 31, -7});
    expect_tensor<std::int32_t>(first("BitwiseAnd", {a, b}), {4}, {8, 6, 16, 0});
    expect_tensor<std::int32_t>(first("BitwiseOr", {a, b}), {4}, {14, -1, -1, -7});
    expect_tensor<std::int32_t>(first("BitwiseXor", {a, b}), {4}, {6, -7, -17, -7});
    expect_tensor<std::int32_t>(first("BitwiseNot", {a}), {4}, {-13, 0, 15, -1});
}

TEST(Bitwise, TakesEveryWidth) {
    expect_tensor<std::uint8_t>(first("BitwiseNot", {in<std::uint8_t>({2}, {1, 3})}), {2},
                                {254, 252});
    expect_tensor<std::int8_t>(
        first("BitwiseOr", {in<std::int8_t>({2}, {-128, 64}), in<std::int8_t>({2}, {1, 3})}), {2},
        {-127, 67});
    expect_tensor<std::uint16_t>(
        first("BitwiseXor", {in<std::uint16_t>({1}, {65535}), in<std::uint16_t>({1}, {1})}), {1},
        {65534});
    constexpr std::int64_t kHighest = std::int64_t{1} << 62;
    expect_tensor<std::int64_t>(first("BitwiseAnd", {in<std::int64_t>({1}, {kHighest + 5}),
                                                     in<std::int64_t>({1}, {kHighest + 3})}),
                                {1}, {kHighest + 1});
    expect_tensor<std::uint64_t>(first("BitwiseNot", {in<std::uint64_t>({1}, {1})}), {1},
                                 {18446744073709551614U});
}

TEST(Bitwise, OfBooleansIsLogic) {
    const In a = in<bool>({4}, {false, false, true, true});
    const In b = in<bool>({4}, {false, true, false, true});
    expect_bools(first("BitwiseAnd", {a, b}), {4}, {0, 0, 0, 1});
    expect_bools(first("BitwiseOr", {a, b}), {4}, {0, 1, 1, 1});
    expect_bools(first("BitwiseXor", {a, b}), {4}, {0, 1, 1, 0});
    expect_bools(first("BitwiseNot", {a}), {4}, {1, 1, 0, 0});
    // Two bytes that are true have no common bit.
    Tensor bytes(ElementType::boolean, {2});
    static_cast<std::uint8_t*>(bytes.data())[0] = 2;
    static_cast<std::uint8_t*>(bytes.data())[1] = 1;
    const In odd{bytes, false, ElementType::boolean, PartialShape{2}, false};
    expect_bools(first("BitwiseAnd", {odd, in<bool>({2}, {true, true})}), {2}, {1, 1});
    expect_bools(first("BitwiseNot", {odd}), {2}, {0, 0});
}

TEST(Bitwise, Broadcasts) {
    const In grid = in<std::int32_t>({2, 2}, {1, 2, 3, 4});
    expect_tensor<std::int32_t>(first("BitwiseAnd", {grid, in<std::int32_t>({2}, {1, 6})}), {2, 2},
                                {1, 2, 1, 4});
    // Aligned at dimension 0: one value a row.
    expect_tensor<std::int32_t>(
        first("BitwiseOr", {grid, in<std::int32_t>({2}, {8, 16})}, "auto_broadcast=pdpd; axis=0"),
        {2, 2}, {9, 10, 19, 20});
    EXPECT_EQ(shape_of("BitwiseXor", 13, "",
                       {open(ElementType::i32, "[?,3]"), open(ElementType::i32, "[1..4,1]")}),
              "[?,3]");
    EXPECT_EQ(shape_of("BitwiseNot", 13, "", {open(ElementType::i32, "[?,3]")}), "[?,3]");
    EXPECT_THAT(
        error_of("BitwiseAnd", 13, "auto_broadcast=none", {grid, in<std::int32_t>({2}, {1, 6})}),
        HasSubstr("[2,2]"));
}

TEST(Bitwise, RefusesRealAndMixedTypes) {
    EXPECT_THAT(error_of("BitwiseOr", 13, "", {in_f32({1}, {1}), in_f32({1}, {1})}),
                HasSubstr("input 0 is f32, expected an integer type or boolean"));
    EXPECT_THAT(error_of("BitwiseNot", 13, "", {in_f32({1}, {1})}),
                HasSubstr("input 0 is f32, expected an integer type or boolean"));
    EXPECT_THAT(
        error_of("BitwiseAnd", 13, "", {in<std::int32_t>({1}, {1}), in<std::int64_t>({1}, {1})}),
        HasSubstr("input 0 is i32, input 1 is i64"));
}

}  // namespace
}  // namespace fuseq::test
