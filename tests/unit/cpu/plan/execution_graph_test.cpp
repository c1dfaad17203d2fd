// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/execution_graph.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

using nlohmann::json;

class PlanExecutionGraph : public FakePlanTest {
protected:
    json nodes() const { return json::parse(execution_graph_json(*model_, plan_)).at("nodes"); }
    const std::shared_ptr<Model> model_ = Model::from_text(R"(model "net"
        %x = Parameter : f32[1,2,4,4]
        %r = Result(%x))");
};

TEST_F(PlanExecutionGraph, HasInputsStepsAndOutputsWithTheirKeys) {
    const TensorId input = tensor(8, 2);
    const TensorId result = tensor(8, 4);
    PlanTensor& image = plan_.tensors[result];
    image.shape = {1, 4, 2, 4};
    image.layout = Layout::kChannelsLast;
    StepInfo& info = step("conv", {input}, {result}).info();
    info.kind = "convolution";
    info.implementation = "brgconv:avx512_core_vnni";
    info.layers = {"conv", "relu", "conv"};
    info.src_type = "u8";
    plan_.inputs = {input};
    plan_.outputs = {result};
    const json graph = nodes();
    ASSERT_EQ(graph.size(), 3u);
    EXPECT_EQ(graph[0]["name"], "x");
    EXPECT_EQ(graph[0]["info"]["layerType"], "Input");
    EXPECT_EQ(graph[1]["inputs"], json::parse("[[0,0]]"));
    EXPECT_EQ(graph[1]["outputs"], json::parse(R"([{"type":"u8","shape":"[1,4,2,4]"}])"));
    EXPECT_EQ(graph[1]["info"], json::parse(R"({
        "layerType": "Convolution", "primitiveType": "brgconv:avx512_core_vnni",
        "originalLayersNames": "conv,relu", "outputPrecisions": "u8", "outputLayouts": "acdb",
        "runtimePrecision": "u8", "execOrder": "1"})"));
    EXPECT_EQ(graph[2]["name"], "r");
    EXPECT_EQ(graph[2]["inputs"], json::parse("[[1,0]]"));
    EXPECT_EQ(graph[2]["info"]["layerType"], "Output");
}

// A view is no step: its readers read what it looks at. A concatenation without a step has all
// that write its slices.
TEST_F(PlanExecutionGraph, LooksThroughViewsAndSlices) {
    const TensorId input = tensor(2, 8);
    const TensorId whole = tensor(4, 8);
    const TensorId first = tensor(2, 8);
    const TensorId second = tensor(2, 8);
    const TensorId view = tensor(8, 4);
    const TensorId result = tensor(8, 4);
    plan_.tensors[first].alias = whole;
    plan_.tensors[second].alias = whole;
    plan_.tensors[view].alias = whole;
    step("a", {input}, {first}).info().kind = "max_pool";
    step("b", {input}, {second}).info().kind = "detection_output";
    step("c", {view, kNoTensor}, {result}).info().kind = "eltwise";
    plan_.inputs = {input};
    plan_.outputs = {result};
    const json graph = nodes();
    EXPECT_EQ(graph[1]["info"]["layerType"], "Pooling");
    EXPECT_EQ(graph[2]["info"]["layerType"], "DetectionOutput");
    EXPECT_EQ(graph[3]["inputs"], json::parse("[[1,0],[2,0]]"));
}

// Weights and other constants belong to the step that reads them.
TEST_F(PlanExecutionGraph, LeavesConstantsOut) {
    const TensorId input = tensor(2, 8);
    const TensorId weights = tensor(2, 8);
    const TensorId result = tensor(2, 8);
    plan_.tensors[weights].storage = Storage::kConstant;
    step("a", {input, weights}, {result}).info().kind = "matmul";
    plan_.inputs = {input};
    plan_.outputs = {result};
    EXPECT_EQ(nodes()[1]["inputs"], json::parse("[[0,0]]"));
}

// Names come from files, whose text need not be UTF-8.
TEST_F(PlanExecutionGraph, BytesThatAreNoTextAreReplaced) {
    const TensorId result = tensor(8, 4);
    step("conv\xff", {}, {result});
    EXPECT_EQ(nodes()[0]["name"], "conv\xEF\xBF\xBD");
}

}  // namespace
}  // namespace fuseq::cpu
