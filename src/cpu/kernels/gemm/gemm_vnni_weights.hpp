// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The weights of a matrix product in the order in which its tiles read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cpu/kernels/common/large_pages.hpp"

namespace fuseq::kernels {

struct GemmParams;

namespace gemm {

struct Packed;
struct TapSteps;

// Weights, and the sums that follow from nothing but weights.
struct PackedWeights {
    LargePageVector<std::int8_t> values;   // panel by panel
    std::size_t taps = 0;                  // of the panel that has most
    std::vector<std::int32_t> sums;        // over a tap: [channel][tap of the panel]
    std::vector<std::int64_t> magnitudes;  // sum of absolute values, of a channel
    std::int32_t sum(std::size_t channel, std::size_t tap) const {
        return sums[channel * taps + tap];
    }
    // Of kBytes only, else empty: see TapSteps and MicroCall.
    std::vector<std::size_t> panel_bytes;
    std::vector<TapSteps> steps;  // panel by panel
    std::vector<std::uint32_t> order;
    std::vector<std::int32_t> inits;  // as `sums`: what signed weights add
    std::int32_t init_of(std::size_t channel, std::size_t tap) const {
        return inits.empty() ? 0 : inits[channel * taps + tap];
    }
};

// `layout`: form, panels, taps and depth. Taken from params.shared where it has them.
std::shared_ptr<const PackedWeights> packed_weights(const GemmParams& params, const Packed& layout);

}  // namespace gemm
}  // namespace fuseq::kernels
