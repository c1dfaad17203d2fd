// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of networks as exporters write them, against the outputs of ONNX Runtime 1.30. One compiled
// model runs with all shapes.
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include "support/recorded_runs.hpp"
#include "support/saved_model.hpp"
#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

constexpr double kTolerance = 1e-5;

struct Export {
    std::string name;
    ::onnx::ModelProto model;
    std::vector<std::vector<std::string>> input_names;
    std::vector<std::vector<Tensor>> inputs;
    std::vector<std::vector<Tensor>> outputs;
};

std::vector<Export> read_exports() {
    std::vector<Export> all;
    for (const auto& one : nlohmann::json::parse(whole_text(FUSEQ_ONNX_EXPORTS))) {
        Export& made = all.emplace_back();
        made.name = one.at("name");
        const auto status =
            google::protobuf::util::JsonStringToMessage(one.at("model").dump(), &made.model);
        EXPECT_TRUE(status.ok()) << made.name;
        made.inputs = recorded_runs(one.at("inputs"));
        made.outputs = recorded_runs(one.at("outputs"));
        for (const auto& run : one.at("inputs")) {
            std::vector<std::string>& names = made.input_names.emplace_back();
            for (const auto& tensor : run) {
                names.push_back(tensor.at("name"));
            }
        }
    }
    return all;
}

void run(const Export& one, const std::string& device) {
    static Core core;
    const auto model =
        onnx_reader::import_model(one.model, {.file = one.name, .folder = {}, .on_warning = {}});
    InferRequest request = core.compile_model(model, device).create_infer_request();
    for (std::size_t k = 0; k < one.inputs.size(); ++k) {
        SCOPED_TRACE("run " + std::to_string(k));
        for (std::size_t i = 0; i < one.inputs[k].size(); ++i) {
            request.set_tensor(one.input_names[k][i], one.inputs[k][i]);
        }
        request.infer();
        ASSERT_EQ(model->outputs().size(), one.outputs[k].size());
        for (std::size_t i = 0; i < one.outputs[k].size(); ++i) {
            SCOPED_TRACE("output " + std::to_string(i));
            compare_recorded(request.get_output_tensor(i), one.outputs[k][i],
                             {.tolerance = kTolerance}, "ONNX Runtime");
        }
    }
}

class OnnxExports : public testing::TestWithParam<std::string> {};

TEST_P(OnnxExports, GiveTheOutputsOfOnnxRuntime) {
    for (const Export& one : read_exports()) {
        SCOPED_TRACE(one.name);
        try {
            run(one, GetParam());
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
}

TEST(OnnxExportsSaved, EachIsTheSame) {
    for (const Export& one : read_exports()) {
        SCOPED_TRACE(one.name);
        const auto model = onnx_reader::import_model(
            one.model, {.file = one.name, .folder = {}, .on_warning = {}});
        expect_same_when_saved(model, one.inputs, "REFERENCE");
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, OnnxExports, testing::Values("REFERENCE", "CPU"));

}  // namespace
}  // namespace fuseq::test
