// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What is laid out for the integer matrix product, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_weights_cache.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using Kind = GemmOp::Kind;

using testing::ElementsAre;

// [OC, IC] = {1, 2, 3, 4, 5}, {-1, -2, -3, -4, -5}: fives are two fours, and the second one of each
// channel has zeros after it.
TEST_F(GemmVnniTest, PacksFoursOfDepthByChannel) {
    Case c;
    c.params.shape = {.src_channels = 5, .dst_channels = 2, .src_width = 3, .dst_width = 3};
    c.params.src_type = ElementType::i8;
    c.params.src_zero_point = 2;
    c.weights = {1, 2, 3, 4, 5, -1, -2, -3, -4, -5};
    c.scale = {1.0f, 2.0f};
    const gemm::Packed packed = gemm::pack(c.complete());
    EXPECT_EQ(packed.mode, gemm::SourceMode::kGather);  // signed bytes are flipped on the way
    EXPECT_EQ(packed.fill, 130);
    EXPECT_EQ(packed.depth4, 2u);
    ASSERT_EQ(packed.panels.size(), 1u);
    EXPECT_EQ(packed.panels[0].vectors, 1u);
    ASSERT_EQ(packed.wei.size(), 2u * 64);
    const auto four = [&](std::size_t at) {
        const std::int8_t* w = packed.wei.data() + at;
        return std::vector<int>(w, w + 4);
    };
    EXPECT_THAT(four(0), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(four(4), ElementsAre(-1, -2, -3, -4));
    EXPECT_THAT(four(8), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(four(64), ElementsAre(5, 0, 0, 0));
    EXPECT_THAT(four(68), ElementsAre(-5, 0, 0, 0));
    EXPECT_EQ(packed.init[0], -130 * 15);
    EXPECT_EQ(packed.init[1], 130 * 15);
    EXPECT_EQ(packed.epilogue.scale[1], 2.0f);
}

// Of few pixels a deep layer has narrower panels, for which plans of other lengths would pack again.
TEST_F(GemmVnniTest, SharedWeightsArePackedInOneWayForAllNumbersOfPixels) {
    std::mt19937 rng(7);
    Case c;
    c.params.shape = {.src_channels = 640, .dst_channels = 96, .src_width = 200, .dst_width = 200};
    c.params.src_zero_point = 3;
    c.weights = random_weights(rng, 640 * 96);
    c.scale = {0.0004f};
    GemmWeightsCache cache;
    c.params.shared = &cache;
    const auto weights = gemm::pack(c.complete()).weights;
    for (const std::size_t pixels : {1, 7, 16, 31, 63, 64, 100}) {
        SCOPED_TRACE(pixels);
        c.params.shape.src_width = c.params.shape.dst_width = pixels;
        c.src = fuseq::test::random_elements(rng, ElementType::u8, pixels * 640);
        EXPECT_EQ(gemm::pack(c.complete()).weights, weights);
        expect_exact(c);
    }
}

// Panels of 32 (of 64 in tiles for bytes), and one of 16 for the 8 that remain.
TEST_F(GemmVnniTest, PanelsCoverAllChannels) {
    Case c;
    c.params.dst_type = ElementType::f32;
    c.params.shape = {.src_channels = 4, .dst_channels = 72, .src_width = 1, .dst_width = 1};
    c.weights.assign(4 * 72, 1);
    c.scale = {1.0f};
    const gemm::Packed packed = gemm::pack(c.complete());
    std::vector<std::size_t> channels;
    std::vector<std::size_t> vectors;
    for (const gemm::Panel& panel : packed.panels) {
        channels.push_back(panel.channels);
        vectors.push_back(panel.vectors);
    }
    EXPECT_THAT(channels, ElementsAre(32, 32, 8));
    EXPECT_THAT(vectors, ElementsAre(2, 2, 1));
    EXPECT_EQ(packed.mode, gemm::SourceMode::kInPlace);
    EXPECT_EQ(packed.scratch, 0u);
    c.params.dst_type = ElementType::u8;
    const gemm::Packed wide = gemm::pack(c.complete());
    ASSERT_EQ(wide.panels.size(), 2u);
    EXPECT_EQ(wide.panels[0].vectors, 4u);
    EXPECT_EQ(wide.panels[1].channels, 8u);
    EXPECT_EQ(wide.panels[1].vectors, 1u);
}

// Pixels 4096 bytes apart would all be in one set of the first cache: they are copied.
TEST_F(GemmVnniTest, PixelsOfOneCacheSetAreCopiedApart) {
    const auto laid_out = [](std::size_t depth, std::size_t pixels, std::size_t channels) {
        Case c;
        c.params.dst_type = ElementType::f32;
        c.params.shape = {.src_channels = depth,
                          .dst_channels = channels,
                          .src_width = pixels,
                          .dst_width = pixels};
        c.weights.assign(depth * channels, 1);
        c.scale = {1.0f};
        return gemm::lay_out(c.complete());
    };
    const gemm::Packed apart = laid_out(8192, 40, 64);
    EXPECT_EQ(apart.mode, gemm::SourceMode::kGather);
    EXPECT_EQ(apart.step, 8192u + 64);
    EXPECT_GE(apart.scratch, 40 * apart.step);
    EXPECT_EQ(laid_out(4095, 40, 64).step, 4096u + 64);  // what a copy of it would have
    EXPECT_EQ(laid_out(3072, 40, 64).mode, gemm::SourceMode::kInPlace);
    EXPECT_EQ(laid_out(4096, 7, 64).mode, gemm::SourceMode::kInPlace);
    EXPECT_EQ(laid_out(4096, 40, 63).mode, gemm::SourceMode::kInPlace);
}

void expect_refused(const Case& c, const std::string& message) {
    try {
        const GemmVnni gemm(c.complete());
        ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr(message));
    }
}

TEST_F(GemmVnniTest, Refusals) {
    Case good;
    good.params.shape = {.src_channels = 2, .dst_channels = 3, .src_width = 1, .dst_width = 1};
    good.weights.assign(6, 1);
    good.scale = {1.0f};
    const GemmVnni accepted(good.complete());
    Case c = good;
    c.weights.pop_back();
    expect_refused(c, "there are 5 weights, the last one used is number 5");
    c = good;
    c.scale = {1.0f, 2.0f};
    expect_refused(c, "scale has 2 values, expected 1 or 3");
    c = good;
    c.scale.clear();
    expect_refused(c, "there is no scale");
    c = good;
    c.bias = {1.0f, 2.0f};
    expect_refused(c, "bias has 2 values, expected 1 or 3");
    c = good;
    c.wei_zero_point = {1.0f, 2.0f};
    expect_refused(c, "zero point of the weights has 2 values, expected 1 or 3");
    c = good;
    c.params.src_type = ElementType::f32;
    expect_refused(c, "src is f32, expected u8 or i8");
    c = good;
    c.params.dst_type = ElementType::i32;
    expect_refused(c, "dst is i32, expected u8, i8 or f32");
    c = good;
    c.params.src_zero_point = -1;
    expect_refused(c, "the zero point of src is -1, expected 0 to 255");
    c = good;
    c.params.shape.src_channels = 0;
    expect_refused(c, "a size is 0");
    c = good;
    c.params.ops = {{.kind = Kind::kEltwise, .eltwise = {.kind = post_ops::EltwiseKind::kLog}}};
    expect_refused(c, "it has no log");
    c = good;
    c.params.ops = {{.kind = Kind::kSum, .binary = {.type = ElementType::i32}}};
    expect_refused(c, "a binary source is i32, expected u8, i8 or f32");
}

}  // namespace
}  // namespace fuseq::kernels
