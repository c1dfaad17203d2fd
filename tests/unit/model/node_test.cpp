// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/node.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/model.hpp"
#include "ops/convert.hpp"
#include "ops/convolution.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Node, KnowsItsReaders) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, {2});
    Node* y = model.add_parameter("y", element::f32, {2});
    Node* a = model.add("Add", 1, "a", {x->output(), x->output()});
    EXPECT_THAT(x->port().uses, ElementsAre(Use{a, 0}, Use{a, 1}));
    a->set_input(0, y->output());
    EXPECT_THAT(x->port().uses, ElementsAre(Use{a, 1}));
    EXPECT_THAT(y->users(), ElementsAre(Use{a, 0}));
    a->set_input(1, {});
    EXPECT_FALSE(a->has_input(1));
    EXPECT_EQ(a->input_count(), 2u);
    EXPECT_THAT(x->port().uses, testing::IsEmpty());
}

TEST(Node, HandlesGiveTypesAndNames) {
    Model model;
    Node* x = model.add_parameter("x", element::i8, {2, 3});
    EXPECT_EQ(x->output().get_any_name(), "x");
    x->port().names = {"b", "a"};
    EXPECT_EQ(x->output().get_any_name(), "a");
    EXPECT_EQ(x->output().get_element_type(), element::i8);
    EXPECT_EQ(x->output().get_shape(), (Shape{2, 3}));
    EXPECT_THROW(x->attrs<ConvertAttrs>(), std::bad_cast);
    EXPECT_THROW(x->constant(), Error);
}

TEST(Node, PortsThatAreReadCannotGo) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, {2});
    x->set_output_count(3);
    model.add_unchecked(*find_op("ReLU", 1), "r", {x->output(2)}, nullptr);
    try {
        x->set_output_count(2);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("layer 'x' (Parameter): output 2 is read, but there "
                                            "are only 2"));
    }
    EXPECT_EQ(x->output_count(), 3u);
}

TEST(Node, ChecksItsInputsBeforeInference) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, {2});
    try {
        model.add("Add", 1, "a", {x->output()});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), "validate: layer 'a' (Add): has 1 inputs, expected 2");
    }
    EXPECT_EQ(model.find("a"), nullptr);
    EXPECT_THAT(x->users(), testing::IsEmpty());
    EXPECT_THROW(model.add("Add", 1, "a", {x->output(), {}}), Error);
}

TEST(Node, FollowsValuesOfSmallConstants) {
    Model model;
    Node* a = model.add_constant("a", Tensor::of<std::int64_t>({2}, {3, 4}));
    Node* b = model.add_constant("b", Tensor::of<std::int64_t>({2}, {10, 20}));
    Node* sum = model.add("Add", 1, "sum", {a->output(), b->output()});
    EXPECT_THAT(to_ints(sum->port().known_value), ElementsAre(13, 24));
    Node* x = model.add_parameter("x", element::i64, {2});
    Node* open = model.add("Add", 1, "open", {a->output(), x->output()});
    EXPECT_FALSE(open->port().known_value);
    open->set_input(1, b->output());
    open->infer();
    EXPECT_TRUE(open->port().known_value);
}

TEST(Node, LayerIdStandsInErrors) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, {1, 1, 4});
    Node* w = model.add_constant("w", Tensor::of<float>({1, 1, 1}, {1}));
    ConvolutionAttrs attrs;
    attrs.strides = {1};
    attrs.dilations = {1};
    Node* c = model.add("Convolution", 1, "c", {x->output(), w->output()}, attrs);
    c->layer_id = "17";
    c->attrs<ConvolutionAttrs>().strides = {0};
    try {
        c->infer();
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("validate: layer 17 'c' (Convolution): "));
    }
    EXPECT_EQ(model.clone()->find("c")->layer_id, "17");
}

}  // namespace
}  // namespace fuseq::test
