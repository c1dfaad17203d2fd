// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The inner loop of weight quantization: from numbers to levels, as FakeQuantize counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fuseq {

// Limits of FakeQuantize, one set an entry, as the loop wants them.
struct WeightLimits {
    std::vector<double> low;     // where level 0 is
    std::vector<double> range;   // from level 0 to the last
    std::vector<double> min;     // up to here everything is level 0
    std::vector<double> max;     // beyond it everything is the last level
    std::vector<double> offset;  // level of the number 0, a whole number
    double last = 0;             // levels - 1

    std::size_t size() const { return low.size(); }
    void reserve(std::size_t count);
    void add(double il, double ih, double zero_level);
    // An entry with which every number becomes `value`.
    void add_constant(double value);
};

// Numbers as they are stored: f32, or bytes that stand for themselves.
struct StoredWeights {
    const float* reals = nullptr;
    const std::uint8_t* bytes = nullptr;
    const std::int8_t* signed_bytes = nullptr;

    StoredWeights at(std::size_t position) const;
    double operator[](std::size_t i) const;
};

// result[i] = level of values[i] minus offset, by the limits of entry `entry` (all values), or of
// entries entry, entry + 1, ... (one a value). Rounds half to even, in double precision. Returns
// whether all results fit; those that do not are not defined.
bool levels_of_run(const WeightLimits& limits,
                   std::size_t entry,
                   bool entry_a_value,
                   const StoredWeights& values,
                   std::span<std::int8_t> result);
// One value of it, whether it fits or not.
double level_of(const WeightLimits& limits, std::size_t entry, double value);

// Sum of a run of weights, or of their magnitudes. At most 2^23 of them.
std::int32_t sum_of_run(std::span<const std::int8_t> weights, bool magnitudes);

}  // namespace fuseq
