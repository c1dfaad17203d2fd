// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

void check(const char* type, const std::vector<float>& x, const std::vector<float>& expected) {
    SCOPED_TRACE(type);
    expect_near(run_op(type, 5, "", {in_f32({x.size()}, x)})[0], {x.size()}, expected);
}

TEST(UnaryMath, EveryFunction) {
    check("Abs", {-1.5F, 2}, {1.5F, 2});
    check("Negative", {-1.5F, 2}, {1.5F, -2});
    check("Sign", {-1.5F, 0, 2}, {-1, 0, 1});
    check("Floor", {-1.5F, 1.5F}, {-2, 1});
    check("Ceiling", {-1.5F, 1.5F}, {-1, 2});
    check("Sqrt", {4, 2}, {2, 1.4142136F});
    check("Exp", {0, 1}, {1, 2.7182818F});
    check("Log", {1, 10}, {0, 2.3025851F});
    check("Erf", {0.5F, -1}, {0.52049988F, -0.84270079F});
    check("Sin", {1}, {0.84147098F});
    check("Cos", {1}, {0.54030231F});
    check("Tan", {1}, {1.5574077F});
    check("Asin", {0.5F}, {0.52359878F});
    check("Acos", {0.5F}, {1.0471976F});
    check("Atan", {1}, {0.78539816F});
    check("Sinh", {1}, {1.1752012F});
    check("Cosh", {1}, {1.5430806F});
    check("Asinh", {1}, {0.88137359F});
    check("Acosh", {2}, {1.3169579F});
    check("Atanh", {0.5F}, {0.54930614F});
}

TEST(UnaryMath, Integers) {
    const In x = in<std::int32_t>({3}, {-5, 0, INT32_MIN});
    expect_tensor<std::int32_t>(run_op("Abs", 1, "", {x})[0], {3}, {5, 0, INT32_MIN});
    expect_tensor<std::int32_t>(run_op("Negative", 1, "", {x})[0], {3}, {5, 0, INT32_MIN});
    expect_tensor<std::int32_t>(run_op("Sign", 1, "", {x})[0], {3}, {-1, 0, -1});
    expect_tensor<std::int32_t>(run_op("Floor", 1, "", {x})[0], {3}, {-5, 0, INT32_MIN});
    EXPECT_THAT(error_of("Sqrt", 1, "", {x}), HasSubstr("expected a real type"));
}

TEST(Round, HalfToEvenOrAwayFromZero) {
    const In x = in_f32({5}, {0.5F, 1.5F, 2.5F, -0.5F, -1.5F});
    expect_tensor<float>(run_op("Round", 5, "mode=half_to_even", {x})[0], {5},
                         {0, 2, 2, -0.0F, -2});
    expect_tensor<float>(run_op("Round", 5, "mode=half_away_from_zero", {x})[0], {5},
                         {1, 2, 3, -1, -2});
    EXPECT_THAT(error_of("Round", 5, "mode=up", {x}), HasSubstr("'up'"));
}

}  // namespace
}  // namespace fuseq::test
