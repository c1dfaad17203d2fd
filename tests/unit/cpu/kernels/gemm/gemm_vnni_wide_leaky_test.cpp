// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Leaky relus in wide tiles: the bytes of the definition. Elus of sums with a tensor of bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

// What stands between a sum and its activation, or after it.
GemmOp random_linear(std::mt19937& rng, std::size_t channels, float low, float high) {
    return {.kind = rng() % 2 == 0 ? Kind::kScale : Kind::kLinear,
            .a = fuseq::test::random_floats(rng, channels, low, high),
            .b = fuseq::test::random_floats(rng, channels, -3.0f, 20.0f)};
}

// Adds a tensor of `type`, in the form in which an epilogue has it, and then `activation`.
Case sum_case(std::mt19937& rng,
              const GemmShape& shape,
              ElementType dst_type,
              ElementType type,
              const GemmOp& activation) {
    Case c = row_case(rng, shape, dst_type, 0.0005f);
    c.binary_sources = {fuseq::test::random_elements(rng, type, c.elements())};
    const bool as_sum = rng() % 2 == 0;
    c.params.ops = {{.kind = as_sum ? Kind::kSum : Kind::kBinary,
                     .binary = {.type = type, .scale = as_sum ? 0.37f : 1.0f}}};
    if (rng() % 2 == 0) {
        c.params.ops.push_back(random_linear(rng, shape.dst_channels, 0.02f, 0.9f));
    }
    c.params.ops.push_back(activation);
    if (rng() % 2 == 0) {
        c.params.ops.push_back(random_linear(rng, shape.dst_channels, 0.5f, 3.0f));
    }
    return c;
}

// Calls f(shape, type of dst, type of the tensor) for panels of one to four vectors and more.
template <class F>
void for_sums(F&& f) {
    for (const std::size_t channels : {1, 8, 16, 24, 48, 64, 100}) {
        for (const std::size_t pixels : {1, 3, 5, 26, 49}) {
            for (const ElementType type : {ElementType::u8, ElementType::i8}) {
                SCOPED_TRACE(detail::cat(channels, " channels, ", pixels, " pixels"));
                const GemmShape shape{
                    .src_channels = 2 + pixels, .dst_channels = channels, .src_width = pixels};
                f(shape, type, channels % 3 == 0 ? ElementType::i8 : type);
            }
        }
    }
}

// Good to the last bit but for ties; the same in tiles of all sizes.
void expect_elu_of_sum(Case c) {
    const GemmVnni gemm(c.complete());
    EXPECT_EQ(gemm.implementation(), "gemm_vnni512:6x4");
    const Bytes got = run(gemm, c, 1);
    EXPECT_EQ(run(gemm, c, std::min<std::size_t>(3, c.params.shape.src_width)), got);
    const ElementType type = c.params.dst_type;
    c.params.dst_type = ElementType::f32;
    const std::vector<float> exact = expected(c);
    const bool is_unsigned = type == ElementType::u8;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const float limited =
            std::clamp(exact[i], is_unsigned ? 0.0f : -128.0f, is_unsigned ? 255.0f : 127.0f);
        ASSERT_LE(std::abs(fuseq::test::element(got, type, i) - limited), 0.5002f)
            << "element " << i << " is " << exact[i];
    }
}

TEST_F(GemmVnniTest, WidePanelsHaveElusOfSums) {
    for_sums([](const GemmShape& shape, ElementType dst_type, ElementType type) {
        std::mt19937 rng(static_cast<unsigned>(shape.dst_channels * 1000 + shape.src_width));
        expect_elu_of_sum(sum_case(rng, shape, dst_type, type,
                                   {.kind = Kind::kEltwise,
                                    .eltwise = {.kind = post_ops::EltwiseKind::kElu,
                                                .alpha = rng() % 2 == 0 ? 1.0f : 0.7f,
                                                .scale = rng() % 2 == 0 ? 1.0f : 9.0f}}));
    });
}

// The same elu of all channels, of few values below zero: by steps; of more: not.
TEST_F(GemmVnniTest, WidePanelsHaveElusOfSumsBySteps) {
    for (const float factor : {1.95f, 4.7f, 7.26f, 40.0f}) {
        for_sums([&](const GemmShape& shape, ElementType dst_type, ElementType type) {
            std::mt19937 rng(static_cast<unsigned>(shape.dst_channels * 1000 + shape.src_width));
            Case c = sum_case(rng, shape, dst_type, type, {});
            c.params.ops.resize(1);  // the sum
            c.params.ops.push_back(random_linear(rng, shape.dst_channels, 0.02f, 0.9f));
            c.params.ops.push_back(
                {.kind = Kind::kEltwise,
                 .eltwise = {.kind = post_ops::EltwiseKind::kElu, .alpha = 1.0f, .scale = factor}});
            if (rng() % 2 == 0) {
                c.params.ops.push_back(
                    {.kind = Kind::kShift, .a = {dst_type == ElementType::u8 ? 9.0f : -3.0f}});
            }
            const gemm::Packed packed = gemm::pack(c.complete());
            const bool by_steps = packed.panels[0].constants->ways[0] == gemm::WideWay::kSumSteps;
            EXPECT_EQ(by_steps, factor < 40.0f);
            expect_elu_of_sum(std::move(c));
        });
    }
}

TEST_F(GemmVnniTest, OtherSumsAreNotWide) {
    std::mt19937 rng(7);
    const GemmShape shape{.src_channels = 20, .dst_channels = 33, .src_width = 3};
    const auto name = [](const Case& c) { return GemmVnni(c.complete()).implementation(); };
    Case c = row_case(rng, shape, ElementType::u8, 0.001f);
    c.params.ops = {
        {.kind = Kind::kSum, .binary = {.type = ElementType::u8}},
        {.kind = Kind::kEltwise, .eltwise = {.kind = post_ops::EltwiseKind::kElu, .alpha = 1.0f}}};
    EXPECT_EQ(name(c), "gemm_vnni512:6x4");
    Case other = c;
    other.params.ops[1] = {.kind = Kind::kPrelu, .a = {0.1f}};
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.params.ops[0].binary.type = ElementType::f32;
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.params.ops[0].kind = Kind::kBinary;
    other.params.ops[0].binary.zero_point = 3.0f;  // rounds more often
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.params.ops.insert(other.params.ops.begin(), {.kind = Kind::kRound});
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
    other = c;
    other.params.ops.pop_back();  // has tiles of its own
    EXPECT_EQ(name(other), "gemm_vnni512:14x2");
}

}  // namespace
}  // namespace fuseq::kernels
