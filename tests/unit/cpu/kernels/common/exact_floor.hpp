// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace fuseq::test {

// floor(sum * scale + fma(sum, rest, bias)) of rule_form.hpp: floats of 113 bits have all of that. The
// fma is rounded down.
inline float exact_floor(float sum, float scale, float rest, float bias) {
    __extension__ using Exact = __float128;
    const Exact exact = Exact{sum} * Exact{rest} + Exact{bias};
    auto low = static_cast<float>(exact);
    low = Exact{low} <= exact ? low : std::nextafter(low, -std::numeric_limits<float>::infinity());
    const Exact value = Exact{sum} * Exact{scale} + Exact{low};
    const auto integer = static_cast<std::int64_t>(value);
    return static_cast<float>(static_cast<Exact>(integer) > value ? integer - 1 : integer);
}

}  // namespace fuseq::test
