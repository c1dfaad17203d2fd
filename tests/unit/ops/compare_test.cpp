// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

In booleans(const Shape& shape, const std::vector<std::uint8_t>& bytes) {
    In input{Tensor(ElementType::boolean, shape), false, ElementType::boolean, shape, false};
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(input.value.data()));
    return input;
}

TEST(Compare, EveryComparison) {
    const In a = in_f32({3}, {1, 2, 3});
    const In b = in_f32({3}, {2, 2, 2});
    expect_bools(run_op("Equal", 1, "", {a, b})[0], {3}, {0, 1, 0});
    expect_bools(run_op("NotEqual", 1, "", {a, b})[0], {3}, {1, 0, 1});
    expect_bools(run_op("Less", 1, "", {a, b})[0], {3}, {1, 0, 0});
    expect_bools(run_op("LessEqual", 1, "", {a, b})[0], {3}, {1, 1, 0});
    expect_bools(run_op("Greater", 1, "", {a, b})[0], {3}, {0, 0, 1});
    expect_bools(run_op("GreaterEqual", 1, "", {a, b})[0], {3}, {0, 1, 1});
}

TEST(Compare, BroadcastsIntegersAndBooleans) {
    expect_bools(run_op("Equal", 1, "",
                        {in<std::int64_t>({2, 1}, {1, 2}), in<std::int64_t>({2}, {1, 2})})[0],
                 {2, 2}, {1, 0, 0, 1});
    // Any byte but 0 is true.
    expect_bools(run_op("Equal", 1, "", {booleans({2}, {7, 0}), booleans({2}, {1, 1})})[0], {2},
                 {1, 0});
}

TEST(Logical, EveryOperation) {
    const In a = booleans({4}, {0, 0, 2, 1});
    const In b = booleans({4}, {0, 1, 0, 1});
    expect_bools(run_op("LogicalAnd", 1, "", {a, b})[0], {4}, {0, 0, 0, 1});
    expect_bools(run_op("LogicalOr", 1, "", {a, b})[0], {4}, {0, 1, 1, 1});
    expect_bools(run_op("LogicalXor", 1, "", {a, b})[0], {4}, {0, 1, 1, 0});
    expect_bools(run_op("Xor", 1, "", {a, b})[0], {4}, {0, 1, 1, 0});
    expect_bools(run_op("LogicalNot", 1, "", {a})[0], {4}, {1, 1, 0, 0});
}

TEST(Compare, RefusesOtherTypes) {
    const In a = in_f32({1}, {1});
    EXPECT_THAT(error_of("Equal", 1, "", {a, in<std::int32_t>({1}, {1})}), HasSubstr("same type"));
    EXPECT_THAT(error_of("LogicalAnd", 1, "", {a, a}), HasSubstr("expected boolean"));
    EXPECT_THAT(error_of("LogicalNot", 1, "", {a}), HasSubstr("expected boolean"));
}

TEST(Select, PicksByCondition) {
    const In condition = booleans({2, 1}, {1, 0});
    expect_tensor<std::uint8_t>(
        run_op("Select", 1, "",
               {condition, in<std::uint8_t>({2}, {1, 2}), in<std::uint8_t>({}, {9})})[0],
        {2, 2}, {1, 2, 9, 9});
    EXPECT_THAT(error_of("Select", 1, "auto_broadcast=pdpd",
                         {condition, in_f32({1}, {1}), in_f32({1}, {1})}),
                HasSubstr("auto_broadcast is pdpd"));
    EXPECT_THAT(error_of("Select", 1, "", {in_f32({1}, {1}), in_f32({1}, {1}), in_f32({1}, {1})}),
                HasSubstr("the condition is f32, expected boolean"));
    EXPECT_THAT(error_of("Select", 1, "auto_broadcast=none",
                         {condition, in_f32({1}, {1}), in_f32({1}, {1})}),
                HasSubstr("cannot be broadcast"));
}

// Elements of every size; each input broadcast along another dimension, and scalars.
TEST(Select, AnySizeAndBroadcast) {
    const In condition = booleans({2, 1, 3}, {1, 0, 1, 0, 0, 1});
    expect_tensor<std::int64_t>(
        run_op("Select", 1, "",
               {condition, in<std::int64_t>({2, 1}, {5, -7}), in<std::int64_t>({3}, {1, 2, 3})})[0],
        {2, 2, 3}, {5, 2, 5, -7, 2, -7, 1, 2, 5, 1, 2, -7});
    expect_tensor<float>(
        run_op("Select", 1, "",
               {condition, in_f32({}, {-0.5f}), in_f32({2, 1, 3}, {0, 1, 2, 3, 4, 5})})[0],
        {2, 1, 3}, {-0.5f, 1, -0.5f, 3, 4, -0.5f});
    expect_tensor<std::int16_t>(
        run_op("Select", 1, "",
               {booleans({}, {0}), in<std::int16_t>({}, {1}), in<std::int16_t>({}, {-2})})[0],
        {}, {-2});
}

}  // namespace
}  // namespace fuseq::test
