// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Channels hold 10 * channel, positions 0 and 1.
const In kDeep = in_f32({1, 8, 1, 2},
                        {0, 1, 10, 11, 20, 21, 30, 31,  //
                         40, 41, 50, 51, 60, 61, 70, 71});

TEST(DepthToSpace, BlocksFirst) {
    // Two channels: block (r, c) of channel k is channel (2 r + c) * 2 + k.
    expect_tensor<float>(run_op("DepthToSpace", 1, "mode=blocks_first; block_size=2", {kDeep})[0],
                         {1, 2, 2, 4},
                         {0, 20, 1, 21, 40, 60, 41, 61,  //
                          10, 30, 11, 31, 50, 70, 51, 71});
}

TEST(DepthToSpace, DepthFirst) {
    // Block (r, c) of channel k is channel k * 4 + 2 r + c.
    expect_tensor<float>(run_op("DepthToSpace", 1, "mode=depth_first; block_size=2", {kDeep})[0],
                         {1, 2, 2, 4},
                         {0, 10, 1, 11, 20, 30, 21, 31,  //
                          40, 50, 41, 51, 60, 70, 61, 71});
}

TEST(SpaceToDepth, IsTheInverse) {
    for (const char* mode : {"blocks_first", "depth_first"}) {
        const std::string attributes = std::string("block_size=2; mode=") + mode;
        const Tensor wide = run_op("DepthToSpace", 1, attributes, {kDeep})[0];
        const In again{wide, false, wide.get_element_type(), wide.get_shape(), false};
        EXPECT_TRUE(same_bytes(run_op("SpaceToDepth", 1, attributes, {again})[0], kDeep.value));
    }
    expect_tensor<std::uint8_t>(run_op("SpaceToDepth", 1, "mode=blocks_first; block_size=2",
                                       {in<std::uint8_t>({1, 1, 4}, {1, 2, 3, 4})})[0],
                                {1, 2, 2}, {1, 3, 2, 4});
}

TEST(DepthToSpace, InfersOpenShapes) {
    EXPECT_EQ(shape_of("DepthToSpace", 1, "mode=blocks_first; block_size=2",
                       {open(ElementType::f32, "[?,8,2..3,?]")}),
              "[?,2,4..6,?]");
    EXPECT_EQ(shape_of("SpaceToDepth", 1, "mode=blocks_first; block_size=2",
                       {open(ElementType::f32, "[?,2,4,?]")}),
              "[?,8,2,?]");
}

TEST(DepthToSpace, RefusesBlocksThatDoNotFit) {
    EXPECT_THAT(error_of("DepthToSpace", 1, "mode=blocks_first; block_size=3", {kDeep}),
                HasSubstr("block_size 3 does not fit dimension 1 of size 8"));
    EXPECT_THAT(error_of("SpaceToDepth", 1, "mode=blocks_first; block_size=2", {kDeep}),
                HasSubstr("does not fit dimension 2 of size 1"));
    EXPECT_THAT(error_of("DepthToSpace", 1, "mode=blocks_first; block_size=0", {kDeep}),
                HasSubstr("block_size is 0"));
    EXPECT_THAT(blind_error_of("DepthToSpace", 1, "mode=blocks_first; block_size=3", {kDeep}),
                HasSubstr("does not fit dimension 1"));
    EXPECT_THAT(
        error_of("DepthToSpace", 1, "mode=blocks_first; block_size=1", {in_f32({1, 1}, {1})}),
        HasSubstr("src has rank 2"));
}

}  // namespace
}  // namespace fuseq::test
