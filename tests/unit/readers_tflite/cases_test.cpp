// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One operator each, against the outputs of TFLite 2.9. Integers must be equal.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "readers/tflite/operator_table.hpp"
#include "support/recorded_runs.hpp"
#include "support/saved_model.hpp"
#include "unit/readers_tflite/tflite_case.hpp"

namespace fuseq::test {
namespace {

// Of free sizes.
void give_sizes(Model& model, const std::vector<Tensor>& inputs) {
    std::map<std::string, PartialShape> shapes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (model.input(i).shape() != inputs[i].get_shape()) {
            shapes[model.parameters()[i]->name()] = inputs[i].get_shape();
        }
    }
    if (!shapes.empty()) {
        model.reshape(shapes);
    }
}

void run(const TfliteCase& one, const std::string& device) {
    static Core core;
    const auto model = read_tflite(tflite_bytes(one.model), one.name);
    give_sizes(*model, one.inputs[0]);
    InferRequest request = core.compile_model(model, device).create_infer_request();
    for (std::size_t k = 0; k < one.inputs.size(); ++k) {
        for (std::size_t i = 0; i < one.inputs[k].size(); ++i) {
            request.set_input_tensor(i, one.inputs[k][i]);
        }
        request.infer();
        ASSERT_EQ(model->outputs().size(), one.outputs[k].size());
        for (std::size_t i = 0; i < one.outputs[k].size(); ++i) {
            compare_recorded(request.get_output_tensor(i), one.outputs[k][i],
                             {.tolerance = one.tolerance, .steps = one.steps}, "TFLite");
        }
    }
}

class TfliteCases : public testing::TestWithParam<std::string> {};

TEST_P(TfliteCases, GiveTheOutputsOfTflite) {
    for (const TfliteCase& one : tflite_cases()) {
        SCOPED_TRACE(one.name);
        try {
            run(one, GetParam());
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
}

TEST(TfliteSaved, EveryCaseIsTheSame) {
    for (const TfliteCase& one : tflite_cases()) {
        SCOPED_TRACE(one.name);
        const auto model = read_tflite(tflite_bytes(one.model), one.name);
        give_sizes(*model, one.inputs[0]);
        expect_same_when_saved(model, one.inputs, "REFERENCE");
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, TfliteCases, testing::Values("REFERENCE", "CPU"));

TEST(TfliteOperators, EachHasACase) {
    std::set<std::string> tested;
    for (const TfliteCase& one : tflite_cases()) {
        for (const auto& code : one.model.at("operator_codes")) {
            tested.insert(code.contains("custom_code")
                              ? code.at("custom_code").get<std::string>()
                              : std::string(tflite_reader::builtin_name(code.at("builtin_code"))));
        }
    }
    for (const auto* row : tflite_reader::all_operators()) {
        EXPECT_TRUE(tested.contains(std::string(row->type))) << row->type;
    }
}

TEST(TfliteOperators, AreInTheTableOfThePage) {
    std::ifstream file(std::string(FUSEQ_SOURCE_DIR) + "/docs/tflite.md");
    std::ostringstream page;
    page << file.rdbuf();
    for (const auto* row : tflite_reader::all_operators()) {
        const std::string line =
            detail::cat("| ", row->type, " | ", row->newest, " | ", row->note, " |\n");
        EXPECT_NE(page.str().find(line), std::string::npos)
            << line << "write the table with fuseq_tflite_docs";
    }
}

}  // namespace
}  // namespace fuseq::test
