// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kGrid = in_f32({3, 2}, {1, 2, 3, 4, 5, 6});

TEST(ScatterUpdate, ReplacesSlices) {
    expect_tensor<float>(
        run_op("ScatterUpdate", 3, "",
               {kGrid, ints({2, 0}), in_f32({2, 2}, {50, 60, 10, 20}), int_scalar(0)})[0],
        {3, 2}, {10, 20, 3, 4, 50, 60});
    expect_tensor<float>(run_op("ScatterUpdate", 3, "",
                                {kGrid, int_scalar(-1), in_f32({3}, {7, 8, 9}), int_scalar(1)})[0],
                         {3, 2}, {1, 7, 3, 8, 5, 9});
}

TEST(ScatterUpdate, RefusesBadInputs) {
    EXPECT_THAT(
        error_of("ScatterUpdate", 3, "", {kGrid, ints({3}), in_f32({1, 2}, {1, 1}), int_scalar(0)}),
        HasSubstr("element 0 of the indices is 3"));
    EXPECT_THAT(
        error_of("ScatterUpdate", 3, "", {kGrid, ints({0}), in_f32({2}, {1, 1}), int_scalar(0)}),
        HasSubstr("updates have shape [2], expected [1,2]"));
    EXPECT_THAT(blind_error_of("ScatterUpdate", 3, "",
                               {kGrid, ints({0}), in_f32({2}, {1, 1}), int_scalar(0)}),
                HasSubstr("expected [1,2]"));
}

}  // namespace
}  // namespace fuseq::test
