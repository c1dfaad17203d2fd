// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Parameter, Const and Result: the ends of every model.
#include "ops/interpreter.hpp"
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

TEST(Parameter, HasTheDeclaredTypeAndShape) {
    Model model;
    const Node* node = model.add_parameter("x", ElementType::u8, PartialShape::parse("[1,?,2..4]"));
    EXPECT_EQ(node->port().type, ElementType::u8);
    EXPECT_EQ(to_string(node->port().shape), "[1,?,2..4]");
    EXPECT_TRUE(node->is("Parameter"));
}

TEST(Const, GivesItsValue) {
    Model model;
    Node* node = model.add_constant("c", Tensor::of<float>({2}, {1.5F, -2}));
    EXPECT_TRUE(node->is("Const"));
    const std::vector<Tensor> values = evaluate_node(*node, {});
    expect_tensor<float>(values.at(0), {2}, {1.5F, -2});
}

TEST(Result, PassesItsInput) {
    Model model;
    Node* x = model.add_parameter("x", ElementType::f32, PartialShape(Shape{2}));
    const Node* result = model.add_result("y", x->output());
    EXPECT_TRUE(result->is("Result"));
    const Tensor input = Tensor::of<float>({2}, {3, 4});
    expect_tensor<float>(Interpreter(model).run({{input}}).at(0), {2}, {3, 4});
}

}  // namespace
}  // namespace fuseq::test
