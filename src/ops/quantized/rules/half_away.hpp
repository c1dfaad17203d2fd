// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quotients of integers, half away from zero.
#pragma once

#include <cstdint>

namespace fuseq::rules {

// sum / count, count > 0
inline std::int64_t divide_half_away(std::int64_t sum, std::int64_t count) {
    return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

}  // namespace fuseq::rules
