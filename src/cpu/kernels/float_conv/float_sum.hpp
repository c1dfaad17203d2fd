// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A shorter way from a 32-bit sum to a byte.
//
// A sum that begins at the bits of a float of 2^23 or more counts in units of its last place: the
// bits of 2^23 + n are those of the float of that value. Read as a float it needs no conversion,
// and one multiply-add with a rounded store makes a byte of it. Which bytes come out depends on
// where, among the integers, one byte ends and the next begins; where the short way has these 255
// places exactly where the long one has them, both are the same function.
#pragma once

#include <cstdint>
#include <optional>

namespace fuseq::kernels {

// The long way. Rounded half to even, saturated to 0..255 or -128..127.
struct ByteRule {
    float scale = 1.0f;
    float bias = 0.0f;
    bool bias_first = false;  // (x + bias) * scale, each rounded; otherwise fma(x, scale, bias)
    bool is_signed = false;
    std::int64_t min = 0;  // that x can be
    std::int64_t max = 0;
    // Then, of unsigned bytes, min(max(v, low), high) * factor. The byte of `high` is the largest;
    // the short way may go beyond it.
    bool clips = false;
    float low = 0.0f;
    float high = 0.0f;
    float factor = 1.0f;
    // Or max(v, 0) + after, each rounded. The byte of `after` is the lowest; the short way may go
    // below it.
    bool relus = false;
    float after = 0.0f;
};
// The highest byte, and the lowest one.
int top_byte(const ByteRule& rule);
int bottom_byte(const ByteRule& rule);

// The byte is that of fma(as_float(begin + x), scale, shift).
struct FloatSum {
    std::int32_t begin = 0;
    float scale = 1.0f;
    float shift = 0.0f;
};

// Nothing when there is no such form, or none is found, which is the same on all machines that
// multiply and add with one rounding; nothing on others.
// Asks what a compiled model has kept, where there is one (float_sums.hpp); else searches.
std::optional<FloatSum> float_sum(const ByteRule& rule);
std::optional<FloatSum> search_float_sum(const ByteRule& rule);

}  // namespace fuseq::kernels
