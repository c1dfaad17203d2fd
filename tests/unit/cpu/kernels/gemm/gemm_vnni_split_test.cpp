// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How the work of a matrix product is cut: whatever the shape and the number of parts, each element
// of dst is written by one part.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

std::size_t bytes_of(const GemmParams& p) {
    const GemmShape& s = p.shape;
    const std::size_t window = p.pool ? 4 : 1;
    return s.batch * s.dst_height * s.dst_width / window * s.dst_channels * size_of(p.dst_type);
}

// What part `part` leaves of memory full of one mark.
Bytes run_part(const GemmVnni& gemm,
               const Case& c,
               const GemmSplit& split,
               std::size_t part,
               std::uint8_t mark) {
    Bytes dst(bytes_of(c.params), mark);
    AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes() * split.parts(), 0x3C);
    std::vector<const void*> binary_sources;
    for (const Bytes& source : c.binary_sources) {
        binary_sources.push_back(source.data());
    }
    gemm.run({.src = c.src.data(),
              .dst = dst.data(),
              .binary_sources = binary_sources,
              .scratch = scratch.data()},
             part, split);
    return dst;
}

// How many parts write each byte: it is written where two marks give the same.
void expect_every_byte_once(const Case& c, std::size_t parts) {
    const GemmVnni gemm(c.complete());
    const GemmSplit split = gemm.split(parts);
    ASSERT_EQ(split.parts(), parts);
    std::vector<int> writers(bytes_of(c.params), 0);
    for (std::size_t part = 0; part < parts; ++part) {
        const Bytes a = run_part(gemm, c, split, part, 0x00);
        const Bytes b = run_part(gemm, c, split, part, 0xFF);
        for (std::size_t i = 0; i < writers.size(); ++i) {
            writers[i] += a[i] == b[i] ? 1 : 0;
        }
    }
    const auto wrong = [&](int times) { return std::count(writers.begin(), writers.end(), times); };
    EXPECT_EQ(wrong(1), static_cast<std::ptrdiff_t>(writers.size()))
        << wrong(0) << " of " << writers.size() << " bytes are written by nobody; " << parts
        << " parts are " << split.rows << " x " << split.columns;
}

TEST_F(GemmVnniTest, PartsWriteEveryElementOnce) {
    for (unsigned seed = 1000; seed < 1120; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        const Case c = random_case(rng);
        // Also more parts than there are rows, or panels, or both.
        for (const std::size_t parts : {std::size_t{1}, 2 + rng() % 3, 5 + rng() % 12}) {
            expect_every_byte_once(c, parts);
        }
    }
}

TEST_F(GemmVnniTest, PartsOfPooledResultsWriteEveryElementOnce) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        Case c;
        GemmShape& s = c.params.shape;
        s.batch = 1 + rng() % 2;
        s.src_channels = 1 + rng() % 20;
        s.dst_channels = 1 + rng() % 150;
        s.kernel_height = s.kernel_width = 1 + rng() % 3;
        s.dst_height = 2 * (1 + rng() % 5);
        s.dst_width = 2 * (1 + rng() % 20);
        s.src_height = s.dst_height + s.kernel_height - 1;
        s.src_width = s.dst_width + s.kernel_width - 1;
        c.weights =
            random_weights(rng, s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width);
        c.src = fuseq::test::random_elements(rng, ElementType::u8,
                                             s.batch * s.src_height * s.src_width * s.src_channels);
        c.scale = {0.01f};
        c.params.pool = true;
        for (const std::size_t parts : {std::size_t{2}, std::size_t{3}, 4 + rng() % 8}) {
            expect_every_byte_once(c, parts);
        }
    }
}

// Of one row and one panel there is one part with work; the others must do nothing.
TEST_F(GemmVnniTest, PartsWithoutWorkWriteNothing) {
    std::mt19937 rng(7);
    Case c;
    c.params.shape = {.src_channels = 8, .dst_channels = 5, .src_width = 1, .dst_width = 1};
    c.weights = random_weights(rng, 8 * 5);
    c.scale = {0.1f};
    c.src = fuseq::test::random_elements(rng, ElementType::u8, 8);
    expect_every_byte_once(c, 24);
}

// Work per part is what the slowest thread waits for: no part has twice what it could have.
TEST_F(GemmVnniTest, PartsAreOfAboutEqualSize) {
    for (const std::size_t pixels : {196, 784, 3136}) {
        for (const std::size_t channels : {64, 256, 1024}) {
            std::mt19937 rng(3);
            Case c;
            c.params.shape = {.src_channels = 64,
                              .dst_channels = channels,
                              .src_width = pixels,
                              .dst_width = pixels};
            c.weights = random_weights(rng, 64 * channels);
            c.scale = {0.01f};
            c.src = fuseq::test::random_elements(rng, ElementType::u8, 64 * pixels);
            const GemmVnni gemm(c.complete());
            for (const std::size_t parts : {2, 4}) {
                const GemmSplit split = gemm.split(parts);
                std::size_t max = 0;
                for (std::size_t part = 0; part < parts; ++part) {
                    const Bytes a = run_part(gemm, c, split, part, 0x00);
                    const Bytes b = run_part(gemm, c, split, part, 0xFF);
                    std::size_t written = 0;
                    for (std::size_t i = 0; i < a.size(); ++i) {
                        written += a[i] == b[i] ? 1 : 0;
                    }
                    max = std::max(max, written);
                }
                EXPECT_LT(max, pixels * channels * 4 / 3 / parts)
                    << pixels << " pixels, " << channels << " channels, " << parts << " parts";
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
