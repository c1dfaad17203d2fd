// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The average of some pixels of u8 or i8, channels side by side, by the rule of a method, as
// ops/quantized/quantized_average_pool.cpp has it. The same bytes on every instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fuseq::kernels {

enum class AverageRounding : std::uint8_t {
    kRawHalfAway,  // the integers themselves, half away from zero
    kHalfEven,     // real values summed in f32, in the order of the pixels; then to the grid of dst
    kHalfAway,
    kZeroFirst,  // half to even after the zero point is added
};

struct QuantizedAverageParams {
    AverageRounding rounding = AverageRounding::kHalfEven;
    bool is_signed = false;  // src and dst are i8
    std::int32_t src_zero_point = 0;
    float src_scale = 1.0f;
    std::int32_t dst_zero_point = 0;
    float dst_scale = 1.0f;
    std::int32_t lowest = 0, highest = 255;  // of dst
};

// pixels: where the channels of each begin, 1 to 2^23 of them; divisor: of their sum.
void quantized_average(const QuantizedAverageParams& params,
                       std::span<const std::uint8_t* const> pixels,
                       std::int32_t divisor,
                       std::size_t channels,
                       std::uint8_t* dst);

}  // namespace fuseq::kernels
