// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Integers for weights by what they do to the results of their layer on calibration data, in place
// of the nearest integers. Layer by layer, on the inputs that the float model gives them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "quantizer/data_runner.hpp"
#include "quantizer/moments.hpp"
#include "quantizer/weights.hpp"

namespace fuseq::quantizer {

struct LearnedWeights {
    WeightScales scales;
    RoundedWeights rounded;
    std::vector<double> shifts;  // what the bias of each output channel is moved by
    // Mean squared error of the results on judging inputs: of the nearest integers, and of these.
    double error_of_nearest = 0;
    double error = 0;
};

using LearnedLayers = std::map<std::string, LearnedWeights>;  // by layer name

// Tries the nearest integers and second-order rounding with the scales of choose_weight_scales and
// with narrower ones, each with the bias as it is and with its mean error taken away (as the
// options allow). Moments of `learn` decide about channels, those of `judge` about the layer.
LearnedWeights learn_weights(const Node& anchor,
                             const QuantizerOptions& options,
                             const std::vector<Moments>& learn,
                             const std::vector<Moments>& judge);

// Of all `anchors` of a model that have moments. Runs the model on the data as often
// as it takes to hold the moments in a few hundred megabytes.
LearnedLayers learn_layers(const Model& model,
                           const std::vector<const Node*>& anchors,
                           const QuantizerOptions& options,
                           const DataSplit& split,
                           const CalibrationInputs& inputs);

}  // namespace fuseq::quantizer
