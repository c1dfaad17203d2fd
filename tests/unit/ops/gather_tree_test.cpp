// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kEnd = constant<std::int32_t>({}, {10});

// Four steps of one batch of three beams.
In steps(const std::vector<std::int32_t>& values) {
    return in<std::int32_t>({4, 1, 3}, values);
}

TEST(GatherTree, FollowsParentsFromTheLastStep) {
    const In ids = steps({1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1, -1});
    const In parents = steps({0, 0, 0, 0, 1, 1, 2, 1, 2, -1, -1, -1});
    expect_tensor<std::int32_t>(
        run_op("GatherTree", 1, "", {ids, parents, in<std::int32_t>({1}, {3}), kEnd})[0], {4, 1, 3},
        {2, 2, 2, 6, 5, 6, 7, 8, 9, 10, 10, 10});
    // No more steps than there are; none where the length is not positive.
    const In whole = steps({0, 0, 0, 0, 1, 1, 2, 1, 2, 0, 1, 2});
    expect_tensor<std::int32_t>(
        run_op("GatherTree", 1, "", {ids, whole, in<std::int32_t>({1}, {9}), kEnd})[0], {4, 1, 3},
        {2, 2, 2, 6, 5, 6, 7, 8, 9, -1, -1, -1});
    expect_tensor<std::int32_t>(
        run_op("GatherTree", 1, "", {ids, whole, in<std::int32_t>({1}, {-1}), kEnd})[0], {4, 1, 3},
        std::vector<std::int32_t>(12, 10));
}

TEST(GatherTree, NothingStandsAfterAnEndToken) {
    const In ids = in<float>({3, 2, 1}, {1, 10, 10, 2, 3, 4});
    const In parents = in<float>({3, 2, 1}, {0, 0, 0, 0, 0, 0});
    expect_tensor<float>(
        run_op("GatherTree", 1, "",
               {ids, parents, in<float>({2}, {3, 3}), constant<float>({}, {10})})[0],
        {3, 2, 1}, {1, 10, 10, 10, 10, 10});
}

TEST(GatherTree, RefusesBadInputs) {
    const In ids = steps({1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1});
    const In length = in<std::int32_t>({1}, {4});
    EXPECT_THAT(error_of("GatherTree", 1, "",
                         {ids, steps({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0}), length, kEnd}),
                HasSubstr("element 10 of parent_idx is 3, expected one in [0, 2]"));
    EXPECT_THAT(
        error_of("GatherTree", 1, "",
                 {ids, in<std::int32_t>({3, 1, 4}, std::vector<std::int32_t>(12)), length, kEnd}),
        HasSubstr("parent_idx has shape [3,1,4], expected that of step_ids, [4,1,3]"));
    EXPECT_THAT(error_of("GatherTree", 1, "", {ids, ids, in<std::int32_t>({2}, {4, 4}), kEnd}),
                HasSubstr("max_seq_len has shape [2], expected [1]"));
    EXPECT_THAT(
        error_of("GatherTree", 1, "", {ids, ids, length, constant<std::int32_t>({1}, {10})}),
        HasSubstr("end_token has shape [1], expected a scalar"));
}

}  // namespace
}  // namespace fuseq::test
