// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// CompiledModel::get_runtime_model: what is executed, with OpenVINO's keys.
#include "runtime/execution_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "fuseq/fuseq.hpp"
#include "unit/runtime/runtime_fixture.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;
using testing::Key;
using testing::UnorderedElementsAre;

// Two inputs, two steps; the second one has two outputs.
constexpr const char* kGraph = R"({"name": "net", "nodes": [
    {"name": "x", "inputs": [], "outputs": [{"type": "f32", "shape": "[1,?]"}],
     "info": {"layerType": "Input"}},
    {"name": "conv", "inputs": [[0, 0]], "outputs": [{"type": "u8", "shape": "[1,4]"}],
     "info": {"layerType": "Convolution", "primitiveType": "gemm"}},
    {"name": "conv", "inputs": [[1, 0], [0, 0]],
     "outputs": [{"type": "f32", "shape": "[1,2]"}, {"type": "i32", "shape": "[2]"}],
     "info": {"layerType": "Split"}},
    {"name": "r", "inputs": [[2, 1]], "outputs": [], "info": {"layerType": "Output"}}]})";

TEST(ExecutionGraph, IsAModelOfTheStepsInTheirOrder) {
    const auto model = execution_graph(kGraph, {});
    EXPECT_EQ(model->name(), "net");
    ASSERT_EQ(model->parameters().size(), 1u);
    EXPECT_EQ(to_string(model->input().partial_shape()), "[1,?]");
    const std::vector<Node*> nodes = model->ordered_nodes();
    ASSERT_EQ(nodes.size(), 4u);
    EXPECT_EQ(nodes[1]->type(), "ExecutionNode");
    EXPECT_EQ(nodes[1]->name(), "conv");
    EXPECT_EQ(nodes[1]->rt_info.at("primitiveType"), "gemm");
    EXPECT_NE(nodes[2]->name(), "conv") << "names of layers are unique";
    EXPECT_EQ(nodes[2]->input_node(0), nodes[1]);
    EXPECT_EQ(nodes[3]->input(0), nodes[2]->output(1));
    EXPECT_EQ(to_string(model->output(0).type()), "i32");
    EXPECT_EQ(model->clone()->node_count(), 4u);
}

// The steps of a name are told apart by their order. 30 and 10 us are 20 us in the mean.
TEST(ExecutionGraph, HasTheMeanTimeOfEachStep) {
    const std::vector<ProfilingInfo> first{{"conv", "", "", 30}, {"conv", "", "", 5}};
    const std::vector<ProfilingInfo> second{{"conv", "", "", 10}, {"conv", "", "", 6}};
    const auto nodes = execution_graph(kGraph, {first, {}, second})->ordered_nodes();
    EXPECT_EQ(nodes[0]->rt_info.at("execTimeMcs"), "not_executed");
    EXPECT_EQ(nodes[1]->rt_info.at("execTimeMcs"), "20");
    EXPECT_EQ(nodes[2]->rt_info.at("execTimeMcs"), "5");
    EXPECT_EQ(nodes[3]->rt_info.at("execTimeMcs"), "not_executed");
}

TEST(ExecutionGraph, RefusesWhatIsNoGraph) {
    EXPECT_THAT(message_of([] { execution_graph("{}", {}); }),
                HasSubstr("the device's execution graph: "));
    EXPECT_THAT(message_of([] { execution_graph("nothing", {}); }), HasSubstr("execution graph"));
}

TEST(ExecutionGraph, OfACompiledModelHasTimesWhenTheyAreMeasured) {
    Core core;
    for (const bool measured : {false, true}) {
        CompiledModel compiled =
            core.compile_model(relu_model(), "REFERENCE", {{property::kPerfCount, measured}});
        InferRequest request = compiled.create_infer_request();
        const auto relu_time = [&] {
            return compiled.get_runtime_model()->find("relu")->rt_info.at("execTimeMcs");
        };
        EXPECT_EQ(relu_time(), "not_executed");
        request.infer();
        EXPECT_EQ(relu_time() != "not_executed", measured);
        request = {};
        EXPECT_EQ(relu_time(), "not_executed") << "the times went with the request";
    }
}

// As OpenVINO writes it: the kind of the step is the layer's type, the rest is attributes.
TEST(ExecutionGraph, IsSavedAsOpenVinoDoes) {
    const CompiledModel compiled = Core().compile_model(relu_model(), "REFERENCE");
    const TemporaryFolder folder;
    save_model(*compiled.get_runtime_model(), folder.path("graph.xml"));
    pugi::xml_document document;
    ASSERT_TRUE(document.load_file(folder.path("graph.xml").c_str()));
    const pugi::xml_node layers = document.child("net").child("layers");
    const pugi::xml_node relu = layers.find_child_by_attribute("name", "relu");
    EXPECT_STREQ(relu.attribute("type").value(), "ReLU");
    EXPECT_FALSE(relu.attribute("version"));
    std::map<std::string, std::string> data;
    for (const pugi::xml_attribute& attribute : relu.child("data").attributes()) {
        data[attribute.name()] = attribute.value();
    }
    EXPECT_THAT(
        data, UnorderedElementsAre(Key("execOrder"), Key("execTimeMcs"), Key("originalLayersNames"),
                                   Key("outputLayouts"), Key("outputPrecisions"),
                                   Key("primitiveType"), Key("runtimePrecision")));
    EXPECT_EQ(data["originalLayersNames"], "relu");
    EXPECT_EQ(data["outputLayouts"], "a");
    EXPECT_EQ(data["primitiveType"], "reference");
    EXPECT_STREQ(layers.find_child_by_attribute("name", "in").attribute("type").value(), "Input");
    EXPECT_STREQ(layers.find_child_by_attribute("name", "result").attribute("type").value(),
                 "Output");
    EXPECT_THAT(message_of([&] { (void)Core().read_model(folder.path("graph.xml")); }),
                HasSubstr("Input"));
}

}  // namespace
}  // namespace fuseq::test
