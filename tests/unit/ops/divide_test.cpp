// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kA = in<std::int32_t>({4}, {7, -7, 7, -7});
const In kB = in<std::int32_t>({4}, {2, 2, -2, -2});

TEST(Divide, Reals) {
    expect_tensor<float>(run_op("Divide", 1, "", {in_f32({2}, {1, -3}), in_f32({}, {2})})[0], {2},
                         {0.5F, -1.5F});
}

TEST(Divide, IntegersFloorOrTruncate) {
    expect_tensor<std::int32_t>(run_op("Divide", 1, "", {kA, kB})[0], {4}, {3, -4, -4, 3});
    expect_tensor<std::int32_t>(run_op("Divide", 1, "m_pythondiv=false", {kA, kB})[0], {4},
                                {3, -3, -3, 3});
    const In u8 = in<std::uint8_t>({1}, {200});
    expect_tensor<std::uint8_t>(run_op("Divide", 1, "", {u8, in<std::uint8_t>({1}, {3})})[0], {1},
                                {66});
}

TEST(Divide, LowestByMinusOneWraps) {
    const In low = in<std::int64_t>({1}, {INT64_MIN});
    const In minus = in<std::int64_t>({1}, {-1});
    expect_tensor<std::int64_t>(run_op("Divide", 1, "", {low, minus})[0], {1}, {INT64_MIN});
    expect_tensor<std::int64_t>(run_op("Mod", 1, "", {low, minus})[0], {1}, {0});
}

TEST(Mod, HasTheSignOfTheDividend) {
    expect_tensor<std::int32_t>(run_op("Mod", 1, "", {kA, kB})[0], {4}, {1, -1, 1, -1});
    expect_tensor<float>(run_op("Mod", 1, "", {in_f32({2}, {5.5F, -5.5F}), in_f32({1}, {2})})[0],
                         {2}, {1.5F, -1.5F});
}

TEST(FloorMod, HasTheSignOfTheDivisor) {
    expect_tensor<std::int32_t>(run_op("FloorMod", 1, "", {kA, kB})[0], {4}, {1, 1, -1, -1});
    expect_tensor<float>(
        run_op("FloorMod", 1, "", {in_f32({2}, {5.5F, -5.5F}), in_f32({1}, {2})})[0], {2},
        {1.5F, 0.5F});
}

TEST(Divide, AnIntegerZeroIsAnError) {
    const In zero = in<std::int32_t>({4}, {1, 0, 1, 1});
    for (const char* type : {"Divide", "Mod", "FloorMod"}) {
        EXPECT_THAT(error_of(type, 1, "", {kA, zero}),
                    HasSubstr("element 1 of the divisor is an integer zero"));
    }
}

}  // namespace
}  // namespace fuseq::test
