// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax of TFLite's kernel of 16 bits, in steps of 2^-15. D2 (or D1) brings the distance to the
// maximum to 65535 steps of the range [-10, 0], below which all is as at -10. e^x and the
// reciprocal 1 / (1 + x) of the sum, x in [0, 1], stand in tables of 513 values with straight lines
// of 7 bits between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/quantized/rules/rule.hpp"

namespace fuseq::rules {

// 1 / sum = factor / 2^shift, 0 <= factor <= 32767, 1 <= shift <= 30
struct Reciprocal16 {
    std::int64_t factor;
    int shift;
};
Reciprocal16 reciprocal_16(std::uint32_t sum);

class Softmax16 {
public:
    // rule: kD2 or kD1
    Softmax16(float input_scale, float beta, RoundingRule rule);

    // A row of `size` i16, `step` apart.
    void operator()(const std::int32_t* src,
                    std::int64_t* dst,
                    std::size_t size,
                    std::size_t step) const;

    const std::vector<std::int16_t>& powers() const { return powers_; }

private:
    std::vector<std::int16_t> powers_;  // by distance; the last one is that of all beyond
};

}  // namespace fuseq::rules
