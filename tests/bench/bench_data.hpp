// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs and counters of the kernel benchmarks.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>

#include "cpu/kernels/common/aligned_vector.hpp"

namespace fuseq::bench {

inline kernels::AlignedVector<std::uint8_t> random_bytes(std::size_t count) {
    std::mt19937 rng(1);
    kernels::AlignedVector<std::uint8_t> bytes(count);
    for (auto& b : bytes) {
        b = static_cast<std::uint8_t>(rng());
    }
    return bytes;
}

inline kernels::AlignedVector<float> random_floats(std::size_t count) {
    std::mt19937 rng(1);
    std::uniform_real_distribution<float> real(-4.0f, 4.0f);
    kernels::AlignedVector<float> values(count);
    for (auto& v : values) {
        v = real(rng);
    }
    return values;
}

inline std::size_t argument(const benchmark::State& state, int i) {
    return static_cast<std::size_t>(state.range(i));
}

// Bytes read and written by one iteration.
inline void count_bytes(benchmark::State& state, std::size_t bytes) {
    state.counters["B/s"] = benchmark::Counter(static_cast<double>(bytes),
                                               benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace fuseq::bench
