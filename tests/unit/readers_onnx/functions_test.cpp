// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the file: calls become the nodes of the function. What exporters make of them is in
// exports.json.
#include <gmock/gmock.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using ::onnx::AttributeProto;
using ::onnx::FunctionProto;
using ::onnx::NodeProto;
using testing::ElementsAre;
using testing::HasSubstr;
using Names = std::vector<std::string>;

FunctionProto& add_function(OnnxModel& m,
                            const std::string& name,
                            const Names& inputs,
                            const Names& outputs) {
    FunctionProto& made = *m.proto.add_functions();
    made.set_domain("own");
    made.set_name(name);
    for (const std::string& one : inputs) {
        made.add_input(one);
    }
    for (const std::string& one : outputs) {
        made.add_output(one);
    }
    auto* import = made.add_opset_import();
    import->set_domain("");
    import->set_version(13);
    return made;
}

NodeProto& add_node(FunctionProto& function,
                    const std::string& type,
                    const Names& inputs,
                    const Names& outputs) {
    NodeProto& made = *function.add_node();
    made.set_op_type(type);
    for (const std::string& one : inputs) {
        made.add_input(one);
    }
    for (const std::string& one : outputs) {
        made.add_output(one);
    }
    return made;
}

NodeProto* call(OnnxModel& m, const std::string& name, const Names& inputs, const Names& outputs) {
    NodeProto* made = m.node(name, inputs, outputs);
    made->set_domain("own");
    return made;
}

OnnxModel model_of_x() {
    OnnxModel m;
    auto* import = m.proto.add_opset_import();
    import->set_domain("own");
    import->set_version(1);
    m.input("x", {3});
    return m;
}

std::vector<float> run(const OnnxModel& m) {
    const Tensor x = Tensor::of<float>(Shape{3}, {-2, 1, 3});
    return to_floats(infer(m, "REFERENCE", {x}).at(0));
}

// leaky(x) = LeakyRelu with the call's slope.
void add_leaky(OnnxModel& m) {
    FunctionProto& function = add_function(m, "leaky", {"a"}, {"b"});
    AttributeProto* slope =
        attribute(&add_node(function, "LeakyRelu", {"a"}, {"b"}), "alpha", AttributeProto::FLOAT);
    slope->set_ref_attr_name("slope");
    function.add_attribute("slope");
}

TEST(OnnxFunctions, AttributesAreThoseOfTheCall) {
    OnnxModel m = model_of_x();
    add_leaky(m);
    real(call(m, "leaky", {"x"}, {"y"}), "slope", 0.5F);
    m.output("y");
    EXPECT_THAT(run(m), ElementsAre(-1, 1, 3));
}

TEST(OnnxFunctions, AnAttributeThatTheCallLeavesOutHasTheOperatorsDefault) {
    OnnxModel m = model_of_x();
    add_leaky(m);
    call(m, "leaky", {"x"}, {"y"});
    m.output("y");
    EXPECT_THAT(run(m), ElementsAre(-0.02F, 1, 3));
}

// Field 11, which Debian's onnx.proto does not have yet.
TEST(OnnxFunctions, OrTheFunctionsDefault) {
    OnnxModel m = model_of_x();
    add_leaky(m);
    AttributeProto slope;
    slope.set_name("slope");
    slope.set_type(AttributeProto::FLOAT);
    slope.set_f(2);
    auto* function = m.proto.mutable_functions(0);
    function->GetReflection()->MutableUnknownFields(function)->AddLengthDelimited(
        11, slope.SerializeAsString());
    call(m, "leaky", {"x"}, {"y"});
    m.output("y");
    EXPECT_THAT(run(m), ElementsAre(-4, 1, 3));
}

TEST(OnnxFunctions, CallOthersAndMayBeCalledTwice) {
    OnnxModel m = model_of_x();
    FunctionProto& twice = add_function(m, "twice", {"a"}, {"b"});
    add_node(twice, "Add", {"a", "a"}, {"b"});
    FunctionProto& outer = add_function(m, "outer", {"a"}, {"c"});
    add_node(outer, "twice", {"a"}, {"t"}).set_domain("own");
    add_node(outer, "twice", {"t"}, {"u"}).set_domain("own");
    add_node(outer, "Add", {"u", "a"}, {"c"});
    call(m, "outer", {"x"}, {"h"});
    call(m, "outer", {"h"}, {"y"});
    m.output("y");
    EXPECT_THAT(run(m), ElementsAre(-50, 25, 75));
}

TEST(OnnxFunctions, LayersAreCalledAsTheCallAndTheNode) {
    OnnxModel m = model_of_x();
    FunctionProto& function = add_function(m, "f", {"a"}, {"b"});
    add_node(function, "Abs", {"a"}, {"t"}).set_name("first");
    add_node(function, "Neg", {"t"}, {"b"});
    call(m, "f", {"x"}, {"y"})->set_name("here");
    m.output("y");
    const auto model = m.read();
    EXPECT_EQ(model->find_all("Abs").at(0)->name(), "here/first");
    EXPECT_EQ(model->find_all("Negative").at(0)->name(), "here/b");
    EXPECT_EQ(model->output("y"), model->output(0));
}

TEST(OnnxFunctions, InputsMayBeLeftOutAndOutputsMayBeInputs) {
    OnnxModel m = model_of_x();
    FunctionProto& function = add_function(m, "f", {"a", "low", "high"}, {"b", "a"});
    add_node(function, "Clip", {"a", "low", "high"}, {"b"});
    m.floats("two", {}, {2});
    call(m, "f", {"x", "", "two"}, {"cut", "same"});
    m.node("Add", {"cut", "same"}, {"y"});
    m.output("y");
    EXPECT_THAT(run(m), ElementsAre(-4, 2, 5));
}

TEST(OnnxFunctions, AreCalledInBodiesToo) {
    OnnxModel m = model_of_x();
    FunctionProto& twice = add_function(m, "twice", {"a"}, {"b"});
    add_node(twice, "Add", {"a", "a"}, {"b"});
    m.raw("yes", {}, {1}, ::onnx::TensorProto::BOOL);
    NodeProto* choice = m.node("If", {"yes"}, {"y"});
    for (const char* branch : {"then_branch", "else_branch"}) {
        auto* graph = attribute(choice, branch, AttributeProto::GRAPH)->mutable_g();
        graph->set_name(branch);
        NodeProto* node = graph->add_node();
        node->set_op_type(branch == std::string("then_branch") ? "twice" : "Neg");
        node->set_domain(branch == std::string("then_branch") ? "own" : "");
        node->add_input("x");
        node->add_output("z");
        graph->add_output()->set_name("z");
    }
    m.output("y");
    EXPECT_THAT(run(m), ElementsAre(-4, 2, 6));
}

std::string error_of(const OnnxModel& m) {
    return error_text([&] { m.read(); });
}

TEST(OnnxFunctions, ThatCallThemselvesAreRefused) {
    OnnxModel m = model_of_x();
    FunctionProto& function = add_function(m, "f", {"a"}, {"b"});
    add_node(function, "f", {"a"}, {"b"}).set_domain("own");
    call(m, "f", {"x"}, {"y"});
    m.output("y");
    EXPECT_THAT(error_of(m), HasSubstr("functions call each other more than 32 deep"));
}

TEST(OnnxFunctions, ThatStandForTooManyNodesAreRefused) {
    OnnxModel m = model_of_x();
    for (int level = 0; level < 12; ++level) {
        FunctionProto& function = add_function(m, "f" + std::to_string(level), {"a"}, {"b"});
        for (int i = 0; i < 8; ++i) {
            const std::string to = i == 7 ? "b" : "t" + std::to_string(i);
            add_node(function, level == 0 ? "Neg" : "f" + std::to_string(level - 1), {"a"}, {to})
                .set_domain(level == 0 ? "" : "own");
        }
    }
    call(m, "f11", {"x"}, {"y"});
    m.output("y");
    EXPECT_THAT(error_of(m), HasSubstr("functions stand for more than 262144 nodes"));
}

TEST(OnnxFunctions, OfAnotherOperatorSetAreRefused) {
    OnnxModel m = model_of_x();
    FunctionProto& function = add_function(m, "f", {"a"}, {"b"});
    function.mutable_opset_import(0)->set_version(18);
    add_node(function, "Abs", {"a"}, {"b"});
    call(m, "f", {"x"}, {"y"});
    m.output("y");
    EXPECT_THAT(error_of(m), HasSubstr("the function 'f' is of version 18 of the operator set '', "
                                       "the model of 13"));
}

TEST(OnnxFunctions, DefinedTwiceOrCalledWithTooManyInputsAreRefused) {
    OnnxModel m = model_of_x();
    FunctionProto& function = add_function(m, "f", {"a"}, {"b"});
    add_node(function, "Abs", {"a"}, {"b"});
    call(m, "f", {"x", "x"}, {"y"});
    m.output("y");
    EXPECT_THAT(error_of(m), HasSubstr("has 2 inputs and 1 outputs, the function has 1 and 1"));
    add_function(m, "f", {"a"}, {"b"});
    EXPECT_THAT(error_of(m), HasSubstr("defines the function 'f' twice"));
}

}  // namespace
}  // namespace fuseq::test
