// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::quantizer {
namespace {

// Of the smallest f32 above 0, and of the largest.
constexpr int kMinExponent = -149;
constexpr int kMaxExponent = 128;

std::int64_t bin_of(double value, int exponent) {
    return static_cast<std::int64_t>(std::floor(std::ldexp(value, -exponent)));
}

bool fits(RealRange range, int exponent, std::size_t bins) {
    const double span = std::floor(std::ldexp(static_cast<double>(range.max), -exponent)) -
                        std::floor(std::ldexp(static_cast<double>(range.min), -exponent)) + 1;
    return span <= static_cast<double>(bins);
}

int min_exponent(RealRange range, std::size_t bins) {
    const double magnitude =
        std::max(-static_cast<double>(range.min), static_cast<double>(range.max));
    if (magnitude == 0) {
        return kMinExponent;
    }
    int exponent =
        std::max(kMinExponent, std::ilogb(magnitude) - std::ilogb(static_cast<double>(bins)) - 1);
    while (!fits(range, exponent, bins)) {
        ++exponent;
    }
    return exponent;
}

}  // namespace

Histogram::Histogram(std::size_t max_bins,
                     int exponent,
                     std::int64_t first,
                     std::vector<std::uint64_t> counts)
    : max_bins_(max_bins), exponent_(exponent), first_(first), counts_(std::move(counts)) {
    const auto size = static_cast<std::int64_t>(counts_.size());
    if (counts_.size() > max_bins || exponent < kMinExponent || exponent > kMaxExponent ||
        (size > 0 && (first > 0 || first < -size || first + size <= 0))) {
        throw Error("quantize", fmt::format("a histogram of {} bins from {} of width 2^{} is "
                                            "none of at most {} bins around 0",
                                            counts_.size(), first, exponent, max_bins));
    }
}

double Histogram::width() const {
    return std::ldexp(1.0, exponent_);
}

double Histogram::center(std::size_t bin) const {
    return std::ldexp(static_cast<double>(first_ + static_cast<std::int64_t>(bin)) + 0.5,
                      exponent_);
}

std::uint64_t Histogram::total() const {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

void Histogram::cover(RealRange range) {
    range.min = std::min(range.min, 0.0f);
    range.max = std::max(range.max, 0.0f);
    const int exponent = min_exponent(range, max_bins_);
    if (counts_.empty()) {
        exponent_ = exponent;
        first_ = bin_of(range.min, exponent);
        counts_.resize(static_cast<std::size_t>(bin_of(range.max, exponent) - first_ + 1));
        return;
    }
    if (exponent > exponent_) {
        rescale(exponent);
    }
    // What is there and what comes may fit into fewer bins alone than together.
    while (true) {
        const std::int64_t first = std::min(first_, bin_of(range.min, exponent_));
        const std::int64_t last = std::max(first_ + static_cast<std::int64_t>(counts_.size()) - 1,
                                           bin_of(range.max, exponent_));
        if (last - first + 1 <= static_cast<std::int64_t>(max_bins_)) {
            extend(first, last);
            return;
        }
        rescale(exponent_ + 1);
    }
}

void Histogram::rescale(int exponent) {
    const int shift = exponent - exponent_;
    const std::int64_t last =
        (first_ + static_cast<std::int64_t>(counts_.size()) - 1) >> std::min(shift, 62);
    const std::int64_t first = first_ >> std::min(shift, 62);
    std::vector<std::uint64_t> joined(static_cast<std::size_t>(last - first + 1));
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        const std::int64_t bin = (first_ + static_cast<std::int64_t>(i)) >> std::min(shift, 62);
        joined[static_cast<std::size_t>(bin - first)] += counts_[i];
    }
    counts_ = std::move(joined);
    first_ = first;
    exponent_ = exponent;
}

void Histogram::extend(std::int64_t first, std::int64_t last) {
    counts_.insert(counts_.begin(), static_cast<std::size_t>(first_ - first), 0);
    first_ = first;
    counts_.resize(static_cast<std::size_t>(last - first + 1));
}

void Histogram::add(std::span<const float> values) {
    const double inverse = std::ldexp(1.0, -exponent_);
    const std::int64_t first = first_;
    std::uint64_t* counts = counts_.data();
    for (const float value : values) {
        const double scaled = static_cast<double>(value) * inverse;  // exact
        auto bin = static_cast<std::int64_t>(scaled);
        bin -= static_cast<double>(bin) > scaled ? 1 : 0;  // floor
        ++counts[bin - first];
    }
}

void Histogram::merge(const Histogram& other) {
    if (other.max_bins_ != max_bins_) {
        throw Error("quantize", fmt::format("histograms of {} and of {} bins cannot be merged",
                                            max_bins_, other.max_bins_));
    }
    if (other.empty()) {
        return;
    }
    if (empty()) {
        *this = other;
        return;
    }
    Histogram second = other;
    const int exponent = std::max(exponent_, second.exponent_);
    rescale(exponent);
    second.rescale(exponent);
    while (true) {
        const std::int64_t first = std::min(first_, second.first_);
        const std::int64_t last =
            std::max(first_ + static_cast<std::int64_t>(counts_.size()),
                     second.first_ + static_cast<std::int64_t>(second.counts_.size())) -
            1;
        if (last - first + 1 <= static_cast<std::int64_t>(max_bins_)) {
            extend(first, last);
            break;
        }
        rescale(exponent_ + 1);
        second.rescale(second.exponent_ + 1);
    }
    for (std::size_t i = 0; i < second.counts_.size(); ++i) {
        counts_[static_cast<std::size_t>(second.first_ - first_) + i] += second.counts_[i];
    }
}

}  // namespace fuseq::quantizer
