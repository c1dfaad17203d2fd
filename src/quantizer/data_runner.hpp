// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a model on calibration inputs, one after the other.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "fuseq/core.hpp"
#include "fuseq/quantizer.hpp"

namespace fuseq::quantizer {

// Throws Error naming the input, and the layer where there is one.
[[noreturn]] void fail_at_input(std::size_t index,
                                const std::string& layer,
                                const std::string& rule);

// Gives the tensors of input `index` to a request, converted to the types of the ports. Throws
// Error naming the input where their number or a shape is wrong.
void set_inputs(InferRequest& request,
                const std::vector<Output>& ports,
                const std::vector<Tensor>& tensors,
                std::size_t index);

class DataRunner {
public:
    // Compiles the model for the device, with as many threads as there are cores.
    DataRunner(const Model& model, const std::string& device);

    // Runs each input; `see` reads the outputs of the request: those of the model, in its order.
    void run(const std::vector<std::size_t>& indices,
             const CalibrationInputs& inputs,
             const std::function<void(const InferRequest& request)>& see);

private:
    CompiledModel compiled_;
};

// The inputs that methods learn from, and those that judge what they did: every third one, so that
// the same data gives the same model. No more than `max_inputs` of each.
struct DataSplit {
    std::vector<std::size_t> learn;
    std::vector<std::size_t> judge;
};
DataSplit split_data(std::size_t count, std::size_t max_inputs);

}  // namespace fuseq::quantizer
