// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/interpreter.hpp"

#include "ops/binary_arithmetic.hpp"
#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

TEST(Interpreter, RunsNodesInOrderAndReportsThem) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, {2});
    Node* c = model.add_constant("c", floats({2}, {10, 20}));
    Node* sum = model.add("Add", 1, "sum", {x->output(), c->output()});
    Node* relu = model.add("ReLU", 1, "relu", {sum->output()});
    model.add("ReLU", 1, "unused", {x->output()});
    model.add_result("first", relu->output());
    model.add_result("second", sum->output());
    model.add_result("third", x->output());
    const Tensor in = floats({2}, {-11, 1});
    std::vector<std::string> seen;
    const auto results = Interpreter(model).run(
        std::span(&in, 1), [&](const Node& node, std::span<const Tensor> outputs) {
            EXPECT_EQ(outputs.size(), 1u);
            seen.push_back(node.name());
        });
    EXPECT_EQ(seen, (std::vector<std::string>{"sum", "relu"}));
    ASSERT_EQ(results.size(), 3u);
    expect_values(results[0], {0, 21});
    expect_values(results[1], {-1, 21});
    expect_values(results[2], {-11, 1});
}

TEST(Interpreter, RefusesInputsThatDoNotFit) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, PartialShape::parse("[1..2,3]"));
    model.add_result("y", x->output());
    const Interpreter interpreter(model);
    const auto run = [&](const std::vector<Tensor>& inputs) {
        return error_of([&] { interpreter.run(inputs); });
    };
    EXPECT_EQ(run({floats({2, 3}, {1, 2, 3, 4, 5, 6})}), "");
    EXPECT_THAT(run({}), testing::HasSubstr("got 0 inputs, expected 1"));
    EXPECT_THAT(run({i32s({1, 3}, {1, 2, 3})}), testing::HasSubstr("got a tensor of i32"));
    EXPECT_THAT(run({floats({3, 1}, {1, 2, 3})}), testing::HasSubstr("[3,1], expected [1..2,3]"));
}

}  // namespace
}  // namespace fuseq::test
