// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables with names; their values from inference to inference are in cases/variables.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recorded_runs.hpp"
#include "unit/readers_tflite/tflite_case.hpp"

namespace fuseq::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TfliteCase recorded_case(const std::string& name) {
    for (TfliteCase& one : tflite_cases()) {
        if (one.name == name) {
            return std::move(one);
        }
    }
    throw std::runtime_error("no case " + name);
}

std::string error_of(const json& model) {
    return error_text([&] { read_tflite(tflite_bytes(model), "m.tflite"); });
}

// The operator of this type of a graph.
json& operator_of(json& model, std::size_t graph, int number) {
    for (json& one : model["subgraphs"][graph]["operators"]) {
        if (model["operator_codes"][one["opcode_index"].get<std::size_t>()]["builtin_code"] ==
            number) {
            return one;
        }
    }
    throw std::runtime_error("no such operator");
}

constexpr int kCallOnce = 129;
constexpr int kVarHandle = 142;
constexpr int kAssignVariable = 144;

TEST(TfliteVariables, AResetStateIsTheInitialValueAgain) {
    const TfliteCase one = recorded_case("variable_total");
    const auto model = read_tflite(tflite_bytes(one.model));
    Core core;
    InferRequest request = core.compile_model(model, "REFERENCE").create_infer_request();
    ASSERT_EQ(request.query_state().size(), 1U);
    EXPECT_EQ(request.query_state()[0].get_name(), "total");
    for (int i = 0; i < 2; ++i) {
        request.set_input_tensor(one.inputs[0][0]);
        request.infer();
        compare_recorded(request.get_output_tensor(0), one.outputs[0][0], {}, "TFLite");
        request.reset_state();
    }
}

TEST(TfliteVariables, NothingWasAssignedBeforeTheFirstRead) {
    json model = recorded_case("variable_total").model;
    operator_of(model, 1, kVarHandle)["builtin_options"]["shared_name"] = "other";
    EXPECT_THAT(error_of(model),
                HasSubstr("reads the variable 'total', to which no CALL_ONCE before it assigns"));
}

TEST(TfliteVariables, TheOrderIsThatOfTheFile) {
    json model = recorded_case("variable_total").model;
    json& operators = model["subgraphs"][0]["operators"];
    operators.push_back(operators[0]);
    EXPECT_THAT(error_of(model), HasSubstr("comes after an operator that reads or assigns"));
}

TEST(TfliteVariables, AHandleIsNoValue) {
    json model = recorded_case("variable_total").model;
    json& assign = operator_of(model, 0, kAssignVariable);
    assign["inputs"] = {assign["inputs"][0], assign["inputs"][0]};
    EXPECT_THAT(error_of(model), HasSubstr("is a handle of a variable, which is no value"));
    model = recorded_case("variable_total").model;
    json& mixed = operator_of(model, 0, kAssignVariable);
    mixed["inputs"] = {mixed["inputs"][1], mixed["inputs"][1]};
    EXPECT_THAT(error_of(model), HasSubstr("is no handle that a VAR_HANDLE of this graph makes"));
}

TEST(TfliteVariables, TheFirstGraphAlone) {
    json model = recorded_case("variable_total").model;
    json& graph = model["subgraphs"][1];
    json once = operator_of(model, 0, kCallOnce);
    graph["operators"].push_back(once);
    EXPECT_THAT(error_of(model), HasSubstr("CALL_ONCE within bodies is not supported"));
}

TEST(TfliteVariables, AValueOfAnotherShape) {
    json model = recorded_case("variable_total").model;
    json& assign = operator_of(model, 0, kAssignVariable);
    const std::size_t value = model["subgraphs"][0]["tensors"].size();
    model["subgraphs"][0]["tensors"].push_back(
        {{"name", "wide"}, {"shape", {4}}, {"buffer", model["buffers"].size()}});
    model["buffers"].push_back({{"data", std::vector<int>(16, 0)}});
    assign["inputs"] = {assign["inputs"][0], value};
    EXPECT_THAT(error_of(model),
                HasSubstr("the variable 'total' is read as f32[2,3] and assigned f32[4]"));
    model = recorded_case("variable_total").model;
    const json& initial = operator_of(model, 1, kAssignVariable);
    model["subgraphs"][1]["tensors"][initial["inputs"][1].get<std::size_t>()]["shape"] = {3, 2};
    EXPECT_THAT(error_of(model),
                HasSubstr("reads the variable 'total' as FLOAT32[2,3], it begins with f32[3,2]"));
}

}  // namespace
}  // namespace fuseq::test
