// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Leaky relus in wide tiles: the bytes of the definition.
#include <gtest/gtest.h>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using Kind = GemmOp::Kind;

// One row of pixels.
Case row_case(std::mt19937& rng, GemmShape shape, ElementType dst_type, float scale) {
    Case c;
    shape.dst_width = shape.src_width;
    c.params.shape = shape;
    c.params.dst_type = dst_type;
    c.params.src_zero_point = static_cast<int>(rng() % 256);
    c.weights = random_weights(rng, shape.src_channels * shape.dst_channels);
    c.scale = fuseq::test::random_floats(rng, shape.dst_channels, 0.5f * scale, scale);
    c.bias = fuseq::test::random_floats(rng, shape.dst_channels, -9000.0f, 9000.0f);
    c.src =
        fuseq::test::random_elements(rng, ElementType::u8, shape.src_width * shape.src_channels);
    return c;
}

// A leaky relu of each channel and what quantizes it; the last case leaves the range of 32-bit
// integers.
Case leaky_case(std::mt19937& rng, const GemmShape& shape, ElementType dst_type, float scale) {
    Case c = row_case(rng, shape, dst_type, scale);
    const std::size_t slopes = rng() % 2 == 0 ? 1 : shape.dst_channels;
    c.params.ops = {
        {.kind = Kind::kPrelu, .a = fuseq::test::random_floats(rng, slopes, 0.0f, 1.0f)}};
    constexpr Kind kKinds[] = {Kind::kLinear, Kind::kScale, Kind::kShift};
    if (rng() % 4 != 0) {
        c.params.ops.push_back(
            {.kind = kKinds[rng() % 3],
             .a = fuseq::test::random_floats(rng, shape.dst_channels, -2.0f, 40.0f),
             .b = fuseq::test::random_floats(rng, shape.dst_channels, -30.0f, 90.0f)});
    }
    return c;
}

TEST_F(GemmVnniTest, WidePanelsHaveLeakyRelus) {
    for (const std::size_t channels : {1, 8, 16, 24, 48, 64, 100}) {
        for (const std::size_t pixels : {1, 3, 5, 26, 49}) {
            for (const ElementType type : {ElementType::u8, ElementType::i8}) {
                SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
                std::mt19937 rng(static_cast<unsigned>(channels * 1000 + pixels));
                const GemmShape shape{
                    .src_channels = 2 + pixels, .dst_channels = channels, .src_width = pixels};
                for (const float scale : {0.002f, 0.05f, 3e5f}) {
                    const Case c = leaky_case(rng, shape, type, scale);
                    EXPECT_EQ(GemmVnni(c.complete()).implementation(), "gemm_vnni512:6x4");
                    expect_exact(c);
                }
            }
        }
    }
}

TEST_F(GemmVnniTest, OtherLeakyRelusAreNotWide) {
    std::mt19937 rng(7);
    const GemmShape shape{.src_channels = 20, .dst_channels = 33, .src_width = 3};
    const auto name = [](const Case& c) { return GemmVnni(c.complete()).implementation(); };
    Case c = row_case(rng, shape, ElementType::u8, 0.001f);
    c.params.ops = {{.kind = Kind::kPrelu, .a = std::vector<float>(33, 0.1f)},
                    {.kind = Kind::kLinear, .a = {1.0f}, .b = {16.0f}}};
    EXPECT_EQ(name(c), "gemm_vnni512:6x4");
    for (const float slope : {-0.1f, 1.5f}) {  // the larger of both lines is another one then
        Case other = c;
        other.params.ops[0].a[32] = slope;
        EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    }
    Case other = c;
    other.params.ops[1].kind = Kind::kAffine;  // rounds twice
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.wei_zero_point = {1.0f};
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.params.ops.push_back({.kind = Kind::kRound});
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
}

}  // namespace
}  // namespace fuseq::kernels
