// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(ShuffleChannels, InterleavesGroups) {
    const In x = in<std::uint8_t>({1, 6, 1}, {0, 1, 2, 3, 4, 5});
    expect_tensor<std::uint8_t>(run_op("ShuffleChannels", 1, "axis=1; group=2", {x})[0], {1, 6, 1},
                                {0, 3, 1, 4, 2, 5});
    const In rows = in_f32({4, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
    expect_tensor<float>(run_op("ShuffleChannels", 1, "axis=-2; group=2", {rows})[0], {4, 2},
                         {0, 1, 4, 5, 2, 3, 6, 7});
}

TEST(ShuffleChannels, RefusesAGroupThatDoesNotDivide) {
    const In x = in_f32({1, 3}, {0, 1, 2});
    EXPECT_THAT(error_of("ShuffleChannels", 1, "group=2", {x}),
                HasSubstr("group 2 does not divide the axis of size 3"));
    EXPECT_THAT(error_of("ShuffleChannels", 1, "group=0", {x}), HasSubstr("group is 0"));
    EXPECT_THAT(error_of("ShuffleChannels", 1, "axis=2; group=1", {x}), HasSubstr("axis is 2"));
    EXPECT_THAT(blind_error_of("ShuffleChannels", 1, "group=2", {x}), HasSubstr("does not divide"));
}

}  // namespace
}  // namespace fuseq::test
