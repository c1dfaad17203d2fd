// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Real models, where they lie beside the project (../shared/models): every convolution and matmul
// whose source and weights are quantized in the IR reads integers after transform().
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "fuseq/error.hpp"
#include "ir/ir.hpp"
#include "ops/op_spec.hpp"
#include "support/pass_testing.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::testing {
namespace {

namespace fs = std::filesystem;

fs::path models_folder() {
    return fs::path(FUSEQ_SOURCE_DIR) / ".." / "shared" / "models";
}

std::vector<fs::path> model_files() {
    std::vector<fs::path> files;
    if (fs::exists(models_folder())) {
        for (const auto& entry : fs::recursive_directory_iterator(models_folder())) {
            if (entry.path().extension() == ".xml") {
                files.push_back(entry.path());
            }
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

// Every way up from this port ends in an FQ of an activation, through data movement only.
bool comes_from_fake_quantize(const Output& source) {
    std::vector<Output> stack{source};
    std::set<const Node*> seen;
    while (!stack.empty()) {
        const Node* node = stack.back().node;
        stack.pop_back();
        if (!seen.insert(node).second) {
            continue;
        }
        if (node->is("FakeQuantize")) {
            if (is_constant_expression(node->input(0))) {
                return false;
            }
        } else if (node->is("Concat")) {
            stack.insert(stack.end(), node->inputs().begin(), node->inputs().end());
        } else if (is_one_of(*node, {"MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze",
                                     "Split", "VariadicSplit", "StridedSlice", "Gather", "Slice",
                                     "ShuffleChannels", "DepthToSpace", "SpaceToDepth", "Tile"})) {
            stack.push_back(node->input(0));
        } else {
            return false;
        }
    }
    return true;
}

// Names of the layers that are quantized in the IR.
std::set<std::string> quantized_layers(const Model& model) {
    std::set<std::string> names;
    for (const Node* node : model.ordered_nodes()) {
        if (takes_weights(*node) && comes_from_fake_quantize(node->input(0)) &&
            (match_weight_chain(*node) || comes_from_fake_quantize(node->input(1)))) {
            names.insert(node->name());
        }
    }
    return names;
}

std::set<std::string> integer_layers(const Model& model) {
    std::set<std::string> names;
    for (const Node* node : model.ordered_nodes()) {
        if (takes_weights(*node) && is_integral(node->input(0).type())) {
            names.insert(node->name());
        }
    }
    return names;
}

class RealModels : public ::testing::TestWithParam<fs::path> {};

TEST_P(RealModels, QuantizedLayersReadIntegers) {
    const std::shared_ptr<Model> model = read_ir(GetParam().string());
    const std::set<std::string> expected = quantized_layers(*model);
    if (expected.empty()) {
        GTEST_SKIP() << "no layer of " << GetParam() << " is quantized";
    }
    PassContext context;
    transform(*model, context);
    model->validate();
    const std::set<std::string> reached = integer_layers(*model);
    std::size_t missing = 0;
    for (const std::string& name : expected) {
        if (!reached.contains(name)) {
            ++missing;
            ADD_FAILURE() << name << ": " << refusal_at(context, name);
        }
    }
    std::cout << GetParam().stem().string() << ": " << expected.size() << " quantized in the IR, "
              << reached.size() << " integer, " << missing << " missing\n";
}

std::string test_name(const ::testing::TestParamInfo<fs::path>& info) {
    std::string name =
        info.param.parent_path().filename().string() + "_" + info.param.stem().extension().string();
    for (char& c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    }
    return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(All, RealModels, ::testing::ValuesIn(model_files()), test_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealModels);

TEST(RealModelsFolder, IsThere) {
    if (!fs::is_directory(models_folder())) {
        GTEST_SKIP() << "there is no folder " << models_folder();
    }
    const std::vector<fs::path> files = model_files();
    EXPECT_FALSE(files.empty()) << "no models in " << models_folder();
    const bool quantized = std::any_of(files.begin(), files.end(), [](const fs::path& file) {
        return !quantized_layers(*read_ir(file.string())).empty();
    });
    EXPECT_TRUE(quantized) << "no layer of any of " << files.size() << " models is quantized";
}

}  // namespace
}  // namespace fuseq::testing
