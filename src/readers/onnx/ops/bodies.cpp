// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/bodies.hpp"

#include "ops/control/subgraph.hpp"

namespace fuseq::onnx_reader {

void add_captured(const Body& body,
                  std::vector<Output>& inputs,
                  std::vector<std::int64_t>& input_map) {
    for (std::size_t i = 0; i < body.captured.size(); ++i) {
        PortMap::append(input_map, {.external = static_cast<std::int64_t>(inputs.size()),
                                    .internal = static_cast<std::int64_t>(body.own_inputs + i)});
        inputs.push_back(body.captured[i]);
    }
}

void unsqueeze_result(Model& body, std::size_t result, std::int64_t axis) {
    fuseq::Node* node = body.results()[result];
    const Output value = node->input(0);
    const Output at =
        body.add_constant(body.unique_name("scan_axis"), Tensor::of<std::int64_t>(Shape{1}, {axis}))
            ->output();
    node->set_input(0, body.add("Unsqueeze", 1, body.unique_name("scan"), {value, at})->output());
    node->infer();
}

std::vector<Output> all_outputs(fuseq::Node* node) {
    std::vector<Output> outputs;
    for (std::size_t i = 0; i < node->output_count(); ++i) {
        outputs.push_back(node->output(i));
    }
    return outputs;
}

}  // namespace fuseq::onnx_reader
