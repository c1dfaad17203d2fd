// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How much faster one side of a comparison is, and how sure that is.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fuseq::samples {

// time of the first / time of the second: above 1, the second is faster.
struct Ratio {
    double value = 1;
    double low = 1;  // 95 % confidence
    double high = 1;
    bool known = false;  // whether there were enough numbers for the interval

    // "1.31 times as fast (95 % confidence: 1.28 to 1.35)", "not distinguishable (...)".
    std::string text(const std::string& first, const std::string& second) const;
};

// Of times that were measured in turn: first[i] beside second[i]. What disturbs the machine for
// longer than a round disturbs both alike, so the ratios of the rounds are resampled.
Ratio ratio_of_rounds(const std::vector<double>& first, const std::vector<double>& second);
// Of times of two runs that know nothing of each other; each side is resampled alone. The interval
// does not say what else was different on the machine.
Ratio ratio_of_runs(const std::vector<double>& first, const std::vector<double>& second);

}  // namespace fuseq::samples
