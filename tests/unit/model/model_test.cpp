// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/convert.hpp"
#include "ops/op_spec.hpp"
#include "ops/parameter.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Names of nodes, in order.
std::vector<std::string> names(const std::vector<Node*>& nodes) {
    std::vector<std::string> list;
    list.reserve(nodes.size());
    for (const Node* node : nodes) {
        list.push_back(node->name());
    }
    return list;
}

std::shared_ptr<Model> diamond() {
    return Model::from_text(R"(
        %x = Parameter : f32[1,2]
        %y = Parameter : f32[2] "why"
        %a = ReLU(%x) : f32[1,2] "ay"
        %b = ReLU(%y)
        %c = Add(%a, %b)
        %r = Result(%c)
        %q = Result(%a))");
}

TEST(Model, OrdersProducersFirst) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, {2});
    Node* late = model.add("ReLU", 1, "late", {x->output()});
    Node* c = model.add_constant("c", Tensor::of<float>({2}, {1, 2}));
    Node* n = model.add("ReLU", 1, "n", {c->output()});
    late->set_input(0, n->output());
    EXPECT_THAT(names(model.ordered_nodes()), testing::ElementsAre("x", "c", "n", "late"));
}

// Of all nodes that are ready, the oldest; a and b only become so when the youngest two are done.
TEST(Model, OrdersReadyNodesByAge) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, {2});
    Node* a = model.add("ReLU", 1, "a", {x->output()});
    Node* b = model.add("ReLU", 1, "b", {x->output()});
    model.add("ReLU", 1, "free", {x->output()});
    Node* n = model.add("ReLU", 1, "n", {x->output()});
    Node* m = model.add("ReLU", 1, "m", {n->output()});
    model.add("ReLU", 1, "last", {x->output()});
    a->set_input(0, m->output());
    b->set_input(0, n->output());
    EXPECT_THAT(names(model.ordered_nodes()),
                testing::ElementsAre("x", "free", "n", "b", "m", "a", "last"));
    EXPECT_THAT(names(model.find_all("ReLU")),
                testing::ElementsAre("free", "n", "b", "m", "a", "last"));
    EXPECT_THAT(names(model.find_all("Parameter")), testing::ElementsAre("x"));
    EXPECT_THAT(model.find_all("Add"), testing::IsEmpty());
}

TEST(Model, RefusesCycles) {
    const auto model = diamond();
    model->find("a")->set_input(0, model->find("c")->output());
    try {
        model->ordered_nodes();
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "validate: layer 'a' (ReLU): depends on its own output");
    }
}

TEST(Model, FindsPortsByTensorAndLayerName) {
    const auto model = diamond();
    EXPECT_EQ(model->input_index("why"), 1u);
    EXPECT_EQ(model->input_index("y"), 1u);
    EXPECT_EQ(model->output_index("ay"), 1u);
    EXPECT_EQ(model->output_index("a"), 1u);
    EXPECT_EQ(model->output_index("r"), 0u);
    EXPECT_EQ(model->output("c").node, model->find("c"));
    EXPECT_EQ(model->output_name(0), "c");
    EXPECT_EQ(model->input().node->name(), "x");
    EXPECT_THROW(model->input(2), Error);
    EXPECT_THROW(model->output(2), Error);
    try {
        (void)model->input("z");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), "model: there is no input 'z'; inputs: 'x', 'why'");
    }
    EXPECT_THAT([&] { (void)model->input("wh"); },
                testing::ThrowsMessage<Error>(testing::EndsWith("; did you mean 'why'?")));
    EXPECT_THAT([&] { (void)model->output("yay"); },
                testing::ThrowsMessage<Error>(
                    "model: there is no output 'yay'; outputs: 'c', 'ay'; did you mean 'ay'?"));
    EXPECT_THAT(
        [&] {
            model->reshape({{"whi", PartialShape{5, 2}}});
        },
        testing::ThrowsMessage<Error>(testing::EndsWith("; did you mean 'why'?")));
}

TEST(Model, ReplacesReadersAndMovesTensorNames) {
    const auto model = diamond();
    Node* b = model->find("b");
    model->replace(model->find("a")->output(), b->output());
    EXPECT_EQ(model->find("c")->input_node(0), b);
    EXPECT_EQ(model->results()[1]->input_node(0), b);
    EXPECT_TRUE(b->port().names.contains("ay"));
    EXPECT_TRUE(model->find("a")->port().names.empty());
    EXPECT_EQ(model->remove_dead_nodes(), 1u);
    EXPECT_EQ(model->find("a"), nullptr);
    EXPECT_NE(model->find("x"), nullptr) << "inputs stay";
}

TEST(Model, RemovesOnlyWhatNobodyReads) {
    const auto model = diamond();
    EXPECT_THROW(model->remove(model->find("a")), Error);
    model->remove(model->results()[0]);
    EXPECT_EQ(model->results().size(), 1u);
    model->remove(model->find("c"));
    EXPECT_EQ(model->find("b")->users().size(), 0u);
}

TEST(Model, ReshapesOrStaysAsItWas) {
    const auto model = diamond();
    model->reshape({{"x", PartialShape{5, 2}}});
    EXPECT_EQ(model->output(0).shape(), (Shape{5, 2}));
    const std::string before = model->to_text();
    EXPECT_THROW(model->reshape({{"x", PartialShape{5, 3}}}), Error);
    EXPECT_EQ(model->to_text(), before);
    EXPECT_THROW(model->reshape({{"z", PartialShape{5, 3}}}), Error);
    EXPECT_THROW(model->reshape(PartialShape{1}), Error) << "two inputs";
    model->reshape({{"x", PartialShape{Dimension::dynamic(), 2}}});
    EXPECT_EQ(to_string(model->output(0).partial_shape()), "[?,2]");
}

TEST(Model, AddsOutputs) {
    const auto model = diamond();
    EXPECT_THAT([&] { model->add_output("ayy"); },
                testing::ThrowsMessage<Error>(
                    "model: there is no layer or tensor 'ayy'; did you mean 'ay'?"));
    EXPECT_EQ(model->add_output("b"), model->find("b")->output());
    EXPECT_EQ(model->results().size(), 3u);
    EXPECT_EQ(model->output_name(2), "b");
    EXPECT_EQ(model->add_output("ay"), model->find("a")->output());
    EXPECT_EQ(model->results().size(), 3u) << "it was an output already";
    EXPECT_THROW(model->add_output("z"), Error);
}

TEST(Model, ClonesKeepOrderAndShareConstants) {
    const auto model = Model::from_text(R"(
        %y = Parameter : f32[2]
        %x = Parameter : f32[2]
        %w = Const value={1,2} : f32[2]
        %s = Add(%x, %w) !origins=["o"]
        %r2 = Result(%s)
        %r1 = Result(%y))");
    model->find("s")->rt_info["k"] = "v";
    const auto copy = model->clone();
    EXPECT_EQ(copy->to_text(), model->to_text());
    EXPECT_EQ(copy->find("s")->rt_info.at("k"), "v");
    EXPECT_EQ(copy->find("w")->constant().data(), model->find("w")->constant().data());
    copy->find("s")->set_input(0, copy->find("y")->output());
    EXPECT_EQ(model->find("s")->input_node(0)->name(), "x");
}

TEST(Model, MakesUniqueNames) {
    Model model;
    EXPECT_EQ(model.unique_name("x"), "x");
    model.add_parameter("x", element::f32, {1});
    model.add_parameter("x_1", element::f32, {1});
    EXPECT_EQ(model.unique_name("x"), "x_2");
    Node* anonymous = model.add_parameter("", element::f32, {1});
    EXPECT_EQ(anonymous->name(), "Parameter");
    EXPECT_EQ(model.find("x")->name(), "x");
}

TEST(Model, RefusesUnknownOperations) {
    Model model;
    try {
        model.add("Unheard", 3, "u", {});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), "model: operation Unheard of opset3 is not known");
    }
}

}  // namespace
}  // namespace fuseq::test
