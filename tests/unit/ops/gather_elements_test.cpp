// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kGrid = in<std::uint8_t>({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(GatherElements, PicksAlongAnAxis) {
    expect_tensor<std::uint8_t>(run_op("GatherElements", 6, "axis=1",
                                       {kGrid, constant<std::int32_t>({2, 2}, {2, 0, 1, -1})})[0],
                                {2, 2}, {3, 1, 5, 6});
    expect_tensor<std::uint8_t>(run_op("GatherElements", 6, "axis=0",
                                       {kGrid, constant<std::int64_t>({1, 3}, {1, 0, 1})})[0],
                                {1, 3}, {4, 2, 6});
}

TEST(GatherElements, RefusesBadInputs) {
    EXPECT_THAT(
        error_of("GatherElements", 6, "axis=1", {kGrid, constant<std::int64_t>({2, 1}, {0, 3})}),
        HasSubstr("element 1 of the indices is 3, expected a value in [-3, 2]"));
    EXPECT_THAT(
        error_of("GatherElements", 6, "axis=1", {kGrid, constant<std::int64_t>({1, 1}, {0})}),
        HasSubstr("differ in dimension 0"));
    EXPECT_THAT(
        error_of("GatherElements", 6, "axis=2", {kGrid, constant<std::int64_t>({2, 1}, {0, 0})}),
        HasSubstr("axis is 2"));
    EXPECT_THAT(blind_error_of("GatherElements", 6, "axis=1", {kGrid, ints({0})}),
                HasSubstr("data has rank 2, indices 1"));
}

}  // namespace
}  // namespace fuseq::test
