// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Integer products by the tiles of AMX, where they are faster than the dot products of AVX-512 VNNI.
// The rule and its thresholds: docs/performance/log/amx.md.
#include <fmt/core.h>

#include "cpu/kernels/gemm/gemm_amx.hpp"
#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/lowering/make_own_gemm.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/machine/traits.hpp"

namespace fuseq::cpu {
namespace {

// Bytes of depth that lie one after the other for a pixel: of a tap, or of a row of taps.
std::size_t contiguous_depth(const GemmProblem& problem) {
    const kernels::GemmShape& s = problem.shape;
    const bool row_of_taps = s.dilation_width == 1 && !problem.transposed();
    return s.src_channels * (row_of_taps ? s.kernel_width : 1);
}

Verdict suits_tiles(const GemmProblem& problem) {
    // A tile of pixels; with fewer pixels the time is that of reading the weights.
    constexpr std::size_t kMinPixels = kernels::gemm::kAmxTileRows;
    // Sums leave a tile through memory. With less depth this takes longer than tiles save.
    constexpr std::size_t kMinDepth = 64;
    // A step of the depth takes the same time for a half and a whole row of a tile.
    constexpr std::size_t kMinTileDepth = 32;
    const kernels::GemmShape& s = problem.shape;
    const std::size_t pixels = problem.transposed() ? s.batch * s.src_height * s.src_width
                                                    : s.batch * s.dst_height * s.dst_width;
    if (pixels < kMinPixels) {
        return Verdict::no(fmt::format("{} pixels, at least {}", pixels, kMinPixels));
    }
    const std::size_t depth = s.src_channels * s.kernel_height * s.kernel_width;
    if (depth < kMinDepth) {
        return Verdict::no(fmt::format("{} products a result, at least {}", depth, kMinDepth));
    }
    const std::size_t contiguous = contiguous_depth(problem);
    const std::size_t tile_depth = 4 * kernels::gemm::amx_tile_depth((contiguous + 3) / 4);
    if (tile_depth < kMinTileDepth) {
        return Verdict::no(fmt::format("{} contiguous bytes a pixel need tiles of {}, at least {}",
                                       contiguous, tile_depth, kMinTileDepth));
    }
    return Verdict::yes();
}

}  // namespace

Verdict amx_supports(const StepBuilder& builder, const Group& group) {
    if (!machine_traits().amx_int8) {
        return Verdict::other_kind();
    }
    std::string why;
    const auto problem = gemm_problem(*group.anchor, why);
    if (!problem) {
        return Verdict::no(why);
    }
    if (!problem->wei_zero_point.empty()) {
        return Verdict::no("zero points of weights, which tiles have none of");
    }
    const Verdict suits = suits_tiles(*problem);
    return suits ? own_gemm_supports(builder, group, kernels::GemmForm::kAmx) : suits;
}

TensorId make_amx(StepBuilder& builder, const Group& group) {
    return make_own_gemm(builder, group, kernels::GemmForm::kAmx);
}

}  // namespace fuseq::cpu
