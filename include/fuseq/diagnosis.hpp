// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Diagnosis: what in a network is hard to quantize, and what helps. Library
// libfuseq_quantizer.so; docs/quantizer.md, "Diagnosis".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// y = scale * x + bias, scale = gamma / sqrt(variance + epsilon), bias = beta - mean * scale.
struct BatchNormDiagnosis {
    std::string layer;
    std::size_t channels = 0;
    float min_scale = 0;
    float max_scale = 0;
    float min_bias = 0;
    float max_bias = 0;
    std::size_t channel = 0;  // of the greatest scale, with its parameters
    float gamma = 0;
    float variance = 0;
    float mean = 0;
    // Channels whose input hardly varies: the variance is below a hundredth of epsilon.
    std::vector<std::size_t> dead;
    bool after_relu = false;            // a ReLU stands before it
    std::vector<std::string> remedies;  // empty where nothing is wrong
};

// Of every BatchNormInference with constant parameters, in the order of execution.
std::vector<BatchNormDiagnosis> diagnose_batch_norms(const Model& model);

// One line for each of them.
std::string to_string(const BatchNormDiagnosis& diagnosis);

}  // namespace fuseq
