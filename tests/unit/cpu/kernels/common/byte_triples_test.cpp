// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/byte_triples.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels {
namespace {

TEST(SplitTriples, GivesThePlanesOfAnyNumberOfPixels) {
    if (!has_avx512_vbmi()) {
        GTEST_SKIP() << "this machine has no AVX-512 VBMI";
    }
    std::mt19937 rng(1);
    for (const std::size_t pixels : {0u, 1u, 63u, 64u, 65u, 127u, 128u, 200u, 1024u}) {
        std::vector<std::uint8_t> src(3 * pixels);
        for (auto& byte : src) {
            byte = static_cast<std::uint8_t>(rng());
        }
        const std::size_t plane = pixels + rng() % 7;
        std::vector<std::uint8_t> planes(3 * plane + 1, 77);
        split_triples(src.data(), planes.data(), plane, pixels);
        for (std::size_t c = 0; c < 3; ++c) {
            for (std::size_t i = 0; i < plane; ++i) {
                EXPECT_EQ(planes[c * plane + i], i < pixels ? src[3 * i + c] : 77)
                    << "pixel " << i << " of " << pixels << ", channel " << c;
            }
        }
        EXPECT_EQ(planes.back(), 77);
    }
}

}  // namespace
}  // namespace fuseq::kernels
