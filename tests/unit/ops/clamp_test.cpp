// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(Clamp, LimitsRealsAndIntegers) {
    expect_tensor<float>(run_op("Clamp", 1, "min=-1; max=1.5", {in_f32({3}, {-2, 0.5F, 2})})[0],
                         {3}, {-1, 0.5F, 1.5F});
    // Between -1.5 and 1.5 lie -1, 0 and 1.
    expect_tensor<std::int8_t>(
        run_op("Clamp", 1, "min=-1.5; max=1.5", {in<std::int8_t>({3}, {-2, 0, 2})})[0], {3},
        {-1, 0, 1});
    // Limits beyond the type cut nothing.
    expect_tensor<std::uint8_t>(
        run_op("Clamp", 1, "min=-5; max=1000", {in<std::uint8_t>({2}, {0, 255})})[0], {2},
        {0, 255});
}

TEST(Clamp, RefusesAnEmptyInterval) {
    EXPECT_THAT(error_of("Clamp", 1, "min=2; max=1", {in_f32({1}, {0})}),
                HasSubstr("min is 2, max 1"));
}

}  // namespace
}  // namespace fuseq::test
