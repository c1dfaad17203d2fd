// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/data_runner.hpp"

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::quantizer {

void fail_at_input(std::size_t index, const std::string& layer, const std::string& rule) {
    throw Error(Error::Info{.stage = "quantize",
                            .file = {},
                            .layer_id = {},
                            .layer = layer,
                            .op = {},
                            .rule = fmt::format("input {}: {}", index, rule)});
}

void set_inputs(InferRequest& request,
                const std::vector<Output>& ports,
                const std::vector<Tensor>& tensors,
                std::size_t index) {
    if (tensors.size() != ports.size()) {
        fail_at_input(index, {},
                      fmt::format("{} tensors were given, the model has {} inputs", tensors.size(),
                                  ports.size()));
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const PartialShape& shape = ports[i].partial_shape();
        if (!shape.contains(tensors[i].get_shape())) {
            fail_at_input(index, ports[i].node->name(),
                          fmt::format("has shape {}, the model wants {}",
                                      to_string(tensors[i].get_shape()), to_string(shape)));
        }
        const ElementType type = ports[i].type();
        request.set_input_tensor(
            i, tensors[i].get_element_type() == type ? tensors[i] : tensors[i].to(type));
    }
}

DataRunner::DataRunner(const Model& model, const std::string& device)
    : compiled_(Core().compile_model(model.clone(), device)) {}

void DataRunner::run(const std::vector<std::size_t>& indices,
                     const CalibrationInputs& inputs,
                     const std::function<void(const InferRequest& request)>& see) {
    InferRequest request = compiled_.create_infer_request();
    const std::vector<Output> ports = compiled_.inputs();
    for (const std::size_t index : indices) {
        request.reset_state();
        set_inputs(request, ports, inputs(index), index);
        request.infer();
        see(request);
    }
}

DataSplit split_data(std::size_t count, std::size_t max_inputs) {
    constexpr std::size_t kEvery = 3;
    DataSplit split;
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::size_t>& part = i % kEvery == kEvery - 1 ? split.judge : split.learn;
        if (part.size() < max_inputs) {
            part.push_back(i);
        }
    }
    return split;
}

}  // namespace fuseq::quantizer
