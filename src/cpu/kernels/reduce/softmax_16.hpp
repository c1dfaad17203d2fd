// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The two passes of a softmax of 16 bits in fixed point (ops/quantized/rules/softmax_16.hpp) over a
// row, in vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuseq::kernels {

inline constexpr std::size_t kSoftmax16Row = 65536;  // elements of a row at most

// dst = powers[min(maximum of src - src, last)], of which the sum is returned. `powers` are not
// negative; one element more may be read behind them. May be in place.
std::int32_t softmax_16_powers(std::span<const std::int16_t> powers,
                               const std::int16_t* src,
                               std::size_t size,
                               std::int16_t* dst);

struct Softmax16Shares {
    std::int32_t factor = 0;  // 0 to 32767
    int shift = 1;            // 1 to 30
    std::int32_t lowest = 0;  // of i16
    std::int32_t highest = 0;
};
// powers = clamp((powers * factor + 2^(shift - 1)) >> shift)
void softmax_16_shares(const Softmax16Shares& shares, std::size_t size, std::int16_t* powers);

}  // namespace fuseq::kernels
