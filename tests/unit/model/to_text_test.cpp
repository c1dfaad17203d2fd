// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/model.hpp"
#include "ops/control/subgraph.hpp"
#include "ops/convolution.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(ToText, PrintsOneLineANode) {
    Model model("net");
    Node* x = model.add_parameter("x", element::f32, PartialShape{1, 2, Dimension(1, 8)});
    x->port().names = {"b", "a"};
    Node* w = model.add_constant("w", Tensor::of<float>({2, 1}, {0.1f, -3}));
    Node* y = model.add("Add", 1, "stage 1/add", {x->output(), w->output()});
    y->origins = {"add", "bias"};
    model.add_result("out", y->output());
    EXPECT_EQ(model.to_text(),
              "model \"net\"\n"
              "%x = Parameter.1 : f32[1,2,1..8] \"a\" \"b\"\n"
              "%w = Const.1 value={0.1,-3} : f32[2,1]\n"
              "%\"stage 1/add\" = Add.1(%x, %w) !origins=[\"add\",\"bias\"] : f32[1,2,1..8]\n"
              "%out = Result.1(%\"stage 1/add\") : f32[1,2,1..8]\n");
}

TEST(ToText, PrintsRequiredAndUnusualAttributes) {
    Model model;
    Node* x = model.add_parameter("x", element::f32, {1, 1, 4});
    Node* w = model.add_constant("w", Tensor::of<float>({1, 1, 1}, {1}));
    ConvolutionAttrs attrs;
    attrs.strides = {1};
    attrs.dilations = {1};
    attrs.auto_pad = AutoPad::kSameUpper;
    model.add("Convolution", 1, "c", {x->output(), w->output()}, attrs);
    EXPECT_THAT(model.to_text(), HasSubstr("%c = Convolution.1(%x, %w) strides=[1] dilations=[1] "
                                           "auto_pad=same_upper : f32[1,1,4]\n"));
}

TEST(ToText, LongConstantsPrintAsAHash) {
    Model model;
    std::vector<float> values(65, 0.5f);
    model.add_constant("same", Tensor::of<float>({65}, values));
    values[64] = 1;
    model.add_constant("other", Tensor::of<float>({65}, values));
    values[64] = 2;
    model.add_constant("third", Tensor::of<float>({65}, values));
    const std::string text = model.to_text();
    EXPECT_THAT(text, HasSubstr("%same = Const.1 value=fill(0.5) : f32[65]\n"));
    const auto hash_of = [&](const std::string& name) {
        return text.substr(text.find("%" + name + " = Const.1 value=#"), 100)
            .substr(name.size() + 19, 16);
    };
    EXPECT_EQ(hash_of("other").find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_NE(hash_of("other"), hash_of("third"));
    EXPECT_THAT(model.to_text(65), HasSubstr("0.5,0.5,1} : f32[65]"));
}

TEST(ToText, LayersOfOneNameGetNumbers) {
    Model model;
    Node* first = model.add_parameter("x", element::f32, {2});
    Node* second = model.add_parameter("x", element::f32, {2});
    model.add("Add", 1, "x", {second->output(), first->output()});
    EXPECT_THAT(model.to_text(), HasSubstr("%x#2 = Add.1(%x#1, %x) : f32[2]\n"));
}

TEST(ToText, SubgraphsAreIndented) {
    Model model("outer");
    Node* c = model.add_parameter("c", element::boolean, {1});
    Node* x = model.add_parameter("x", element::f32, {2});
    IfAttrs attrs;
    for (auto* body : {&attrs.then_body, &attrs.else_body}) {
        *body = std::make_shared<Model>("body");
        Node* a = (*body)->add_parameter("a", element::f32, {2});
        (*body)->add_result("r", a->output());
    }
    PortMap::append(attrs.then_inputs, {.external = 1, .internal = 0});
    PortMap::append(attrs.else_inputs, {.external = 1, .internal = 0});
    PortMap::append(attrs.then_outputs, {.external = 0, .internal = 0});
    PortMap::append(attrs.else_outputs, {.external = 0, .internal = 0});
    model.add("If", 8, "if", {c->output(), x->output()}, attrs);
    EXPECT_THAT(model.to_text(), HasSubstr("%if = If.8(%c, %x) then_body={\n"
                                           "    model \"body\"\n"
                                           "    %a = Parameter.1 : f32[2]\n"
                                           "    %r = Result.1(%a) : f32[2]\n"
                                           "} else_body={\n"));
    EXPECT_EQ(Model::from_text(model.to_text())->to_text(), model.to_text());
}

}  // namespace
}  // namespace fuseq::test
