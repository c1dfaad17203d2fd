// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Philox4x32-10, a generator of random numbers with a counter (Salmon and others, "Parallel random
// numbers: as easy as 1, 2, 3"): any group of four numbers can be computed by itself.
#pragma once

#include <array>
#include <cstdint>

namespace fuseq {

// Seeds as RandomUniform-8 has them.
struct PhiloxKey {
    std::uint64_t global_seed = 0;  // the key of the rounds
    std::uint64_t op_seed = 0;      // upper half of the counter
};

// Group `n` of the sequence.
std::array<std::uint32_t, 4> philox(const PhiloxKey& key, std::uint64_t n);

// 52 bits of two numbers as a value in [0, 1).
double philox_double(std::uint32_t high, std::uint32_t low);

// From the random device of the system.
PhiloxKey unpredictable_key();

}  // namespace fuseq
