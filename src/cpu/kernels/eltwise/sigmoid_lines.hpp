// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sigmoid and tanh of integers of 16 bits by straight lines (ops/quantized/rules/sigmoid_16.hpp), in
// vectors. With v = (x * multiplier + nudge) >> right_shift, in 32 bits that wrap:
//
//   line = lines[min(|v| >> bits, 255)], y = (line & 0xffff) << bits + (line >> 16) * rest of |v|
//   dst = ((v < 0 ? -y : y) + offset) >> dropped
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace fuseq::kernels {

struct SigmoidLines {
    std::array<std::uint32_t, 256> lines{};  // where one begins, and its slope times 2^16
    std::int32_t multiplier = 0;
    std::int32_t nudge = 0;
    int right_shift = 0;  // 0 to 31
    int bits = 0;
    int dropped = 0;
    std::int32_t offset = 0;           // of v >= 0
    std::int32_t negative_offset = 0;  // of v < 0
};

// Results fit 16 bits. May be in place.
void sigmoid_by_lines(const SigmoidLines& lines,
                      const std::int16_t* src,
                      std::size_t count,
                      std::int16_t* dst);

}  // namespace fuseq::kernels
