// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

constexpr std::size_t kBlocks = 10;
constexpr std::size_t kSmallestBlock = 5;
// Medians of blocks of one quiet machine differ by 1 to 2 %; a neighbour's burst by 5 % and more.
constexpr double kSteadySpread = 0.03;

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return percentile_of_sorted(values, 50);
}

}  // namespace

double percentile_of_sorted(const std::vector<double>& sorted, double percent) {
    const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
    const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
    return sorted.at(std::min(index, sorted.size() - 1));
}

Latencies summarize(std::vector<double> values, double percent) {
    if (values.empty()) {
        throw Error("benchmark", "no inference has ended");
    }
    std::sort(values.begin(), values.end());
    Latencies result;
    result.min = values.front();
    result.max = values.back();
    result.mean =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    result.median = percentile_of_sorted(values, 50);
    result.p90 = percentile_of_sorted(values, 90);
    result.p99 = percentile_of_sorted(values, 99);
    result.percentile = percentile_of_sorted(values, percent);
    return result;
}

NoiseVerdict judge_noise(const std::vector<double>& values) {
    NoiseVerdict verdict;
    if (values.size() < kBlocks * kSmallestBlock) {
        return verdict;
    }
    std::vector<double> medians;
    for (std::size_t block = 0; block < kBlocks; ++block) {
        const std::size_t begin = values.size() * block / kBlocks;
        const std::size_t end = values.size() * (block + 1) / kBlocks;
        medians.push_back(median_of({values.begin() + static_cast<std::ptrdiff_t>(begin),
                                     values.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
    const double middle = median_of(values);
    verdict.medians = medians;
    verdict.blocks = kBlocks;
    verdict.spread = middle > 0 ? (*high - *low) / middle : 0;
    return verdict;
}

bool NoiseVerdict::steady() const {
    return blocks != 0 && spread <= kSteadySpread;
}

std::string NoiseVerdict::text() const {
    if (blocks == 0) {
        return "too few inferences to tell";
    }
    return fmt::format("{} (medians of {} blocks differ by {:.1f} %)",
                       steady() ? "steady" : "noisy: repeat on a quiet machine", blocks,
                       spread * 100);
}

}  // namespace fuseq::samples
