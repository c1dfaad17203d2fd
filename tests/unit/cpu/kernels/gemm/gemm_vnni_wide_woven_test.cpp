// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of work that only some machines choose, on all of them.
#include <gtest/gtest.h>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::random_elements;
using Kind = GemmOp::Kind;

// One row of pixels and 64 channels, with a residual input after a quantization.
Case woven_case(std::mt19937& rng, std::size_t depth, std::size_t pixels, float scale) {
    const auto any = [&] { return rng() % 2 == 0 ? ElementType::u8 : ElementType::i8; };
    Case c;
    c.params.shape = {
        .src_channels = depth, .dst_channels = 64, .src_width = pixels, .dst_width = pixels};
    c.params.dst_type = any();
    c.weights = random_weights(rng, depth * 64);
    c.scale = fuseq::test::random_floats(rng, 64, 0.5f * scale, scale);
    c.bias = fuseq::test::random_floats(rng, 64, -9000.0f, 9000.0f);
    c.src = random_elements(rng, ElementType::u8, pixels * depth);
    const ElementType q = any(), r = any();
    const float low = q == ElementType::u8 ? 0.0f : -128.0f;
    c.binary_sources = {random_elements(rng, r, c.elements())};
    c.params.ops = {{.kind = Kind::kRoundClip, .a = {low}, .b = {low + 255.0f}},
                    {.kind = Kind::kScale, .a = {0.6137f}},
                    {.kind = Kind::kSum, .binary = {.type = r, .scale = 0.7319f}}};
    return c;
}

void expect_woven(const Case& c) {
    const gemm::Packed p = gemm::pack(c.complete());
    ASSERT_TRUE(p.wide && p.epilogue.join && p.panels.size() == 1);
    // Sources of fours only: nothing after the last pixel is read.
    const std::size_t step = c.params.shape.src_channels;
    const std::vector<float> want = expected(c);
    Bytes dst(want.size() + 64, 0xA5);
    gemm::run_wide_woven({.src = c.src.data(),
                          .src_step = static_cast<std::ptrdiff_t>(step),
                          .pixels = c.params.shape.dst_width,
                          .wei = p.panels[0].wei,
                          .depth4 = p.depth4,
                          .taps = p.taps,
                          .panel = p.panels[0].constants,
                          .dst = dst.data(),
                          .dst_step = 64,
                          .channels = 64,
                          .is_signed = c.params.dst_type == ElementType::i8,
                          .ahead = p.panels[0].wei,
                          .ahead_step = 0,
                          .join = &*p.epilogue.join,
                          .q_signed = !p.epilogue.join->q_unsigned,
                          .residual = c.binary_sources[0].data()});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        wrong += fuseq::test::element(dst, c.params.dst_type, i) != want[i] ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u) << "of " << want.size();
    EXPECT_EQ(dst[want.size()], 0xA5);
}

// Less depth than a tile has pixels, and more; short ways to a byte, long ones, and values beyond
// 32 bits.
TEST_F(GemmVnniTest, WovenTilesAreExact) {
    for (const std::size_t depth : {4, 8, 24, 64, 508}) {
        for (const std::size_t pixels : {1, 2, 5, 6, 7, 12, 23, 49}) {
            for (const float scale : {0.004f, 1e6f}) {
                SCOPED_TRACE(detail::cat(depth, " deep, ", pixels, " pixels, scale ", scale));
                std::mt19937 rng(static_cast<unsigned>(depth * 1000 + pixels));
                Case c = woven_case(rng, depth, pixels, scale);
                while (!gemm::lay_out(c.complete()).wide) {  // not all lists have a join
                    c = woven_case(rng, depth, pixels, scale);
                }
                expect_woven(c);
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
