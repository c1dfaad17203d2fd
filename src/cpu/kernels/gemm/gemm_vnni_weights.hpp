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

// Weights, and the sums that follow from nothing but weights.
struct PackedWeights {
    LargePageVector<std::int8_t> values;   // panel by panel
    std::size_t taps = 0;                  // of the panel that has most
    std::vector<std::int32_t> sums;        // over a tap: [channel][tap of the panel]
    std::vector<std::int64_t> magnitudes;  // sum of absolute values, of a channel
    std::int32_t sum(std::size_t channel, std::size_t tap) const {
        return sums[channel * taps + tap];
    }
};

// `layout`: panels, taps and depth. `columns` of the kernel are one tap. Taken from params.shared
// where it has them.
std::shared_ptr<const PackedWeights> packed_weights(const GemmParams& params,
                                                    const Packed& layout,
                                                    std::size_t columns);

}  // namespace gemm
}  // namespace fuseq::kernels
