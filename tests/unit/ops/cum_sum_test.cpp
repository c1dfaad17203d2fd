// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kGrid = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(CumSum, EveryDirection) {
    expect_tensor<float>(run_op("CumSum", 3, "", {kGrid, int_scalar(1)})[0], {2, 3},
                         {1, 3, 6, 4, 9, 15});
    expect_tensor<float>(run_op("CumSum", 3, "", {kGrid})[0], {2, 3}, {1, 2, 3, 5, 7, 9});
    expect_tensor<float>(run_op("CumSum", 3, "exclusive=true", {kGrid, int_scalar(-1)})[0], {2, 3},
                         {0, 1, 3, 0, 4, 9});
    expect_tensor<float>(run_op("CumSum", 3, "reverse=true", {kGrid, int_scalar(1)})[0], {2, 3},
                         {6, 5, 3, 15, 11, 6});
    expect_tensor<float>(
        run_op("CumSum", 3, "exclusive=true; reverse=true", {kGrid, int_scalar(1)})[0], {2, 3},
        {5, 3, 0, 11, 6, 0});
    expect_tensor<float>(run_op("CumSum", 3, "", {kGrid, constant<std::int32_t>({1}, {-2})})[0],
                         {2, 3}, {1, 2, 3, 5, 7, 9});
    expect_tensor<std::int32_t>(run_op("CumSum", 3, "", {in<std::int32_t>({2}, {INT32_MAX, 1})})[0],
                                {2}, {INT32_MAX, INT32_MIN});
}

TEST(CumSum, RefusesBadAxes) {
    EXPECT_THAT(error_of("CumSum", 3, "", {kGrid, int_scalar(2)}), HasSubstr("axis is 2"));
    EXPECT_THAT(error_of("CumSum", 3, "", {kGrid, ints({0, 1})}), HasSubstr("axis has 2 values"));
    EXPECT_THAT(blind_error_of("CumSum", 3, "", {kGrid, int_scalar(2)}), HasSubstr("axis is 2"));
}

}  // namespace
}  // namespace fuseq::test
