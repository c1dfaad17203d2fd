// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds a model around one operation, infers and runs it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fuseq/model.hpp"
#include "ops/interpreter.hpp"

namespace fuseq::test {

// An open input (type and shape) or a constant.
struct OpenInput {
    ElementType type;
    PartialShape shape;
};
using Input = std::variant<OpenInput, Tensor>;

inline OpenInput open(const std::string& shape, ElementType type = ElementType::f32) {
    return {type, PartialShape::parse(shape)};
}

// A model whose only operation reads `inputs`; one Result an output of the operation.
inline std::shared_ptr<Model> model_of(const std::string& type,
                                       int opset,
                                       std::unique_ptr<Attributes> attributes,
                                       const std::vector<Input>& inputs) {
    auto model = std::make_shared<Model>();
    std::vector<Output> sources;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::string name = "in" + std::to_string(i);
        if (const auto* open_input = std::get_if<OpenInput>(&inputs[i])) {
            sources.push_back(
                model->add_parameter(name, open_input->type, open_input->shape)->output());
        } else if (const auto& value = std::get<Tensor>(inputs[i])) {
            sources.push_back(model->add_constant(name, value)->output());
        } else {
            sources.emplace_back();
        }
    }
    Node* node = model->add(type, opset, "op", std::move(sources), std::move(attributes));
    for (std::size_t i = 0; i < node->output_count(); ++i) {
        model->add_result("out" + std::to_string(i), node->output(i));
    }
    return model;
}

template <class A>
std::shared_ptr<Model> model_of(const std::string& type,
                                int opset,
                                const A& attributes,
                                const std::vector<Input>& inputs) {
    return model_of(type, opset, attributes.clone(), inputs);
}

// Shapes that inference gives, as text: "[1,3] [?]".
template <class A>
std::string shapes_of(const std::string& type,
                      int opset,
                      const A& attributes,
                      const std::vector<Input>& inputs) {
    const auto model = model_of(type, opset, attributes, inputs);
    std::string text;
    for (const Output& output : model->outputs()) {
        text += (text.empty() ? "" : " ") + to_string(output.partial_shape());
    }
    return text;
}

// Runs the operation on tensors; those at the positions `constant` are constants of the model. The
// inferred shapes must hold what comes out, for known sizes, unknown sizes and unknown ranks.
template <class A>
std::vector<Tensor> run_op(const std::string& type,
                           int opset,
                           const A& attributes,
                           const std::vector<Tensor>& values,
                           const std::vector<std::size_t>& constant = {}) {
    std::vector<Tensor> results;
    for (const int openness : {0, 1, 2}) {
        std::vector<Input> inputs;
        std::vector<Tensor> arguments;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool fixed = std::find(constant.begin(), constant.end(), i) != constant.end();
            if (fixed || !values[i]) {
                inputs.emplace_back(values[i]);
                continue;
            }
            const Shape& shape = values[i].get_shape();
            inputs.emplace_back(OpenInput{values[i].get_element_type(),
                                          openness == 0   ? PartialShape(shape)
                                          : openness == 1 ? PartialShape::dynamic(shape.size())
                                                          : PartialShape::dynamic()});
            arguments.push_back(values[i]);
        }
        const auto model = model_of(type, opset, attributes, inputs);
        auto outputs = Interpreter(*model).run(arguments);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const Output port = model->output(i);
            EXPECT_EQ(outputs[i].get_element_type(), port.type()) << "output " << i;
            EXPECT_TRUE(port.partial_shape().contains(outputs[i].get_shape()))
                << "output " << i << " is " << to_string(outputs[i].get_shape())
                << ", inferred with openness " << openness << ": "
                << to_string(port.partial_shape());
            if (openness != 0) {
                EXPECT_TRUE(same_bytes(outputs[i], results[i])) << "openness " << openness;
            }
        }
        if (openness == 0) {
            results = std::move(outputs);
        }
    }
    return results;
}

// The message of the Error that `action` throws; empty when it throws none.
inline std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

template <class A>
std::string refusal(const std::string& type,
                    int opset,
                    const A& attributes,
                    const std::vector<Input>& inputs) {
    return error_of([&] { model_of(type, opset, attributes, inputs); });
}

inline Tensor floats(const Shape& shape, const std::vector<float>& values) {
    return Tensor::of<float>(shape, values);
}
inline Tensor i64s(const Shape& shape, const std::vector<std::int64_t>& values) {
    return Tensor::of<std::int64_t>(shape, values);
}
inline Tensor i32s(const Shape& shape, const std::vector<std::int32_t>& values) {
    return Tensor::of<std::int32_t>(shape, values);
}

// All values equal to within `tolerance`.
inline void expect_values(const Tensor& tensor,
                          const std::vector<float>& expected,
                          float tolerance = 1e-6F) {
    EXPECT_THAT(to_floats(tensor), ::testing::Pointwise(::testing::FloatNear(tolerance), expected));
}
inline void expect_ints(const Tensor& tensor, const std::vector<std::int64_t>& expected) {
    EXPECT_EQ(to_ints(tensor), expected);
}

}  // namespace fuseq::test
