// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The product of one row of floats and a matrix of floats that are all numbers of half precision,
// and kept as such: reading the matrix is what takes the time, and there is half as much to read.
//
//   acc = fma(src[k], wei[k][n], acc), from 0, k = 0, 1, 2... of each kDepthBlock
//   dst = the blocks' sums, one added after the other, + bias[n]
//
// which is the order of oneDNN's kernels for a row on one thread. The same bytes for every split of
// the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "cpu/kernels/common/large_pages.hpp"
#include "cpu/kernels/common/range.hpp"

namespace fuseq::kernels {

// The bits of the half that is the same number; none: there is no such half (infinities and NaN
// among them).
std::optional<std::uint16_t> half_of(float value);
bool are_halves(std::span<const float> values);

class HalfMatrix {
public:
    // Channels of a block, which are worked on together.
    static constexpr std::size_t kBlock = 64;

    static constexpr std::size_t kDepthBlock = 1024;

    // Whether this machine has the instructions.
    static bool available();

    // To be packed before anything but blocks() is asked; values that are no halves are rounded.
    HalfMatrix(std::size_t depth, std::size_t channels);
    // values: [channels][depth] or [depth][channels].
    void pack(std::span<const float> values, bool channels_first);

    std::size_t blocks() const { return (channels_ + kBlock - 1) / kBlock; }
    // bias: one a channel, or null.
    void run(const float* src, const float* bias, float* dst, Range blocks) const;

    // All of them, in the order in which they are read.
    std::span<const std::int8_t> weights() const;
    std::size_t bytes() const { return halves_.size() * sizeof(std::uint16_t); }

private:
    std::size_t depth_;
    std::size_t channels_;
    LargePageVector<std::uint16_t> halves_;  // [block][depth][kBlock]
};

}  // namespace fuseq::kernels
