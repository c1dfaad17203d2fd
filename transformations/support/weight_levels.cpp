// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/weight_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuseq {
namespace {

// Added and taken away again, it leaves a double of less than 2^51 rounded half to even: doubles of
// that size have no fraction. nearbyint() is a call for each number.
constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52

constexpr double kLowest = -128;
constexpr double kHighest = 127;

// Numbers worked on at a time: what a loop writes the next one finds in the first cache.
constexpr std::size_t kChunk = 256;

// From so many bytes of one entry on, a table of the levels of all bytes is worth it.
constexpr std::size_t kTableFrom = 512;

void load(const StoredWeights& from, std::size_t count, double* to) {
    if (from.reals != nullptr) {
        std::copy_n(from.reals, count, to);
    } else if (from.bytes != nullptr) {
        std::copy_n(from.bytes, count, to);
    } else {
        std::copy_n(from.signed_bytes, count, to);
    }
}

// Levels in place of numbers. Simple loops, which compilers turn into vector code.
template <std::size_t Stride>
void to_levels(const WeightLimits& limits, std::size_t entry, std::size_t count, double* values) {
    const double* low = limits.low.data() + entry;
    const double* range = limits.range.data() + entry;
    const double* min = limits.min.data() + entry;
    const double* max = limits.max.data() + entry;
    const double* offset = limits.offset.data() + entry;
    const double last = limits.last;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = i * Stride;
        const double x = values[i];
        double level = (x - low[at]) / range[at] * last;
        level = (level + kRounder) - kRounder;
        level = x > max[at] ? last : level;
        level = x <= min[at] ? 0.0 : level;
        values[i] = level - offset[at];
    }
}

bool store(const double* levels, std::size_t count, std::int8_t* to) {
    std::int32_t whole[kChunk];
    double lowest = 0;
    double highest = 0;
    bool number = true;
    for (std::size_t i = 0; i < count; ++i) {
        const double level = levels[i];
        lowest = level < lowest ? level : lowest;
        highest = level > highest ? level : highest;
        number = number & (level == level);
    }
    if (!number || lowest < kLowest || highest > kHighest) {
        return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
        whole[i] = static_cast<std::int32_t>(levels[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = static_cast<std::int8_t>(whole[i]);
    }
    return true;
}

bool by_computing(const WeightLimits& limits,
                  std::size_t entry,
                  bool entry_a_value,
                  const StoredWeights& values,
                  std::span<std::int8_t> result) {
    double chunk[kChunk];
    for (std::size_t i = 0; i < result.size(); i += kChunk) {
        const std::size_t count = std::min(kChunk, result.size() - i);
        load(values.at(i), count, chunk);
        if (entry_a_value) {
            to_levels<1>(limits, entry + i, count, chunk);
        } else {
            to_levels<0>(limits, entry, count, chunk);
        }
        if (!store(chunk, count, result.data() + i)) {
            return false;
        }
    }
    return true;
}

// Bytes have 256 values. Nothing when the level of one does not fit: it may not occur.
bool by_table(const WeightLimits& limits,
              std::size_t entry,
              const StoredWeights& values,
              std::span<std::int8_t> result) {
    std::uint8_t bytes[kChunk];
    for (std::size_t i = 0; i < kChunk; ++i) {
        bytes[i] = static_cast<std::uint8_t>(i);
    }
    StoredWeights all;
    if (values.bytes != nullptr) {
        all.bytes = bytes;
    } else {
        all.signed_bytes = reinterpret_cast<const std::int8_t*>(bytes);
    }
    std::int8_t table[kChunk];
    if (!by_computing(limits, entry, false, all, table)) {
        return false;
    }
    const auto* from = values.bytes != nullptr
                           ? values.bytes
                           : reinterpret_cast<const std::uint8_t*>(values.signed_bytes);
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = table[from[i]];
    }
    return true;
}

}  // namespace

void WeightLimits::reserve(std::size_t count) {
    for (auto* values : {&low, &range, &min, &max, &offset}) {
        values->reserve(count);
    }
}

void WeightLimits::add(double il, double ih, double zero_level) {
    low.push_back(il);
    range.push_back(ih - il);
    min.push_back(std::min(il, ih));
    max.push_back(std::max(il, ih));
    offset.push_back(zero_level);
}

void WeightLimits::add_constant(double value) {
    low.push_back(0);
    range.push_back(1);
    min.push_back(std::numeric_limits<double>::infinity());
    max.push_back(std::numeric_limits<double>::infinity());
    offset.push_back(-value);
}

StoredWeights StoredWeights::at(std::size_t position) const {
    return {reals == nullptr ? nullptr : reals + position,
            bytes == nullptr ? nullptr : bytes + position,
            signed_bytes == nullptr ? nullptr : signed_bytes + position};
}

double StoredWeights::operator[](std::size_t i) const {
    double value = 0;
    load(at(i), 1, &value);
    return value;
}

bool levels_of_run(const WeightLimits& limits,
                   std::size_t entry,
                   bool entry_a_value,
                   const StoredWeights& values,
                   std::span<std::int8_t> result) {
    if (values.reals == nullptr && !entry_a_value && result.size() >= kTableFrom &&
        by_table(limits, entry, values, result)) {
        return true;
    }
    return by_computing(limits, entry, entry_a_value, values, result);
}

double level_of(const WeightLimits& limits, std::size_t entry, double value) {
    if (value <= limits.min[entry]) {
        return 0 - limits.offset[entry];
    }
    if (value > limits.max[entry]) {
        return limits.last - limits.offset[entry];
    }
    return std::nearbyint((value - limits.low[entry]) / limits.range[entry] * limits.last) -
           limits.offset[entry];
}

std::int32_t sum_of_run(std::span<const std::int8_t> weights, bool magnitudes) {
    std::int32_t sum = 0;
    if (magnitudes) {
        for (const std::int8_t w : weights) {
            sum += w < 0 ? -w : w;
        }
        return sum;
    }
    for (const std::int8_t w : weights) {
        sum += w;
    }
    return sum;
}

}  // namespace fuseq
