// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a case to a model with random constants, and random values for its Parameters.
#include <algorithm>
#include <random>

#include "fuseq/error.hpp"
#include "op_cases/op_case.hpp"
#include "op_cases/random_tensor.hpp"
#include "support/op_runner.hpp"

namespace fuseq::op_cases {
std::shared_ptr<Model> make_model(const OpCase& op_case, std::uint64_t seed) {
    if (!op_case.model.empty()) {
        return Model::from_text(op_case.model);
    }
    std::mt19937_64 random(seed);
    std::vector<test::In> inputs;
    for (const Input& input : op_case.inputs) {
        test::In in;
        in.absent = input.absent;
        in.constant = input.constant;
        in.type = input.type;
        in.shape = input.shape;
        if (input.constant) {
            in.value = tensor_of(input, random);
        }
        inputs.push_back(in);
    }
    const test::OpModel made =
        test::make_op(op_case.type, op_case.opset, op_case.attributes, inputs);
    for (std::size_t i = 0; i < std::min(made.node->output_count(), op_case.results); ++i) {
        made.model->add_result("result" + std::to_string(i), made.node->output(i));
    }
    return made.model;
}

std::vector<Tensor> make_inputs(const OpCase& op_case, const Model& model, std::uint64_t seed) {
    std::mt19937_64 random(seed + 1);
    std::vector<Input> described;
    for (const Input& input : op_case.inputs) {
        if (!input.absent && !input.constant) {
            described.push_back(input);
        }
    }
    std::vector<Tensor> values;
    for (const Output& port : model.inputs()) {
        Input input;
        input.type = port.type();
        values.push_back(random_tensor(described.empty() ? input : described[values.size()],
                                       port.shape(), random));
    }
    return values;
}

}  // namespace fuseq::op_cases
