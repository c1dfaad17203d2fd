// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

template <class T>
Tensor shift(std::string_view type, const std::vector<T>& values, const std::vector<T>& counts) {
    return run_op(type, 15, "",
                  {in<T>({values.size()}, values), in<T>({counts.size()}, counts)})[0];
}

TEST(BitwiseShift, MultipliesAndDividesByPowersOfTwo) {
    expect_tensor<std::int32_t>(
        shift<std::int32_t>("BitwiseLeftShift", {1, 3, -3, 5}, {4, 1, 2, 0}), {4}, {16, 6, -12, 5});
    // To the right negative numbers are rounded down.
    expect_tensor<std::int32_t>(
        shift<std::int32_t>("BitwiseRightShift", {16, 7, -7, 5}, {4, 1, 1, 0}), {4}, {1, 3, -4, 5});
    expect_tensor<std::uint8_t>(shift<std::uint8_t>("BitwiseRightShift", {255, 128}, {1, 7}), {2},
                                {127, 1});
    expect_tensor<std::uint64_t>(
        shift<std::uint64_t>("BitwiseRightShift", {std::uint64_t{1} << 63}, {63}), {1}, {1});
}

TEST(BitwiseShift, LosesTheBitsAboveTheType) {
    expect_tensor<std::uint8_t>(shift<std::uint8_t>("BitwiseLeftShift", {129, 255}, {1, 4}), {2},
                                {2, 240});
    expect_tensor<std::int8_t>(shift<std::int8_t>("BitwiseLeftShift", {64, 1}, {1, 7}), {2},
                               {-128, -128});
    expect_tensor<std::int64_t>(shift<std::int64_t>("BitwiseLeftShift", {3}, {63}), {1},
                                {std::numeric_limits<std::int64_t>::min()});
}

// The definition leaves these open; numpy and PyTorch give the same.
TEST(BitwiseShift, ByAllBitsOrANegativeNumberLeavesTheSign) {
    expect_tensor<std::int32_t>(
        shift<std::int32_t>("BitwiseLeftShift", {1, -1, 1, 1}, {32, 32, -1, 1000}), {4},
        {0, 0, 0, 0});
    expect_tensor<std::int32_t>(
        shift<std::int32_t>("BitwiseRightShift", {9, -9, 9, -9}, {32, 32, -1, -1}), {4},
        {0, -1, 0, -1});
    expect_tensor<std::uint8_t>(shift<std::uint8_t>("BitwiseRightShift", {255, 255}, {8, 200}), {2},
                                {0, 0});
}

TEST(BitwiseShift, Broadcasts) {
    expect_tensor<std::int32_t>(
        run_op("BitwiseLeftShift", 15, "",
               {in<std::int32_t>({2, 1}, {1, 3}), in<std::int32_t>({3}, {0, 1, 2})})[0],
        {2, 3}, {1, 2, 4, 3, 6, 12});
    expect_tensor<std::int32_t>(
        run_op("BitwiseRightShift", 15, "auto_broadcast=pdpd; axis=0",
               {in<std::int32_t>({2, 2}, {8, 16, 8, 16}), in<std::int32_t>({2}, {1, 3})})[0],
        {2, 2}, {4, 8, 1, 2});
    EXPECT_EQ(shape_of("BitwiseLeftShift", 15, "",
                       {open(ElementType::u8, "[?,1]"), open(ElementType::u8, "[4]")}),
              "[?,4]");
}

TEST(BitwiseShift, RefusesOtherTypes) {
    EXPECT_THAT(
        error_of("BitwiseLeftShift", 15, "", {in<bool>({1}, {true}), in<bool>({1}, {true})}),
        HasSubstr("input 0 is boolean, expected an integer type"));
    EXPECT_THAT(error_of("BitwiseRightShift", 15, "", {in_f32({1}, {1}), in_f32({1}, {1})}),
                HasSubstr("input 0 is f32, expected an integer type"));
    EXPECT_THAT(error_of("BitwiseRightShift", 15, "",
                         {in<std::int32_t>({1}, {1}), in<std::uint8_t>({1}, {1})}),
                HasSubstr("input 0 is i32, input 1 is u8"));
}

}  // namespace
}  // namespace fuseq::test
