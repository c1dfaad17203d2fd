// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a case to a model with random constants, and random values for its Parameters.
#include <random>

#include "fuseq/error.hpp"
#include "op_cases/op_case.hpp"
#include "support/op_runner.hpp"

namespace fuseq::op_cases {
namespace {

struct Range {
    double low;
    double high;
};

bool is_unsigned(ElementType type) {
    return type == ElementType::u8 || type == ElementType::u16 || type == ElementType::u32 ||
           type == ElementType::u64;
}

Range range_of(const Input& input) {
    if (input.has_range) {
        return {input.low, input.high};
    }
    if (input.type == ElementType::boolean) {
        return {0, 1};
    }
    constexpr double kReal = 3;
    constexpr double kInteger = 8;
    return is_real(input.type)       ? Range{-kReal, kReal}
           : is_unsigned(input.type) ? Range{0, kInteger}
                                     : Range{-kInteger, kInteger};
}

Tensor from_doubles(const std::vector<double>& values, ElementType type, const Shape& shape) {
    return Tensor::of<double>(shape, values).to(type);
}

// Values that f32 holds exactly: both sides of a comparison start from the same numbers.
Tensor random_tensor(const Input& input, const Shape& shape, std::mt19937_64& random) {
    const Range range = range_of(input);
    std::vector<double> values(shape_size(shape));
    for (double& value : values) {
        if (is_real(input.type)) {
            value = static_cast<float>(
                std::uniform_real_distribution<double>(range.low, range.high)(random));
        } else {
            value = static_cast<double>(std::uniform_int_distribution<std::int64_t>(
                static_cast<std::int64_t>(range.low),
                static_cast<std::int64_t>(range.high))(random));
        }
    }
    return from_doubles(values, input.type, shape);
}

}  // namespace

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
            in.value = input.values.empty() && shape_size(input.shape) != 0
                           ? random_tensor(input, input.shape, random)
                           : from_doubles(input.values, input.type, input.shape);
        }
        inputs.push_back(in);
    }
    const test::OpModel made =
        test::make_op(op_case.type, op_case.opset, op_case.attributes, inputs);
    for (std::size_t i = 0; i < made.node->output_count(); ++i) {
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
