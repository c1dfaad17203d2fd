// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A call of a micro-kernel of the matrix product, with its result as plain loops.
#pragma once

#include <random>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels::test {

inline constexpr std::size_t kDepth4 = 3;
inline constexpr std::size_t kStep = 13;  // bytes from pixel to pixel: they overlap a little
inline constexpr std::ptrdiff_t kTaps[] = {0, 29, 7};

struct MicroProblem {
    std::size_t vectors = 1;
    Bytes src;
    AlignedVector<std::int8_t> wei;
    AlignedVector<std::int32_t> init;

    gemm::MicroCall call(std::int32_t* tile) const {
        return {.src = src.data(),
                .src_step = kStep,
                .wei = wei.data(),
                .depth4 = kDepth4,
                .taps = kTaps,
                .init = init.data(),
                .tile = tile,
                .ahead = wei.data(),
                .ahead_step = 64};
    }
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

inline MicroProblem random_micro_problem(std::size_t vectors) {
    std::mt19937 rng(static_cast<unsigned>(vectors));
    MicroProblem p;
    p.vectors = vectors;
    p.src = fuseq::test::random_elements(rng, ElementType::u8, 28 * kStep + 64);
    const auto wei = random_weights(rng, std::size(kTaps) * 4 * kDepth4 * gemm::kLanes * vectors);
    p.wei.assign(wei.begin(), wei.end());
    for (std::size_t i = 0; i < gemm::kLanes * vectors; ++i) {
        p.init.push_back(static_cast<std::int32_t>(rng() % 100000) - 50000);
    }
    return p;
}

}  // namespace fuseq::kernels::test
