// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

std::vector<Tensor> binary(const char* type, const In& a, const In& b) {
    return run_op(type, 1, "", {a, b});
}

TEST(BinaryArithmetic, EveryOperation) {
    const In a = in_f32({3}, {1, -2, 3});
    const In b = in_f32({3}, {2, 4, -3});
    expect_tensor<float>(binary("Add", a, b)[0], {3}, {3, 2, 0});
    expect_tensor<float>(binary("Subtract", a, b)[0], {3}, {-1, -6, 6});
    expect_tensor<float>(binary("Multiply", a, b)[0], {3}, {2, -8, -9});
    expect_tensor<float>(binary("Maximum", a, b)[0], {3}, {2, 4, 3});
    expect_tensor<float>(binary("Minimum", a, b)[0], {3}, {1, -2, -3});
    expect_tensor<float>(binary("SquaredDifference", a, b)[0], {3}, {1, 36, 36});
    expect_tensor<float>(binary("Power", a, in_f32({3}, {5, 2, -1}))[0], {3}, {1, 4, 1.0F / 3});
}

TEST(BinaryArithmetic, Broadcasts) {
    const In column = in_f32({2, 1}, {10, 20});
    const In row = in_f32({3}, {1, 2, 3});
    expect_tensor<float>(binary("Add", column, row)[0], {2, 3}, {11, 12, 13, 21, 22, 23});
    expect_tensor<float>(binary("Add", in_f32({}, {1}), row)[0], {3}, {2, 3, 4});
    // pdpd: the second shape begins at dimension `axis` of the first.
    const In grid = in_f32({2, 2}, {1, 2, 3, 4});
    expect_tensor<float>(
        run_op("Add", 1, "auto_broadcast=pdpd; axis=0", {grid, in_f32({2}, {10, 20})})[0], {2, 2},
        {11, 12, 23, 24});
}

TEST(BinaryArithmetic, IntegersWrap) {
    const In a = in<std::int32_t>({2}, {INT32_MAX, INT32_MIN});
    const In b = in<std::int32_t>({2}, {1, -1});
    expect_tensor<std::int32_t>(binary("Add", a, b)[0], {2}, {INT32_MIN, INT32_MAX});
    const In u16 = in<std::uint16_t>({1}, {65535});
    expect_tensor<std::uint16_t>(binary("Multiply", u16, u16)[0], {1}, {1});
    const In base = in<std::int64_t>({4}, {3, -1, 2, -2});
    const In exponent = in<std::int64_t>({4}, {4, -3, -1, 3});
    expect_tensor<std::int64_t>(binary("Power", base, exponent)[0], {4}, {81, -1, 0, -8});
}

TEST(BinaryArithmetic, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Add", 1, "",
                       {open(ElementType::f32, "[?,1,4]"), open(ElementType::f32, "[3,?]")}),
              "[?,3,4]");
    EXPECT_EQ(
        shape_of("Add", 1, "", {open(ElementType::f32, "..."), open(ElementType::f32, "[3]")}),
        "[...]");
}

TEST(BinaryArithmetic, RefusesWhatDoesNotFit) {
    const In a = in_f32({2}, {1, 2});
    const In b = in_f32({3}, {1, 2, 3});
    EXPECT_THAT(error_of("Add", 1, "", {a, b}), HasSubstr("[2] and [3] cannot be broadcast"));
    EXPECT_THAT(blind_error_of("Add", 1, "", {a, b}), HasSubstr("cannot be broadcast"));
    EXPECT_THAT(error_of("Add", 1, "auto_broadcast=none", {a, in_f32({1}, {1})}),
                HasSubstr("auto_broadcast is none"));
    EXPECT_THAT(error_of("Add", 1, "", {a, in<std::int32_t>({2}, {1, 2})}),
                HasSubstr("expected the same type"));
    EXPECT_THAT(error_of("Add", 1, "",
                         {open(ElementType::boolean, "[2]"), open(ElementType::boolean, "[2]")}),
                HasSubstr("expected a numeric type"));
}

}  // namespace
}  // namespace fuseq::test
