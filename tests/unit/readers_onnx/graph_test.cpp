// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Names, open dimensions, and reading by way of Core.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/fuseq.hpp"
#include "support/small_model.hpp"
#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using ::onnx::TensorProto;
using testing::Contains;

OnnxModel scaled_relu() {
    OnnxModel m;
    m.input("x", {-1, 2});
    m.floats("two", {1}, {2});
    m.node("Mul", {"x", "two"}, {"t"}, "scale_it");
    m.node("Relu", {"t"}, {"y"});
    m.output("y");
    return m;
}

TEST(OnnxGraph, KeepsNamesOfValuesAndNodes) {
    const auto model = scaled_relu().read();
    ASSERT_NE(model->find("scale_it"), nullptr);
    EXPECT_EQ(model->find("scale_it")->type(), "Multiply");
    // A node without a name is called as its first output.
    ASSERT_NE(model->find("y"), nullptr);
    EXPECT_EQ(model->find("y")->type(), "ReLU");
    EXPECT_THAT(model->output("y").get_names(), Contains("y"));
    EXPECT_THAT(model->find("scale_it")->output().get_names(), Contains("t"));
    EXPECT_EQ(model->input("x").partial_shape(), PartialShape::parse("[?,2]"));
}

TEST(OnnxGraph, IsReadFromPathAndFromMemoryByCore) {
    const OnnxModel m = scaled_relu();
    const TemporaryFolder folder;
    const std::string path = folder.write("m.ONNX", m.bytes());
    Core core;
    for (const auto& model : {core.read_model(path), core.read_model(m.bytes(), Tensor())}) {
        InferRequest request = core.compile_model(model, "REFERENCE").create_infer_request();
        request.set_input_tensor(Tensor::of<float>(Shape{2, 2}, {1, -1, 3, 0}));
        request.infer();
        EXPECT_EQ(to_floats(request.get_output_tensor()), (std::vector<float>{2, 0, 6, 0}));
    }
    EXPECT_NO_THROW(core.compile_model(path, "CPU"));
}

TEST(OnnxGraph, TakesNodesInAnyOrder) {
    OnnxModel m;
    m.input("x", {2});
    m.node("Relu", {"t"}, {"y"});
    m.node("Neg", {"x"}, {"t"});
    m.output("y");
    EXPECT_EQ(m.read()->outputs().size(), 1U);
}

TEST(OnnxGraph, GivesRepeatedNodeNamesNumbers) {
    OnnxModel m;
    m.input("x", {2});
    m.node("Neg", {"x"}, {"t"}, "same");
    m.node("Relu", {"t"}, {"y"}, "same");
    m.output("y");
    const auto model = m.read();
    ASSERT_NE(model->find("same_1"), nullptr);
    EXPECT_EQ(model->find("same_1")->type(), "ReLU");
}

// In files of IR 3 every initializer is listed as an input too.
TEST(OnnxGraph, InitializersAreNoInputs) {
    OnnxModel m = scaled_relu();
    m.input("two", {1});
    EXPECT_EQ(m.read()->inputs().size(), 1U);
}

TEST(OnnxGraph, ReadsLeftOutOptionalInputs) {
    OnnxModel m;
    m.input("x", {3});
    m.floats("high", {}, {1});
    m.node("Clip", {"x", "", "high"}, {"y"});
    m.output("y");
    EXPECT_EQ(m.read()->find("y")->type(), "Clamp");
}

TEST(OnnxGraph, MakesAPairOfQuantizersAFakeQuantize) {
    OnnxModel m;
    m.input("x", {4});
    m.floats("s", {}, {0.5F});
    auto* zero = m.graph().add_initializer();
    zero->set_name("z");
    zero->set_data_type(TensorProto::UINT8);
    zero->add_int32_data(2);
    m.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
    m.node("DequantizeLinear", {"q", "s", "z"}, {"y"});
    m.output("y");
    const auto model = m.read();
    const Node* fq = model->find("y");
    ASSERT_EQ(fq->type(), "FakeQuantize");
    EXPECT_EQ(to_floats(fq->input_node(1)->constant()), std::vector<float>{-1});
    EXPECT_EQ(to_floats(fq->input_node(2)->constant()), std::vector<float>{126.5F});
    EXPECT_TRUE(model->find_all("Divide").empty());
}

// The integers are read by somebody else too: they stay beside the FakeQuantize.
TEST(OnnxGraph, KeepsIntegersThatAreAnOutput) {
    OnnxModel m;
    m.input("x", {4});
    m.floats("s", {}, {0.5F});
    m.node("QuantizeLinear", {"x", "s"}, {"q"});
    m.node("DequantizeLinear", {"q", "s"}, {"y"});
    m.output("y");
    m.output("q");
    const auto model = m.read();
    EXPECT_EQ(model->find("y")->type(), "FakeQuantize");
    EXPECT_EQ(model->output("q").type(), ElementType::u8);
}

TEST(OnnxGraph, AnOutputThatAnIdentityMakesHasItsOwnNameAlone) {
    OnnxModel m;
    m.input("x", {2});
    m.node("Abs", {"x"}, {"a"});
    m.node("Identity", {"a"}, {"y"});
    m.output("y");
    EXPECT_EQ(m.read()->output(0).get_any_name(), "y");
}

}  // namespace
}  // namespace fuseq::test
