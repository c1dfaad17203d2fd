// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/layer_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

class FakeStep final : public Step {
public:
    FakeStep(StepInfo info, std::vector<TensorId> inputs, std::vector<TensorId> outputs) {
        info_ = std::move(info);
        inputs_ = std::move(inputs);
        outputs_ = std::move(outputs);
    }
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override {
        (void)memory;
        return nullptr;
    }
};

class LayerTimesTest : public ::testing::Test {
protected:
    LayerTimesTest() { plan_.tensors.resize(10); }

    void anchor(const std::string& name,
                bool quantized,
                TensorId from,
                TensorId to,
                std::vector<std::string> layers = {}) {
        StepInfo info;
        info.name = info.group = name;
        info.kind = "convolution";
        info.quantized = quantized;
        info.layers = layers.empty() ? std::vector{name} : std::move(layers);
        plan_.steps.push_back(std::make_unique<FakeStep>(info, std::vector{from}, std::vector{to}));
    }
    void other(const std::string& kind, const std::string& layer, TensorId from, TensorId to) {
        StepInfo info;
        info.kind = kind;
        info.layers = {layer};
        plan_.steps.push_back(std::make_unique<FakeStep>(info, std::vector{from}, std::vector{to}));
    }
    // "layer=time" of the measured ones.
    std::vector<std::string> times(const std::vector<double>& us, bool quantized = true) const {
        const LayerNames names{{"c1", "c2", "c3"}, {"q1", "q2"}};
        std::vector<std::string> text;
        for (const LayerTime& time : layer_times(plan_, us, names, quantized)) {
            text.push_back(detail::cat(time.layer, "=", time.us));
        }
        return text;
    }

    Plan plan_;
};

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(LayerTimesTest, AddsTheStepsOfALayerAndTheQuantizationThatServesItAlone) {
    other("eltwise", "q1", 0, 1);
    other("reorder", "q1", 1, 2);
    anchor("c1", true, 2, 3);
    plan_.steps.back()->info().kind = "eltwise";  // its rest
    anchor("c1", true, 3, 4);
    anchor("c2", true, 4, 5);
    plan_.outputs = {5};
    EXPECT_THAT(times({1, 2, 4, 8, 16}), ElementsAre("c1=15", "c2=16"));
    EXPECT_THAT(times({1, 2, 4, 8, 16}, false), IsEmpty());
}

TEST_F(LayerTimesTest, AQuantizationOfSeveralLayersOrOfAnOutputIsNobodys) {
    other("eltwise", "q1", 0, 1);
    anchor("c1", true, 1, 2);
    anchor("c2", true, 1, 3);
    other("eltwise", "q2", 3, 4);
    anchor("c3", true, 4, 5);
    plan_.outputs = {4, 5};
    EXPECT_THAT(times({1, 2, 4, 8, 16}), ElementsAre("c1=2", "c2=4", "c3=16"));
}

// A view is the memory that it looks at.
TEST_F(LayerTimesTest, SeesThroughViews) {
    other("eltwise", "q1", 0, 1);
    plan_.tensors[2].alias = 1;
    anchor("c1", true, 2, 3);
    EXPECT_THAT(times({1, 2}), ElementsAre("c1=3"));
    plan_.tensors[4].alias = 1;
    anchor("c2", true, 4, 5);
    EXPECT_THAT(times({1, 2, 4}), ElementsAre("c1=2", "c2=4"));
}

TEST_F(LayerTimesTest, OtherStepsBelongToNoLayer) {
    other("eltwise", "relu", 0, 1);
    anchor("c1", true, 1, 2);
    other("max_pool", "pool", 2, 3);
    anchor("c2", false, 3, 4);
    EXPECT_THAT(times({1, 2, 4, 8}), ElementsAre("c1=2"));
    EXPECT_THAT(times({1, 2, 4, 8}, false), ElementsAre("c2=8"));
}

TEST_F(LayerTimesTest, LeavesOutStepsThatComputeTwoLayers) {
    anchor("c1", true, 0, 1, {"c1", "q1", "c2"});
    anchor("c3", true, 1, 2, {"c3", "q2"});
    EXPECT_THAT(times({1, 2}), ElementsAre("c3=2"));
}

}  // namespace
}  // namespace fuseq::cpu
