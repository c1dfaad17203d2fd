// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What an inference of a real model allocates: nothing, but in steps that run reference kernels and
// in those whose results have a size that is known only after them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "allocation/counting.hpp"
#include "fuseq/fuseq.hpp"
#include "real_models/shared_models.hpp"

namespace fuseq::test {
namespace {

constexpr std::size_t kRequestLocks = 3;
constexpr std::size_t kRuns = 3;
// For each such step: 11 to 22 in the models that were measured.
constexpr std::size_t kForAReferenceStep = 25;
// The tensors of boxes that were kept; lists keep their memory from run to run.
constexpr std::size_t kForNonMaxSuppression = 25;

class RealModelInference : public testing::TestWithParam<std::string> {};

std::size_t allowed(const nlohmann::json& report) {
    std::size_t total = 0;
    for (const auto& step : report["steps"]) {
        if (step["kind"] == "NonMaxSuppression") {
            total += kForNonMaxSuppression;
        } else if (step["implementation"] == "reference") {
            total += kForAReferenceStep;
        }
    }
    return total;
}

TEST_P(RealModelInference, AllocatesOnlyInReferenceKernels) {
    if (GetParam() == kNoModels) {
        GTEST_SKIP() << "there are no models beside the project";
    }
    const auto folder = shared_folder() / "models" / GetParam();
    for (const int threads : {1, 2}) {
        Core core;
        const auto model = core.read_model(model_file(folder).string());
        CompiledModel compiled =
            core.compile_model(model, "CPU", {{"INFERENCE_NUM_THREADS", threads}});
        const auto report =
            nlohmann::json::parse(compiled.get_property(property::kReport).as_string());
        InferRequest request = compiled.create_infer_request();
        const std::vector<Tensor> inputs =
            golden_inputs(*model, shared_folder() / "golden" / GetParam());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            request.set_input_tensor(i, inputs[i]);
        }
        for (int i = 0; i < 2; ++i) {
            request.infer();  // the first one binds memory; OpenMP makes its threads
        }
        Counting counting;
        for (std::size_t i = 0; i < kRuns; ++i) {
            request.infer();
        }
        const Counts counts = counting.stop();
        EXPECT_LE(counts.allocations, allowed(report) * kRuns) << counts.first;
        EXPECT_LE(counts.locks, kRequestLocks * kRuns) << counts.first;
        RecordProperty("allocations" + std::to_string(threads),
                       std::to_string(counts.allocations / kRuns));
    }
}

INSTANTIATE_TEST_SUITE_P(Models, RealModelInference, testing::ValuesIn(model_names()), test_name);

}  // namespace
}  // namespace fuseq::test
