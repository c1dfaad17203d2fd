// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Scales and offsets: from a range of real numbers to integers and back, by the formulas of Glow
// (docs/quantizer.md, "Schemas").
#pragma once

#include <cstdint>

#include "fuseq/quantizer.hpp"

namespace fuseq::quantizer {

// A closed interval of integers.
struct IntegerRange {
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::int64_t levels() const { return max - min + 1; }
};
// [-2^(n-1), 2^(n-1) - 1]. Int32 has a quarter of its range on either side, so that sums with a
// bias do not overflow.
IntegerRange integer_range(QuantizationPrecision precision);

// A closed interval of real numbers, min <= max.
struct RealRange {
    float min = 0;
    float max = 0;
};
// The greatest magnitude of a value in it.
float magnitude(const RealRange& range);

// value = (q - offset) * scale for q in `integers`.
struct ScaleAndOffset {
    float scale = 1;  // > 0, finite
    std::int32_t offset = 0;
    IntegerRange integers;

    // The smallest and the largest value.
    RealRange limits() const;
    // clip(nearbyint(value / scale + offset)) in f32, halves to even.
    std::int64_t quantize(float value) const;
    float dequantize(std::int64_t q) const;
};

// Throws Error when the range is not finite or min > max.
ScaleAndOffset choose_scale(RealRange range,
                            QuantizationSchema schema,
                            const IntegerRange& integers);

}  // namespace fuseq::quantizer
