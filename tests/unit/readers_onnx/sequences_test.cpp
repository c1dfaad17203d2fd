// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sequences that are not known when the file is read are refused. Those that are, are in
// exports.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// s = [x, x]
OnnxModel two_of_x() {
    OnnxModel m;
    m.input("x", {2, 3});
    m.node("SequenceConstruct", {"x", "x"}, {"s"});
    return m;
}

::onnx::TensorProto* position(OnnxModel& m, std::int64_t value) {
    auto* tensor = m.graph().add_initializer();
    tensor->set_name("at");
    tensor->set_data_type(::onnx::TensorProto::INT64);
    tensor->add_int64_data(value);
    return tensor;
}

std::string error_of(OnnxModel& m, const std::string& output) {
    m.output(output);
    return error_text([&] { m.read(); });
}

TEST(OnnxSequences, LeaveNothingInTheModel) {
    OnnxModel m = two_of_x();
    integer(m.node("ConcatFromSequence", {"s"}, {"y"}), "axis", 0);
    m.output("y");
    const auto model = m.read();
    EXPECT_EQ(model->output(0).shape(), (Shape{4, 3}));
    EXPECT_TRUE(model->find_all("Const").empty()) << model->to_text();
}

TEST(OnnxSequences, AsOutputsOfTheGraph) {
    OnnxModel m = two_of_x();
    EXPECT_THAT(error_of(m, "s"), HasSubstr("'s' (output): is a sequence"));
}

TEST(OnnxSequences, AsInputsOfOtherOperators) {
    OnnxModel m = two_of_x();
    m.node("Abs", {"s"}, {"y"});
    EXPECT_THAT(error_of(m, "y"), HasSubstr("input 's' is a sequence"));
}

TEST(OnnxSequences, TensorsInTheirPlace) {
    OnnxModel m = two_of_x();
    m.node("SequenceLength", {"x"}, {"y"});
    EXPECT_THAT(error_of(m, "y"), HasSubstr("input 0 is no sequence"));
}

TEST(OnnxSequences, PositionsOutsideOrUnknown) {
    OnnxModel outside = two_of_x();
    position(outside, 2);
    outside.node("SequenceAt", {"s", "at"}, {"y"});
    EXPECT_THAT(error_of(outside, "y"), HasSubstr("the position is 2, the sequence has 2 tensors"));
    OnnxModel unknown = two_of_x();
    unknown.input("at", {}, ::onnx::TensorProto::INT64);
    unknown.node("SequenceAt", {"s", "at"}, {"y"});
    EXPECT_THAT(error_of(unknown, "y"), HasSubstr("the position is not constant"));
}

TEST(OnnxSequences, ReadByABody) {
    OnnxModel m = two_of_x();
    m.raw("yes", {}, {1}, ::onnx::TensorProto::BOOL);
    auto* choice = m.node("If", {"yes"}, {"y"});
    for (const char* branch : {"then_branch", "else_branch"}) {
        auto* graph = attribute(choice, branch, ::onnx::AttributeProto::GRAPH)->mutable_g();
        auto* node = graph->add_node();
        node->set_op_type("SequenceLength");
        node->add_input("s");
        node->add_output("z");
        graph->add_output()->set_name("z");
    }
    EXPECT_THAT(error_of(m, "y"), HasSubstr("'s' (value): is a sequence that a body reads"));
}

}  // namespace
}  // namespace fuseq::test
