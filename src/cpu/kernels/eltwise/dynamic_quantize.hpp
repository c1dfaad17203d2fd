// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// f32 in memory to bytes: the range, which DynamicQuantize needs before, and the integers. NaN does
// not count for the range and becomes the lowest integer. The same results on every instruction set and for every split
// of the work. No allocation.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq::kernels {

// The smallest interval around 0 and the values.
struct ValueRange {
    float min = 0.0F;
    float max = 0.0F;
};
ValueRange value_range(const float* src, std::size_t count);

// dst = clamp(rint(src / scale) + zero_point) to u8, or to i8, half to even.
void quantize_to_u8(
    const float* src, std::size_t count, float scale, std::uint8_t zero_point, std::uint8_t* dst);
void quantize_to_i8(
    const float* src, std::size_t count, float scale, std::int8_t zero_point, std::int8_t* dst);

}  // namespace fuseq::kernels
