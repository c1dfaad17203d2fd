// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of 64 bits to integers of 16 by a multiplier and one shift, in vectors:
//
//   dst = clamp(((sum + offset + bias) * mantissa + 2^(shift - 1)) >> shift + zero point)
//
// Where mantissas have more than 16 bits, the sum is clamped to 32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fuseq::kernels {

struct WideMultiplier {
    std::int32_t mantissa = 0;  // at least 0
    std::int32_t shift = 1;     // 1 to 62
};

struct WideGrid {
    std::int32_t zero_point = 0;
    std::int32_t lowest = 0;
    std::int32_t highest = 0;
};

class WideRounding {
public:
    // `bias`: none, or one a channel. Products with mantissas of 16 bits keep within 64 bits.
    WideRounding(std::span<const std::int64_t> bias,
                 std::span<const WideMultiplier> multipliers,
                 const WideGrid& grid);

    // `count` channels from `channel` on. Sums and offsets may be read up to a group of wide_product.hpp.
    void run(const std::int64_t* sums,
             const std::int64_t* offsets,
             std::size_t channel,
             std::size_t count,
             std::int16_t* dst) const;

    // One a channel and a group more.
    const std::int64_t* bias() const { return bias_.data(); }
    const std::uint64_t* mantissa() const { return mantissa_.data(); }
    const std::uint64_t* shift() const { return shift_.data(); }
    const WideGrid& grid() const { return grid_; }
    bool saturates_sums() const { return saturates_sums_; }

private:
    std::vector<std::int64_t> bias_;
    std::vector<std::uint64_t> mantissa_;
    std::vector<std::uint64_t> shift_;
    WideGrid grid_;
    bool saturates_sums_ = false;
};

}  // namespace fuseq::kernels
