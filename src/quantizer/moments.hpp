// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Moments: means and second moments of what the weights of an anchor are multiplied by, taken from
// a sample of its windows. They say how far any change of the weights moves the results:
//   mean (d . x)^2 = d^T E[x x^T] d
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "quantizer/data_runner.hpp"

namespace fuseq::quantizer {

// Of one group of an anchor. `x` has one value a weight of an output channel, in the order of
// memory of its weights.
struct Moments {
    std::size_t taps = 0;
    double count = 0;            // sampled windows
    std::vector<double> sums;    // taps
    std::vector<float> squares;  // taps * taps, sums of x x^T

    double mean(std::size_t i) const { return count > 0 ? sums[i] / count : 0; }
    double second(std::size_t i, std::size_t j) const {
        return count > 0 ? static_cast<double>(squares[i * taps + j]) / count : 0;
    }
};

// Whether moments can be had of an anchor: a convolution or a MatMul with a constant matrix, of not
// more than kMaxTaps weights an output channel, and static shapes.
inline constexpr std::size_t kMaxTaps = 2304;
bool has_moments(const Node& anchor);

// Bytes of one set of moments of an anchor.
std::size_t moments_bytes(const Node& anchor);

// By anchor name, its groups.
using MomentsOfLayers = std::map<std::string, std::vector<Moments>>;

// Of anchors of `model`, over the given inputs.
MomentsOfLayers collect_moments(const Model& model,
                                const std::vector<const Node*>& anchors,
                                const std::string& device,
                                const std::vector<std::size_t>& indices,
                                const CalibrationInputs& inputs);

}  // namespace fuseq::quantizer
