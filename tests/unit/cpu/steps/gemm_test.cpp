// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/gemm.hpp"
#include "cpu/lowering/gemm_problem.hpp"

#include <gtest/gtest.h>

#include "cpu/lowering/gemm_epilogue_ops.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::cpu {
namespace {

using kernels::GemmOp;
using Kind = GemmOp::Kind;
using post_ops::EltwiseAlgorithm;
using post_ops::EltwisePostOp;

std::vector<Kind> kinds(const GemmEpilogueOps& tail) {
    std::vector<Kind> result;
    for (const GemmOp& op : tail.ops) {
        result.push_back(op.kind);
    }
    return result;
}

post_ops::Emission emission(std::vector<post_ops::PostOp> ops) {
    post_ops::Emission e;
    e.output_scales = post_ops::Values(std::vector<float>{0.5f, 0.25f});
    e.bias = {3.0f, 4.0f};
    e.post_ops = std::move(ops);
    e.dst_type = ElementType::u8;
    e.complete = true;
    return e;
}

TEST(GemmEpilogueOps, ScaleAndBiasComeFirst) {
    const auto tail = gemm_epilogue_ops(emission({}), {});
    ASSERT_TRUE(tail.has_value());
    EXPECT_EQ(tail->scale, (std::vector<float>{0.5f, 0.25f}));
    EXPECT_EQ(tail->bias, (std::vector<float>{3.0f, 4.0f}));
    EXPECT_TRUE(tail->ops.empty());
}

// A quantization in the middle and a residual input, as in the blocks of a resnet.
TEST(GemmEpilogueOps, NeighboursAreJoined) {
    const auto tail = gemm_epilogue_ops(
        emission(
            {EltwisePostOp{.algorithm = EltwiseAlgorithm::kRound},
             EltwisePostOp{.algorithm = EltwiseAlgorithm::kClip,
                           .alpha = 0.0f,
                           .beta = 255.0f,
                           .scale = 0.9f},
             EltwisePostOp{.algorithm = EltwiseAlgorithm::kLinear, .alpha = 1.0f, .beta = -119.0f},
             post_ops::SumPostOp{.input = 2, .type = ElementType::i8, .scale = 1.9f}}),
        {});
    ASSERT_TRUE(tail.has_value());
    EXPECT_EQ(kinds(*tail), (std::vector<Kind>{Kind::kRoundClip, Kind::kAffine, Kind::kSum}));
    EXPECT_EQ(tail->ops[0].a, std::vector<float>{0.0f});
    EXPECT_EQ(tail->ops[0].b, std::vector<float>{255.0f});
    EXPECT_EQ(tail->ops[1].a, std::vector<float>{0.9f});
    EXPECT_EQ(tail->ops[1].b, std::vector<float>{-119.0f});
    EXPECT_EQ(tail->ops[2].binary.input, 2u);
    EXPECT_EQ(tail->ops[2].binary.type, ElementType::i8);
    EXPECT_EQ(tail->ops[2].binary.scale, 1.9f);
}

// oneDNN rounds alpha * x + beta once: that is not a product and a sum.
TEST(GemmEpilogueOps, LinearIsRoundedOnce) {
    const auto linear = [](float alpha, float beta) {
        return gemm_epilogue_ops(
            emission({EltwisePostOp{
                .algorithm = EltwiseAlgorithm::kLinear, .alpha = alpha, .beta = beta}}),
            {});
    };
    EXPECT_EQ(kinds(*linear(2.0f, 3.0f)), std::vector<Kind>{Kind::kLinear});
    EXPECT_EQ(kinds(*linear(2.0f, 0.0f)), std::vector<Kind>{Kind::kScale});
    EXPECT_EQ(kinds(*linear(1.0f, 3.0f)), std::vector<Kind>{Kind::kShift});
    EXPECT_TRUE(linear(1.0f, 0.0f)->ops.empty());
}

TEST(GemmEpilogueOps, TheRestOfTheChainFollows) {
    post_ops::Emission e = emission({});
    e.complete = false;
    e.dst_type = ElementType::f32;
    const post_ops::Chain rest{
        .ops = {post_ops::Prelu{post_ops::Values(std::vector<float>{0.1f, 0.2f})},
                post_ops::Scale{8.0f}},
        .dst_type = ElementType::i8};
    const auto tail = gemm_epilogue_ops(e, rest);
    ASSERT_TRUE(tail.has_value());
    EXPECT_EQ(kinds(*tail), (std::vector<Kind>{Kind::kPrelu, Kind::kScale}));
    EXPECT_EQ(tail->ops[0].a, (std::vector<float>{0.1f, 0.2f}));
}

TEST(GemmEpilogueOps, RefusesWhatTheKernelLacks) {
    EXPECT_FALSE(
        gemm_epilogue_ops(emission({EltwisePostOp{.algorithm = EltwiseAlgorithm::kLog}}), {})
            .has_value());
    EXPECT_FALSE(
        gemm_epilogue_ops(emission({post_ops::SumPostOp{.input = 0, .type = ElementType::i32}}), {})
            .has_value());
    post_ops::Emission e = emission({});
    e.possible = false;
    EXPECT_FALSE(gemm_epilogue_ops(e, {}).has_value());
    // Rounded in between, for a chain step to read.
    e = emission({});
    e.complete = false;
    EXPECT_FALSE(gemm_epilogue_ops(e, {.ops = {post_ops::Scale{2.0f}}}).has_value());
}

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
