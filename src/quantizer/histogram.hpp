// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Histogram: counts of values in bins of one width, a power of two, aligned to its multiples. It
// rescales: when values fall outside, neighbouring bins are joined until all fit. The result
// depends only on the values, not on their order nor on how histograms were merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quantizer/schema.hpp"

namespace fuseq::quantizer {

class Histogram {
public:
    explicit Histogram(std::size_t max_bins = 0) : max_bins_(max_bins) {}
    // As it was saved. Throws Error when it could not have come about.
    Histogram(std::size_t max_bins,
              int exponent,
              std::int64_t first,
              std::vector<std::uint64_t> counts);

    std::size_t max_bins() const { return max_bins_; }
    bool empty() const { return counts_.empty(); }
    // Bin i holds values in [first + i, first + i + 1) * 2^exponent.
    int exponent() const { return exponent_; }
    std::int64_t first() const { return first_; }
    const std::vector<std::uint64_t>& counts() const { return counts_; }
    double width() const;
    double center(std::size_t bin) const;
    std::uint64_t total() const;

    // Makes room for a range (and for 0). All values added afterwards must lie in what was covered.
    void cover(RealRange range);
    // Finite values within the covered range.
    void add(std::span<const float> values);
    void merge(const Histogram& other);

private:
    void rescale(int exponent);
    void extend(std::int64_t first, std::int64_t last);

    std::size_t max_bins_;
    int exponent_ = 0;
    std::int64_t first_ = 0;
    std::vector<std::uint64_t> counts_;  // the first and the last bin hold 0, the least or the
                                         // greatest value covered
};

}  // namespace fuseq::quantizer
