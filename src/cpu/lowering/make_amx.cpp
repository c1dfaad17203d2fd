// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Large integer products on machines with AMX: oneDNN's, whose tiles make eight times the products
// of AVX-512 VNNI a cycle, with the attributes that the composer makes for it anywhere. Chosen by a
// rule on shapes, from what a tile holds; not measured, as no machine with AMX was at hand
// (docs/isa_levels.md).
#include <algorithm>

#include <fmt/core.h>

#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/machine/traits.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

// A tile: 16 rows of 64 bytes; a product of two adds 64 products to each of 16 x 16 sums.
constexpr std::size_t kTileRows = 16;
constexpr std::size_t kTileDepth = 64;

// The share of a dimension that is no padding of whole tiles.
double filled(std::size_t size, std::size_t tile) {
    const std::size_t whole = (size + tile - 1) / tile * tile;
    return static_cast<double>(size) / static_cast<double>(whole);
}

// Of the products that the tiles make for a layer, those that count.
double filled(const kernels::GemmShape& s) {
    // A product takes channels of one tap; oneDNN's tiles of a kernel above 1x1 hold pixels of one
    // row.
    const bool one = s.kernel_height * s.kernel_width == 1;
    const std::size_t pixels = one ? s.dst_height * s.dst_width : s.dst_width;
    return filled(s.src_channels, kTileDepth) * filled(s.dst_channels, kTileRows) *
           filled(pixels, kTileRows);
}

Verdict suits_tiles(const GemmProblem& problem) {
    // Below half of the tile the eightfold speed is mostly spent on padding.
    constexpr double kHalf = 0.5;
    // Results leave a tile through memory, 256 at a time; with fewer products for each, storing and
    // converting them takes longer than multiplying.
    constexpr std::size_t kDepth = 128;
    // Configuring tiles takes each thread some hundred cycles; VNNI makes so many products in 10
    // us.
    constexpr std::size_t kProducts = std::size_t{1} << 21;
    const kernels::GemmShape& s = problem.shape;
    const std::size_t depth = s.src_channels * s.kernel_height * s.kernel_width;
    const std::size_t products = s.batch * s.dst_height * s.dst_width * s.dst_channels * depth;
    const double share = filled(s);
    if (share < kHalf) {
        return Verdict::no(fmt::format("tiles would be filled to {} %, at least 50 %",
                                       static_cast<int>(share * 100)));
    }
    if (depth < kDepth) {
        return Verdict::no(fmt::format("{} products a result, at least {}", depth, kDepth));
    }
    if (products < kProducts) {
        return Verdict::no(fmt::format("{} products, at least {}", products, kProducts));
    }
    return Verdict::yes();
}

}  // namespace

Verdict amx_supports(const StepBuilder&, const Group& group) {
    if (!machine_traits().amx_int8) {
        return Verdict::other_kind();
    }
    if (group.preferred_implementation.starts_with(kOwnGemm)) {
        return Verdict::no("dumps want " + group.preferred_implementation);
    }
    std::string why;
    const auto problem = gemm_problem(*group.anchor, why);
    if (!problem) {
        return Verdict::no(why);
    }
    if (problem->transposed()) {
        return Verdict::no("oneDNN has no deconvolution by tiles");
    }
    if (!problem->wei_zero_point.empty()) {
        return Verdict::no("zero points of weights, which oneDNN has none of");
    }
    if (problem->src_zero_point != 0) {
        return Verdict::no("a zero point of source, which oneDNN's products by tiles lack");
    }
    return suits_tiles(*problem);
}

}  // namespace fuseq::cpu
