// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/gemm.hpp"
#include "cpu/lowering/gemm_problem.hpp"

#include <gtest/gtest.h>

#include "cpu/machine/instructions.hpp"

namespace fuseq::cpu {
namespace {

GemmProblem pointwise(std::size_t dst_channels) {
    GemmProblem p;
    p.shape = {.src_channels = 64,
               .dst_channels = dst_channels,
               .src_height = 56,
               .src_width = 56,
               .dst_height = 56,
               .dst_width = 56};
    return p;
}

GemmProblem three_by_three(std::size_t src_channels, std::size_t dst_channels, std::size_t size) {
    GemmProblem p = pointwise(dst_channels);
    p.shape.src_channels = src_channels;
    p.shape.kernel_height = p.shape.kernel_width = 3;
    p.shape.src_height = p.shape.src_width = p.shape.dst_height = p.shape.dst_width = size;
    return p;
}

TEST(GemmIsFaster, PointwiseByTheTableInPerformance) {
    EXPECT_TRUE(gemm_is_faster(pointwise(256), {}));
    EXPECT_TRUE(gemm_is_faster(pointwise(24), {}));
    EXPECT_TRUE(gemm_is_faster(pointwise(24), {.reads_tensors = true}));
    EXPECT_FALSE(gemm_is_faster(pointwise(23), {.reads_tensors = true}));
    EXPECT_TRUE(gemm_is_faster(pointwise(16), {}));
    EXPECT_FALSE(gemm_is_faster(pointwise(15), {}));
    EXPECT_TRUE(gemm_is_faster(pointwise(8), {.activates = true}));
    GemmProblem p = pointwise(8);
    p.kind = post_ops::AnchorKind::kMatMul;
    EXPECT_TRUE(gemm_is_faster(p, {.reads_tensors = true}));
}

// Where two wide vectors are loaded a cycle, with nothing but bytes after the sums.
TEST(GemmIsFaster, TilesOf64ChannelsByTheTableInPerformance) {
    const bool wide = !kernels::loads_one_wide_vector_a_cycle();
    const GemmChainTraits bytes{.stores_bytes = true};
    EXPECT_EQ(gemm_is_faster(three_by_three(64, 64, 56), bytes), wide);
    EXPECT_EQ(gemm_is_faster(three_by_three(32, 128, 75), bytes), wide);
    EXPECT_EQ(gemm_is_faster(three_by_three(256, 256, 32), bytes), wide);
    EXPECT_EQ(gemm_is_faster(three_by_three(32, 32, 256), bytes), wide);  // rows in place
    EXPECT_EQ(gemm_is_faster(three_by_three(128, 64, 128), bytes), wide);
    EXPECT_FALSE(gemm_is_faster(three_by_three(128, 64, 128), {}));
    EXPECT_FALSE(gemm_is_faster(three_by_three(128, 48, 128), bytes));
    EXPECT_FALSE(gemm_is_faster(three_by_three(128, 32, 60), bytes));
    EXPECT_FALSE(gemm_is_faster(three_by_three(128, 128, 43), bytes));
    EXPECT_EQ(gemm_is_faster(pointwise(8), bytes), wide);
    EXPECT_FALSE(gemm_is_faster(pointwise(7), bytes));
    GemmProblem tiny = pointwise(3);
    tiny.shape.dst_height = tiny.shape.dst_width = 10;
    EXPECT_EQ(gemm_is_faster(tiny, {}), wide);
    EXPECT_FALSE(gemm_is_faster(tiny, {.reads_tensors = true}));
}

TEST(GemmIsFaster, LargerKernelsByTheTableInPerformance) {
    EXPECT_FALSE(gemm_is_faster(three_by_three(64, 64, 56), {}));  // 3136 pixels
    EXPECT_TRUE(gemm_is_faster(three_by_three(3, 64, 56), {}));
    EXPECT_TRUE(gemm_is_faster(three_by_three(512, 64, 7), {}));
    const bool wide = !kernels::loads_one_wide_vector_a_cycle();  // copies windows of few pixels
    EXPECT_EQ(gemm_is_faster(three_by_three(512, 64, 3), {}), wide);
    EXPECT_EQ(gemm_is_faster(three_by_three(512, 64, 4), {}), wide);
    EXPECT_FALSE(gemm_is_faster(three_by_three(512, 64, 5), {}));  // a third of it is padding
    GemmProblem inside = three_by_three(512, 64, 5);
    inside.shape.src_height = inside.shape.src_width = 7;
    EXPECT_EQ(gemm_is_faster(inside, {}), wide);
    EXPECT_TRUE(gemm_is_faster(three_by_three(32, 48, 3), {}));
    // Few channels of src, or of dst.
    EXPECT_TRUE(gemm_is_faster(three_by_three(24, 96, 38), {}));
    EXPECT_FALSE(gemm_is_faster(three_by_three(128, 96, 38), {}));
    EXPECT_TRUE(gemm_is_faster(three_by_three(32, 9, 15), {}));
    EXPECT_FALSE(gemm_is_faster(three_by_three(32, 9, 60), {}));
    EXPECT_FALSE(gemm_is_faster(three_by_three(64, 64, 56), {.reads_tensors = true}));
}

TEST(GemmIsFaster, WithAMaxPoolingInIt) {
    EXPECT_TRUE(gemm_is_faster(three_by_three(64, 64, 56), {.pools = true}));
    EXPECT_TRUE(gemm_is_faster(pointwise(16), {.pools = true}));
}

TEST(GemmIsFaster, SignedSourcesOfLargerKernels) {
    GemmProblem p = three_by_three(128, 128, 57);
    p.src_signed = true;
    EXPECT_TRUE(gemm_is_faster(p, {.reads_tensors = true}));
    p.shape.dst_channels = 8;
    EXPECT_FALSE(gemm_is_faster(p, {}));
}

TEST(GemmIsFaster, SourcesWithAZeroPointOfLargerKernels) {
    GemmProblem p = three_by_three(64, 128, 52);
    EXPECT_FALSE(gemm_is_faster(p, {}));  // 2704 pixels
    p.src_zero_point = 16;
    EXPECT_TRUE(gemm_is_faster(p, {}));
    p.shape.dst_width = 3;
    EXPECT_FALSE(gemm_is_faster(p, {}));
}

TEST(GemmIsFaster, TraitsOfAChain) {
    post_ops::Chain chain;
    chain.ops = {post_ops::Scale{2.0f}, post_ops::Eltwise{.kind = post_ops::EltwiseKind::kRelu}};
    chain.dst_type = ElementType::u8;
    EXPECT_FALSE(traits_of(chain, 0).activates);
    EXPECT_FALSE(traits_of(chain, 0).reads_tensors);
    EXPECT_TRUE(traits_of(chain, 1).reads_tensors);
    chain.ops.push_back(post_ops::Eltwise{.kind = post_ops::EltwiseKind::kElu, .alpha = 1.0f});
    EXPECT_TRUE(traits_of(chain, 0).activates);
    chain.dst_type = ElementType::f32;
    EXPECT_FALSE(traits_of(chain, 0).activates);
}

}  // namespace
}  // namespace fuseq::cpu
