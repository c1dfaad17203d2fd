// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernels against plain loops, for every number of rows.
#include <gtest/gtest.h>

#include <random>

#include "cpu/kernels/gemm_vnni_detail.hpp"
#include "gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kDepth4 = 3;
constexpr std::size_t kStep = 13;  // bytes from pixel to pixel: they overlap a little
constexpr std::ptrdiff_t kTaps[] = {0, 29, 7};

struct Problem {
    std::size_t vectors = 1;
    Bytes src;
    AlignedVector<std::int8_t> wei;
    AlignedVector<std::int32_t> init;

    std::int32_t expected(std::size_t row, std::size_t lane) const {
        std::int32_t sum = init[lane];
        const std::int8_t* w = wei.data();
        for (const std::ptrdiff_t tap : kTaps) {
            for (std::size_t k = 0; k < 4 * kDepth4; ++k) {
                const std::size_t at = static_cast<std::size_t>(tap) + row * kStep + k;
                sum += src[at] * w[(k / 4 * gemm::kLanes * vectors + lane) * 4 + k % 4];
            }
            w += 4 * kDepth4 * gemm::kLanes * vectors;
        }
        return sum;
    }
};

Problem random_problem(std::size_t vectors) {
    std::mt19937 rng(static_cast<unsigned>(vectors));
    Problem p;
    p.vectors = vectors;
    p.src = fuseq::test::random_elements(rng, ElementType::u8, 28 * kStep + 64);
    const auto wei = random_weights(rng, std::size(kTaps) * 4 * kDepth4 * gemm::kLanes * vectors);
    p.wei.assign(wei.begin(), wei.end());
    for (std::size_t i = 0; i < gemm::kLanes * vectors; ++i) {
        p.init.push_back(static_cast<std::int32_t>(rng() % 100000) - 50000);
    }
    return p;
}

TEST_F(GemmVnniTest, MicroKernelsOfEveryNumberOfRows) {
    for (const std::size_t vectors : {1, 2}) {
        const Problem p = random_problem(vectors);
        const auto* functions =
            vectors == 1 ? gemm::micro_functions_1() : gemm::micro_functions_2();
        const std::size_t lanes = gemm::kLanes * vectors;
        for (std::size_t rows = 1; rows <= gemm::kMostRows[vectors]; ++rows) {
            SCOPED_TRACE(testing::Message() << rows << " x " << vectors);
            AlignedVector<std::int32_t> tile((rows + 1) * lanes, 77);
            functions[rows - 1]({.src = p.src.data(),
                                 .src_step = kStep,
                                 .wei = p.wei.data(),
                                 .depth4 = kDepth4,
                                 .taps = kTaps,
                                 .init = p.init.data(),
                                 .tile = tile.data(),
                                 .ahead = p.wei.data(),
                                 .ahead_step = 64});
            for (std::size_t i = 0; i < tile.size(); ++i) {
                const std::size_t row = i / lanes;
                ASSERT_EQ(tile[i], row < rows ? p.expected(row, i % lanes) : 77) << "value " << i;
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
