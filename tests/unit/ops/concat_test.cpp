// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(Concat, JoinsAlongAnAxisOfAnyType) {
    const In a = in<std::uint8_t>({2, 1}, {1, 2});
    const In b = in<std::uint8_t>({2, 2}, {3, 4, 5, 6});
    expect_tensor<std::uint8_t>(run_op("Concat", 1, "axis=-1", {a, b})[0], {2, 3},
                                {1, 3, 4, 2, 5, 6});
    const In c = in_f32({1, 2}, {1, 2});
    expect_tensor<float>(run_op("Concat", 1, "axis=0", {c, c, c})[0], {3, 2}, {1, 2, 1, 2, 1, 2});
}

TEST(Concat, SkipsEmptyInputs) {
    expect_tensor<float>(run_op("Concat", 1, "axis=0", {in_f32({0}, {}), in_f32({1}, {7})})[0], {1},
                         {7});
}

TEST(Concat, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Concat", 1, "axis=1",
                       {open(ElementType::f32, "[?,2,4]"), open(ElementType::f32, "[1..3,3,?]")}),
              "[1..3,5,4]");
    EXPECT_EQ(shape_of("Concat", 1, "axis=1",
                       {open(ElementType::f32, "[1,2]"), open(ElementType::f32, "...")}),
              "[1,?]");
}

TEST(Concat, RefusesWhatDoesNotFit) {
    const In a = in_f32({1, 2}, {1, 2});
    EXPECT_THAT(error_of("Concat", 1, "axis=2", {a, a}), HasSubstr("axis is 2"));
    EXPECT_THAT(error_of("Concat", 1, "axis=1", {a, in_f32({2, 1}, {1, 2})}),
                HasSubstr("sizes 1 and 2 in dimension 0"));
    EXPECT_THAT(blind_error_of("Concat", 1, "axis=1", {a, in_f32({2, 1}, {1, 2})}),
                HasSubstr("sizes 1 and 2 in dimension 0"));
    EXPECT_THAT(error_of("Concat", 1, "axis=1", {a, in<std::uint8_t>({1, 1}, {1})}),
                HasSubstr("expected the same type"));
    EXPECT_THAT(error_of("Concat", 1, "axis=0", {in_f32({}, {1})}), HasSubstr("scalar"));
}

}  // namespace
}  // namespace fuseq::test
