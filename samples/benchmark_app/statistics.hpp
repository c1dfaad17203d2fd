// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers made of measured latencies (milliseconds).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fuseq::samples {

struct Latencies {
    double min = 0;
    double max = 0;
    double mean = 0;
    double median = 0;
    double p90 = 0;
    double p99 = 0;
    double percentile = 0;  // the one asked for
};

// The smallest value that at least `percent` (1 to 100) per cent of the values do not exceed;
// values are sorted and not empty.
double percentile_of_sorted(const std::vector<double>& sorted, double percent);
// Throws Error when there is no value.
Latencies summarize(std::vector<double> values, double percent);

// Whether the numbers can be trusted: the run is cut into blocks, and their medians compared.
struct NoiseVerdict {
    std::size_t blocks = 0;         // 0: too few values to tell
    std::vector<double> medians{};  // of the blocks
    double spread = 0;              // (largest - smallest median) / median of all
    std::string text() const;
    bool steady() const;
};
NoiseVerdict judge_noise(const std::vector<double>& values_in_time_order);

}  // namespace fuseq::samples
