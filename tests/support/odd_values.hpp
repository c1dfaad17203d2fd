// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers that programs stumble over.
#pragma once

#include <cstdint>
#include <limits>
#include <random>

namespace fuseq::test {

inline std::int64_t odd_integer(std::mt19937_64& random) {
    constexpr std::int64_t kOdd[] = {0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     5,
                                     8,
                                     127,
                                     -128,
                                     255,
                                     65536,
                                     std::numeric_limits<std::int32_t>::max(),
                                     std::numeric_limits<std::int32_t>::min(),
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min()};
    return kOdd[random() % std::size(kOdd)];
}

inline float odd_float(std::mt19937_64& random) {
    constexpr float kOdd[] = {0,
                              1,
                              -1,
                              0.5F,
                              1e-45F,
                              std::numeric_limits<float>::max(),
                              std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::quiet_NaN()};
    return kOdd[random() % std::size(kOdd)];
}

}  // namespace fuseq::test
