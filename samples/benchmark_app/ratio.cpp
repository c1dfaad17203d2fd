// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "benchmark_app/statistics.hpp"

namespace fuseq::samples {
namespace {

constexpr int kSamples = 4000;
constexpr std::size_t kFewest = 5;  // numbers a side, for an interval

std::vector<double> logarithms(const std::vector<double>& values) {
    std::vector<double> logs(values.size());
    std::transform(values.begin(), values.end(), logs.begin(),
                   [](double value) { return std::log(std::max(value, 1e-9)); });
    return logs;
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Drawn with replacement, as many as there are.
std::vector<double> resample(const std::vector<double>& values, std::mt19937& random) {
    std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
    std::vector<double> drawn(values.size());
    std::generate(drawn.begin(), drawn.end(), [&] { return values[pick(random)]; });
    return drawn;
}

// The interval of the middle 95 % of what `draw` gives.
void set_interval(Ratio& ratio, const std::function<double(std::mt19937&)>& draw) {
    std::mt19937 random(1);  // the same numbers give the same interval
    std::vector<double> drawn(kSamples);
    std::generate(drawn.begin(), drawn.end(), [&] { return draw(random); });
    std::sort(drawn.begin(), drawn.end());
    ratio.low = std::exp(percentile_of_sorted(drawn, 2.5));
    ratio.high = std::exp(percentile_of_sorted(drawn, 97.5));
    ratio.known = true;
}

}  // namespace

Ratio ratio_of_rounds(const std::vector<double>& first, const std::vector<double>& second) {
    std::vector<double> ratios = logarithms(first);
    const std::vector<double> others = logarithms(second);
    std::transform(ratios.begin(), ratios.end(), others.begin(), ratios.begin(), std::minus<>());
    Ratio ratio;
    ratio.value = std::exp(mean(ratios));
    if (ratios.size() >= kFewest) {
        set_interval(ratio, [&](std::mt19937& random) { return mean(resample(ratios, random)); });
    }
    return ratio;
}

Ratio ratio_of_runs(const std::vector<double>& first, const std::vector<double>& second) {
    const std::vector<double> a = logarithms(first);
    const std::vector<double> b = logarithms(second);
    Ratio ratio;
    ratio.value = std::exp(mean(a) - mean(b));
    if (a.size() >= kFewest && b.size() >= kFewest) {
        set_interval(ratio, [&](std::mt19937& random) {
            return mean(resample(a, random)) - mean(resample(b, random));
        });
    }
    return ratio;
}

std::string Ratio::text(const std::string& first, const std::string& second) const {
    if (!known) {
        return fmt::format("{} is {:.3f} times as fast as {} (too few numbers for a confidence)",
                           second, value, first);
    }
    const std::string interval = fmt::format("95 % confidence: {:.3f} to {:.3f}", low, high);
    if (low <= 1 && high >= 1) {
        return fmt::format("not distinguishable: {} is {:.3f} times as fast as {} ({})", second,
                           value, first, interval);
    }
    return fmt::format("{} is {:.3f} times as fast as {} ({})", second, value, first, interval);
}

}  // namespace fuseq::samples
