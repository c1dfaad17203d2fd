// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Real models give the same bytes for any number of threads, in repeated runs, and whatever the
// memory held before: no step reads what nobody wrote.
#include <gtest/gtest.h>

#include <filesystem>

#include "real_models/shared_models.hpp"

namespace fuseq::test {
namespace {

namespace fs = std::filesystem;

// Several inferences of one request, into outputs that start as garbage.
std::vector<std::vector<Tensor>> run_often(const CompiledModel& compiled,
                                           const std::vector<Tensor>& inputs,
                                           int times) {
    InferRequest request = compiled.create_infer_request();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    std::vector<std::vector<Tensor>> results(static_cast<std::size_t>(times));
    for (auto& outputs : results) {
        request.infer();
        for (std::size_t i = 0; i < compiled.outputs().size(); ++i) {
            const Tensor output = request.get_output_tensor(i);
            outputs.push_back(output.to(output.get_element_type()));  // a copy
        }
    }
    return results;
}

class SameBytes : public testing::TestWithParam<std::string> {};

TEST_P(SameBytes, ForThreadsRunsAndPoisonedMemory) {
    if (GetParam() == kNoModels) {
        GTEST_SKIP() << "there are no models in " << shared_folder();
    }
    Core core;
    const auto model =
        core.read_model(model_file(shared_folder() / "models" / GetParam()).string());
    const auto inputs = golden_inputs(*model, shared_folder() / "golden" / GetParam());
    std::vector<Tensor> expected;
    for (const int threads : {1, 2, 4}) {
        for (const int poison : {0, 255}) {
            const CompiledModel compiled = core.compile_model(
                model, "CPU",
                {{property::kInferenceNumThreads, threads}, {"FUSEQ_POISON_MEMORY", poison}});
            constexpr int kTimes = 2;
            for (const auto& outputs : run_often(compiled, inputs, kTimes)) {
                if (expected.empty()) {
                    expected = outputs;
                }
                for (std::size_t i = 0; i < outputs.size(); ++i) {
                    EXPECT_TRUE(same_bytes(outputs[i], expected[i]))
                        << "output " << i << ", " << threads << " threads, poison " << poison;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(RealModels, SameBytes, testing::ValuesIn(model_names()), test_name);

}  // namespace
}  // namespace fuseq::test
