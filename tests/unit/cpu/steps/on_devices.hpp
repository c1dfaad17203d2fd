// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A small model on the CPU device and on REFERENCE with the same random inputs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "fuseq/core.hpp"

namespace fuseq::test {

inline Tensor random_tensor(ElementType type, const Shape& shape, std::mt19937& random) {
    Tensor tensor(type, shape);
    if (type == ElementType::f32) {
        std::uniform_real_distribution<float> values(-4.0f, 4.0f);
        for (std::size_t i = 0; i < tensor.get_size(); ++i) {
            tensor.data<float>()[i] = values(random);
        }
        return tensor;
    }
    auto* bytes = static_cast<unsigned char*>(tensor.data());
    for (std::size_t i = 0; i < tensor.get_byte_size(); ++i) {
        bytes[i] = static_cast<unsigned char>(random() & 0xffu);
    }
    return tensor;
}

struct DeviceRun {
    std::vector<Tensor> outputs;
    nlohmann::json report;  // of CPU

    // Kind and implementation of the step that executes a layer: "movement fuseq:movement".
    std::string step_of(const std::string& layer) const {
        for (const auto& step : report["steps"]) {
            for (const auto& name : step["layers"]) {
                if (name == layer) {
                    return step["kind"].get<std::string>() + " " +
                           step["implementation"].get<std::string>();
                }
            }
        }
        return "no step";
    }
    // The same, its post-ops.
    std::string post_ops_of(const std::string& layer) const {
        for (const auto& step : report["steps"]) {
            for (const auto& name : step["layers"]) {
                if (name == layer) {
                    return step["post_ops"].get<std::string>();
                }
            }
        }
        return "no step";
    }
};

inline DeviceRun run_on(const std::string& device,
                        const std::shared_ptr<const Model>& model,
                        const std::vector<Tensor>& inputs) {
    Core core;
    CompiledModel compiled = core.compile_model(model, device);
    InferRequest request = compiled.create_infer_request();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    DeviceRun run;
    // The second run works on memory that the first one has written.
    request.infer();
    request.infer();
    for (std::size_t i = 0; i < compiled.outputs().size(); ++i) {
        run.outputs.push_back(request.get_output_tensor(i));
    }
    if (device == "CPU") {
        run.report = nlohmann::json::parse(compiled.get_runtime_report());
    }
    return run;
}

// Runs `text` on both devices and compares all outputs; tolerance 0: every byte.
inline DeviceRun check_on_devices(const std::string& text, unsigned seed, double tolerance = 0) {
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
    const std::shared_ptr<const Model> model(Model::from_text(text));
    std::mt19937 random(seed);
    std::vector<Tensor> inputs;
    for (const Node* parameter : model->parameters()) {
        inputs.push_back(
            random_tensor(parameter->port(0).type, parameter->port(0).shape.to_shape(), random));
    }
    DeviceRun got = run_on("CPU", model, inputs);
    const DeviceRun want = run_on("REFERENCE", model, inputs);
    EXPECT_EQ(got.outputs.size(), want.outputs.size());
    for (std::size_t o = 0; o < want.outputs.size(); ++o) {
        const Tensor& a = got.outputs[o];
        const Tensor& b = want.outputs[o];
        EXPECT_EQ(a.get_shape(), b.get_shape());
        EXPECT_EQ(a.get_element_type(), b.get_element_type());
        EXPECT_NE(b.get_size(), 0u);
        if (tolerance == 0) {
            EXPECT_EQ(std::memcmp(a.data(), b.data(), b.get_byte_size()), 0) << "output " << o;
            continue;
        }
        for (std::size_t i = 0; i < b.get_size(); ++i) {
            const double y = b.data<float>()[i];
            EXPECT_NEAR(a.data<float>()[i], y, tolerance * std::max(1.0, std::fabs(y)))
                << "output " << o << ", element " << i;
        }
    }
    return got;
}

}  // namespace fuseq::test
