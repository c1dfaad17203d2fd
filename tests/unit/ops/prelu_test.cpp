// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kX = in_f32({1, 2, 2}, {-1, 1, -2, 2});

TEST(PReLU, PerTensorPerChannelAndFull) {
    expect_tensor<float>(run_op("PReLU", 1, "", {kX, in_f32({1}, {0.5F})})[0], {1, 2, 2},
                         {-0.5F, 1, -1, 2});
    expect_tensor<float>(
        run_op("PReLU", 1, "",
               {in_f32({1, 2, 3}, {-1, 1, 1, -1, 1, -1}), in_f32({2}, {0.5F, 2})})[0],
        {1, 2, 3}, {-0.5F, 1, 1, -2, 1, -2});
    expect_tensor<float>(run_op("PReLU", 1, "", {kX, in_f32({1, 2, 2}, {0.1F, 9, 0.25F, 9})})[0],
                         {1, 2, 2}, {-0.1F, 1, -0.5F, 2});
}

TEST(PReLU, AVectorOfChannelsBelongsToDimensionOne) {
    // Two channels and two columns: the channels win.
    expect_tensor<float>(run_op("PReLU", 1, "", {kX, in_f32({2}, {3, 5})})[0], {1, 2, 2},
                         {-3, 1, -10, 2});
    expect_tensor<float>(
        run_op("PReLU", 1, "", {in_f32({1, 1, 2}, {-1, -1}), in_f32({2}, {3, 5})})[0], {1, 1, 2},
        {-3, -5});
}

TEST(PReLU, RefusesASlopeThatDoesNotBroadcast) {
    EXPECT_THAT(error_of("PReLU", 1, "", {kX, in_f32({3}, {1, 2, 3})}), HasSubstr("broadcast"));
    EXPECT_THAT(error_of("PReLU", 1, "", {in_f32({1, 2}, {1, 2}), in_f32({2, 1, 2}, {1, 2, 3, 4})}),
                HasSubstr("slope has shape [2,1,2]"));
    EXPECT_THAT(
        blind_error_of("PReLU", 1, "", {in_f32({1, 2}, {1, 2}), in_f32({2, 1, 2}, {1, 2, 3, 4})}),
        HasSubstr("slope has shape [2,1,2]"));
}

}  // namespace
}  // namespace fuseq::test
