// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <numbers>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr float kPi = std::numbers::pi_v<float>;

// The same four points as with tan: a quotient of 1 or -1 each.
TEST(Atan2, KnowsTheQuadrant) {
    const auto out =
        run_op("Atan2", 1, "", {in<float>({4}, {1, 1, -1, -1}), in<float>({4}, {1, -1, -1, 1})});
    expect_tensor<float>(out[0], {4}, {kPi / 4, 3 * kPi / 4, -3 * kPi / 4, -kPi / 4});
}

// IEEE 754: signs of zeros count.
TEST(Atan2, OnTheAxes) {
    const float infinity = std::numeric_limits<float>::infinity();
    const auto out = run_op("Atan2", 1, "",
                            {in<float>({7}, {0, -0.0F, 0, 2, -2, infinity, 0}),
                             in<float>({7}, {-1, -1, 1, 0, 0, infinity, 0})});
    expect_tensor<float>(out[0], {7}, {kPi, -kPi, 0, kPi / 2, -kPi / 2, kPi / 4, 0});
}

TEST(Atan2, BroadcastsAndRefusesIntegers) {
    const auto out = run_op("Atan2", 1, "", {in<float>({2, 1}, {0, 3}), in<float>({2}, {5, -5})});
    ASSERT_EQ(out[0].get_shape(), (Shape{2, 2}));
    EXPECT_FLOAT_EQ(out[0].data<float>()[1], kPi);
    EXPECT_NEAR(out[0].data<float>()[2], 0.5404195F, 1e-6);
    EXPECT_THAT(error_of("Atan2", 1, "", {in<std::int32_t>({1}, {0}), in<std::int32_t>({1}, {1})}),
                HasSubstr("inputs are i32, expected a real type"));
}

}  // namespace
}  // namespace fuseq::test
