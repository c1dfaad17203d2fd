// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::random_elements;
using Kind = GemmOp::Kind;

TEST_F(GemmVnniTest, RandomCasesAreExact) {
    for (unsigned seed = 0; seed < 250; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        expect_exact(random_case(rng));
    }
}

// A matrix product of weights [K, N], larger than one block and one group of panels.
TEST_F(GemmVnniTest, MatrixProductOfSeveralBlocks) {
    for (const std::size_t rows : {1, 13, 29, 700}) {
        SCOPED_TRACE(detail::cat(rows, " rows"));
        std::mt19937 rng(static_cast<unsigned>(rows));
        Case c;
        c.params.shape = {
            .src_channels = 1028, .dst_channels = 83, .src_width = rows, .dst_width = rows};
        c.params.src_type = ElementType::i8;
        c.params.src_zero_point = -3;
        c.params.dst_type = ElementType::f32;
        c.weights = random_weights(rng, 1028 * 83);
        c.scale = {0.5f};
        c.src = random_elements(rng, ElementType::i8, rows * 1028);
        expect_exact(c);
    }
}

// Rows that are copied to places further apart, whole, signed and with something missing in the
// last four; blocks of 126 rows.
TEST_F(GemmVnniTest, MatrixProductOfRowsFarApart) {
    for (const std::size_t depth : {4095, 4096}) {
        for (const ElementType type : {ElementType::u8, ElementType::i8}) {
            SCOPED_TRACE(detail::cat(depth, " deep, ", to_string(type)));
            std::mt19937 rng(static_cast<unsigned>(depth));
            Case c;
            c.params.shape = {
                .src_channels = depth, .dst_channels = 67, .src_width = 131, .dst_width = 131};
            c.params.src_type = type;
            c.params.src_zero_point = 5;
            c.params.dst_type = ElementType::f32;
            c.weights = random_weights(rng, depth * 67);
            c.scale = {0.5f};
            c.wei_zero_point = {3.0f};
            c.src = random_elements(rng, type, 131 * depth);
            expect_exact(c);
        }
    }
}

// Few pixels in short rows, whose windows are copied where that is faster.
TEST_F(GemmVnniTest, ShortRowsOfLargeKernels) {
    for (const std::size_t width : {1, 2, 3, 4, 6}) {
        for (const ElementType type : {ElementType::u8, ElementType::i8}) {
            for (const std::ptrdiff_t pad : {0, 1}) {
                SCOPED_TRACE(detail::cat(width, " ", to_string(type), " ", pad));
                std::mt19937 rng(static_cast<unsigned>(width));
                Case c;
                c.params.shape = {.batch = 2,
                                  .src_channels = 36,
                                  .dst_channels = 70,
                                  .src_height = 9,
                                  .src_width = 2 * width + 2,
                                  .dst_height = 3,
                                  .dst_width = width,
                                  .kernel_height = 3,
                                  .kernel_width = 3,
                                  .stride_height = 2,
                                  .stride_width = 2,
                                  .dilation_height = 2,
                                  .pad_top = pad,
                                  .pad_left = pad};
                c.params.src_type = type;
                c.params.src_zero_point = pad == 0 ? 0 : 3;
                c.params.dst_type = width == 3 ? ElementType::f32 : ElementType::i8;
                c.weights = random_weights(rng, std::size_t{70} * 36 * 9);
                c.scale = {0.001f};
                c.src = random_elements(rng, type, 2 * 9 * (2 * width + 2) * 36);
                expect_exact(c);
            }
        }
    }
}

TEST_F(GemmVnniTest, WeightsMayBeTransposed) {
    std::mt19937 rng(3);
    Case c;
    c.params.shape = {.src_channels = 20, .dst_channels = 33, .src_width = 5, .dst_width = 5};
    c.params.dst_type = ElementType::f32;
    c.weights = random_weights(rng, 20 * 33);
    c.scale = {1.0f};
    c.src = random_elements(rng, ElementType::u8, 5 * 20);
    const Bytes want = run(GemmVnni(c.complete()), c, 1);
    std::vector<std::int8_t> transposed(c.weights.size());
    for (std::size_t n = 0; n < 33; ++n) {
        for (std::size_t k = 0; k < 20; ++k) {
            transposed[k * 33 + n] = c.weights[n * 20 + k];
        }
    }
    GemmParams params = c.complete();
    params.weights = {.values = transposed, .dst_channel = 1, .src_channel = 33};
    EXPECT_EQ(run(GemmVnni(params), c, 1), want);
}

// 1 * 2 + 2 * 3 = 8; (8 - 1) * 0.5 = 3.5, which rounds to even.
TEST_F(GemmVnniTest, HandWrittenNumbers) {
    Case c;
    c.params.shape = {.src_channels = 2, .dst_channels = 1, .src_width = 2, .dst_width = 2};
    c.weights = {2, 3};
    c.scale = {0.5f};
    c.bias = {-1.0f};
    c.src = {1, 2, 255, 0};
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{4, 254}));
    c.params.dst_type = ElementType::i8;
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{4, 127}));
    c.params.src_zero_point = 2;  // (-1 * 2 - 1) * 0.5 = -1.5; (253 * 2 - 2 * 3 - 1) / 2 = 249.5
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{0xFE, 127}));
}

// Two threads that write to the same cache lines are slower than one.
TEST_F(GemmVnniTest, PanelsAreCutBetweenThreadsOnlyWhereCacheLinesEnd) {
    const auto split = [](std::size_t pixels, std::size_t src, std::size_t dst, ElementType type,
                          bool remote_is_slow) {
        std::mt19937 rng(1);
        Case c;
        c.params.shape = {
            .src_channels = src, .dst_channels = dst, .src_width = pixels, .dst_width = pixels};
        c.params.dst_type = type;
        c.weights = random_weights(rng, src * dst);
        c.scale = {1.0f};
        return GemmVnni(c.complete()).split(2, remote_is_slow);
    };
    for (const bool slow : {false, true}) {
        // Two panels: of half the tiles one is not whole, so that rows are a little more work.
        EXPECT_EQ(split(3190, 7, 58, ElementType::f32, slow).columns, 1u);
        EXPECT_EQ(split(3190, 7, 58, ElementType::u8, slow).columns, 1u);
        // Few pixels and many weights, which then are read once.
        EXPECT_EQ(split(24, 2048, 2048, ElementType::u8, slow).columns, 2u);
        // One pixel: there is nothing else to cut.
        EXPECT_EQ(split(1, 512, 100, ElementType::u8, slow).columns, 2u);
    }
    // Where lines of another core are slow, weights are rather read twice.
    EXPECT_EQ(split(196, 1024, 256, ElementType::u8, false).columns, 2u);
    EXPECT_EQ(split(196, 1024, 256, ElementType::u8, true).columns, 1u);
}

// The step in front fetches the beginning of what a part reads; much of it for few pixels.
TEST_F(GemmVnniTest, WeightsAheadAreTheFirstOfAPart) {
    const auto ahead = [](std::size_t pixels) {
        std::mt19937 rng(1);
        Case c;
        c.params.shape = {
            .src_channels = 512, .dst_channels = 640, .src_width = pixels, .dst_width = pixels};
        c.weights = random_weights(rng, std::size_t{512} * 640);
        c.scale = {1.0f};
        const GemmVnni gemm(c.complete());
        const GemmSplit split{.rows = 1, .columns = 2};
        for (const std::size_t part : {0, 1}) {
            EXPECT_EQ(gemm.weights_ahead(part, split).data(), gemm.weights(part, split).data());
        }
        return gemm.weights_ahead(0, {}).size();
    };
    const std::size_t some = std::size_t{256} << 10;
    EXPECT_EQ(ahead(100), loads_one_wide_vector_a_cycle() ? some : 64u * 512);
    EXPECT_EQ(ahead(2), loads_one_wide_vector_a_cycle() ? some : 640u * 512);
}

// A cache line for each four bytes of depth, panel and tile of the last block, which has 84 pixels:
// tiles of 6 by 64 or of 14 by 32. Source blocks have 512 kB.
TEST_F(GemmVnniTest, ARunFetchesInItsLastBlock) {
    for (const std::size_t pixels : {84, 1024 + 84}) {
        std::mt19937 rng(1);
        Case c;
        c.params.shape = {
            .src_channels = 512, .dst_channels = 128, .src_width = pixels, .dst_width = pixels};
        c.weights = random_weights(rng, std::size_t{512} * 128);
        c.scale = {1.0f};
        const GemmVnni gemm(c.complete());
        const bool wide = gemm.implementation().find("6x4") != std::string::npos;
        EXPECT_EQ(gemm.fetchable(), (wide ? 14u * 2 : 6u * 4) * 128 * 64);
    }
}

TEST_F(GemmVnniTest, LargeValuesSaturate) {
    Case c;
    c.params.shape = {.src_channels = 4, .dst_channels = 2, .src_width = 1, .dst_width = 1};
    c.weights = {127, 127, 127, 127, -127, -127, -127, -127};
    c.scale = {1e20f};
    c.src = {255, 255, 255, 255};
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{255, 0}));
    c.params.dst_type = ElementType::i8;
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{0x7F, 0x80}));
}

// dst in the memory of a binary source.
TEST_F(GemmVnniTest, AddsInPlace) {
    std::mt19937 rng(11);
    Case c;
    c.params.shape = {.src_channels = 16, .dst_channels = 57, .src_width = 33, .dst_width = 33};
    c.weights.assign(16 * 57, 1);
    c.scale = {0.03f};
    c.src = random_elements(rng, ElementType::u8, 16 * 33);
    c.binary_sources = {random_elements(rng, ElementType::u8, c.elements())};
    c.params.ops = {{.kind = Kind::kSum, .binary = {.type = ElementType::u8, .scale = 0.5f}}};
    const GemmVnni gemm(c.complete());
    const Bytes want = run(gemm, c, 1);
    Bytes both = c.binary_sources[0];
    const void* binary_sources[] = {both.data()};
    gemm.run({.src = c.src.data(), .dst = both.data(), .binary_sources = binary_sources}, 0, {});
    EXPECT_EQ(both, want);
}

}  // namespace
}  // namespace fuseq::kernels
