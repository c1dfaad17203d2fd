// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Second-order rounding: weights are rounded one after the other, each so that it makes up for the
// errors of those before it, weighed by how the inputs occur together. No training.
#pragma once

#include <vector>

#include "quantizer/moments.hpp"
#include "quantizer/schema.hpp"

namespace fuseq::quantizer {

// Factors of one group's moments, which all its output channels use.
class RoundingOrder {
public:
    // `centred`: the mean error of a channel does not count, since its bias takes it away.
    RoundingOrder(const Moments& moments, bool centred);

    // Integers of one output channel, in place of the nearest ones.
    //   C = L D L^T with L unit lower triangular, e the errors: e^T C e = sum D[k] ((e L)[k])^2.
    // From the last weight to the first, q[k] = round(w[k] + sum over j > k of e[j] L[j][k]), so
    // that every term of the sum is at most half a step.
    std::vector<std::int64_t> round(const std::vector<float>& weights,
                                    const ScaleAndOffset& scale) const;

private:
    std::size_t taps_;
    std::vector<std::size_t> order_;  // weights, those that matter most last
    std::vector<float> columns_;      // row k: L[j][k] for j > k
};

// Mean squared error of one channel's results when its weights are off by `errors` and its bias by
// `shift`.
double output_error(const Moments& moments, const std::vector<float>& errors, double shift);
// What the bias must be moved by to take away the mean of it.
double mean_shift(const Moments& moments, const std::vector<float>& errors);

}  // namespace fuseq::quantizer
