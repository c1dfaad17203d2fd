// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/channel_factors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace fuseq::quantizer {

float bounded_factor(double factor) {
    constexpr double kMin = 1.0 / 32;
    constexpr double kMax = 32;
    return static_cast<float>(std::clamp(factor, kMin, kMax));
}

std::vector<float> channel_factors(const std::vector<double>& magnitudes,
                                   const std::vector<double>& shares,
                                   double strength) {
    const auto counts = [&](std::size_t c) { return magnitudes[c] > 0 && shares[c] > 0; };
    std::vector<double> logs(magnitudes.size());
    double sum = 0;
    double counted = 0;
    for (std::size_t c = 0; c < magnitudes.size(); ++c) {
        if (counts(c)) {
            logs[c] = strength * std::log(magnitudes[c]) - (1 - strength) * std::log(shares[c]);
            sum += logs[c];
            ++counted;
        }
    }
    std::vector<float> factors(magnitudes.size(), 1.0f);
    for (std::size_t c = 0; c < magnitudes.size(); ++c) {
        if (counts(c)) {
            factors[c] = bounded_factor(std::exp(logs[c] - sum / counted));
        }
    }
    return factors;
}

}  // namespace fuseq::quantizer
