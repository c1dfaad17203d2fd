// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(Transpose, ReordersElementsOfAnySize) {
    const In f32 = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});
    expect_tensor<float>(run_op("Transpose", 1, "", {f32, ints({1, 0})})[0], {3, 2},
                         {1, 4, 2, 5, 3, 6});
    const In u8 = in<std::uint8_t>({1, 2, 2}, {1, 2, 3, 4});
    expect_tensor<std::uint8_t>(run_op("Transpose", 1, "", {u8, ints({2, 0, 1})})[0], {2, 1, 2},
                                {1, 3, 2, 4});
    const In i64 = in<std::int64_t>({2, 1}, {7, 8});
    expect_tensor<std::int64_t>(run_op("Transpose", 1, "", {i64, ints({0, 1})})[0], {2, 1}, {7, 8});
}

TEST(Transpose, ReversesWithAnEmptyOrder) {
    const In x = in_f32({1, 2, 3}, {1, 2, 3, 4, 5, 6});
    expect_tensor<float>(run_op("Transpose", 1, "", {x, ints({})})[0], {3, 2, 1},
                         {1, 4, 2, 5, 3, 6});
}

TEST(Transpose, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Transpose", 1, "", {open(ElementType::f32, "[?,3,1..4]"), ints({2, 0, 1})}),
              "[1..4,?,3]");
    EXPECT_EQ(shape_of("Transpose", 1, "", {open(ElementType::f32, "..."), ints({1, 0})}), "[?,?]");
}

TEST(Transpose, RefusesBadOrders) {
    const In x = in_f32({1, 2}, {1, 2});
    EXPECT_THAT(error_of("Transpose", 1, "", {x}), HasSubstr("1 inputs, expected 2"));
    EXPECT_THAT(error_of("Transpose", 1, "", {x, absent()}), HasSubstr("input 1 is not connected"));
    EXPECT_THAT(error_of("Transpose", 1, "", {x, ints({0})}), HasSubstr("order has 1 values"));
    EXPECT_THAT(error_of("Transpose", 1, "", {x, ints({0, 2})}), HasSubstr("value 2"));
    EXPECT_THAT(error_of("Transpose", 1, "", {x, ints({1, 1})}), HasSubstr("axis 1 twice"));
    EXPECT_THAT(blind_error_of("Transpose", 1, "", {x, ints({1, 1})}), HasSubstr("axis 1 twice"));
}

}  // namespace
}  // namespace fuseq::test
