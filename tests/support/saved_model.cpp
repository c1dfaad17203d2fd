// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/saved_model.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "fuseq/core.hpp"
#include "fuseq/save_model.hpp"
#include "support/small_model.hpp"

namespace fuseq::test {
namespace {

Tensor copy_of(const Tensor& tensor) {
    Tensor copy(tensor.get_element_type(), tensor.get_shape());
    if (tensor.get_byte_size() > 0) {
        std::memcpy(copy.data(), tensor.data(), tensor.get_byte_size());
    }
    return copy;
}

std::vector<Tensor> outputs_of(InferRequest& request,
                               const Model& model,
                               const std::vector<Tensor>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    std::vector<Tensor> outputs;
    outputs.reserve(model.outputs().size());
    for (std::size_t i = 0; i < model.outputs().size(); ++i) {
        outputs.push_back(copy_of(request.get_output_tensor(i)));
    }
    return outputs;
}

}  // namespace

void expect_same_when_saved(const std::shared_ptr<Model>& model,
                            const std::vector<std::vector<Tensor>>& runs,
                            const std::string& device) {
    static Core core;
    const TemporaryFolder folder;
    save_model(*model, folder.path("m.xml"));
    const auto saved = core.read_model(folder.path("m.xml"));
    ASSERT_EQ(compare_models(*model, *saved, {.layer_names = true}), "");
    InferRequest first = core.compile_model(model, device).create_infer_request();
    InferRequest second = core.compile_model(saved, device).create_infer_request();
    for (const std::vector<Tensor>& inputs : runs) {
        const std::vector<Tensor> expected = outputs_of(first, *model, inputs);
        const std::vector<Tensor> actual = outputs_of(second, *saved, inputs);
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(actual[i].get_shape(), expected[i].get_shape());
            EXPECT_EQ(
                std::memcmp(actual[i].data(), expected[i].data(), expected[i].get_byte_size()), 0)
                << "output " << i;
        }
    }
}

void expect_same_when_saved(const std::shared_ptr<Model>& model) {
    const Shape shape = model->input(0).shape();
    std::vector<float> values(shape_size(shape));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 11) * 0.3F - 1.5F;
    }
    const Tensor x = Tensor::of<float>(shape, values);
    expect_same_when_saved(model, {{x}}, "REFERENCE");
    expect_same_when_saved(model, {{x}}, "CPU");
}

}  // namespace fuseq::test
