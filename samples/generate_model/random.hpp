// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that are the same on every machine and with every compiler (SplitMix64); the
// distributions of <random> are not.
#pragma once

#include <cstdint>

namespace fuseq::samples {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }
    // In [low, high), on a grid of 2^-24 of the interval.
    float uniform(float low, float high) {
        return low + (high - low) * static_cast<float>(next() >> 40) * 0x1p-24f;
    }

private:
    std::uint64_t state_;
};

}  // namespace fuseq::samples
