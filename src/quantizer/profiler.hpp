// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a float model with every float tensor made an output, and adds what it sees to a profile.
#pragma once

#include "fuseq/core.hpp"
#include "fuseq/quantizer.hpp"
#include "quantizer/profile.hpp"

namespace fuseq::quantizer {

class Profiler {
public:
    // `lowered`: the model as lower() leaves it. Compiles it for the device.
    Profiler(const Model& lowered, const std::string& device, std::size_t streams);

    // Runs inputs [profile.inputs, count). Each stream runs an input and adds it to histograms;
    // inputs join the profile in their order, so that the result does not depend on the number of
    // streams. Whether all were run: `progress` may stop between two inputs. Throws Error naming
    // input and layer for NaN and for infinite values; the infinite ones of masks before a SoftMax
    // are left out instead.
    bool run(Profile& profile,
             std::size_t count,
             const CalibrationInputs& inputs,
             const CalibrationProgress& progress) const;

private:
    std::size_t streams_;
    struct SeenTensor {
        std::size_t output;
        std::string name;
        std::size_t channel_dim;
        bool finite;  // no value may be infinite
    };
    // In the order of execution: the first layer with a wrong value is the one that is named.
    std::vector<SeenTensor> tensors_;
    CompiledModel compiled_;
};

}  // namespace fuseq::quantizer
