// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "fuseq/model.hpp"

namespace fuseq {
namespace {

TEST(Text, PrintsOneLineANode) {
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

TEST(Text, ReadsWhatItPrints) {
    const auto model = Model::from_text(R"(model "conv net"
        // Types need not be stated where they follow.
        %x = Parameter : f32[1,3,8,8] "in"
        %w = Const value=random(7) : f32[4,3,3,3]
        %c = Convolution.1(%x, %w) strides=[2,2] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %low = Const value=fill(0) : f32[]
        %high = Const value={2.55} : f32[]
        %"q 1" = FakeQuantize(%c, %low, %high, %low, %high) levels=256 output_type=u8 : u8[1,4,4,4]
        %r = Result(%"q 1"))");
    EXPECT_EQ(model->name(), "conv net");
    EXPECT_EQ(model->find("c")->output().shape(), (Shape{1, 4, 4, 4}));
    const auto again = Model::from_text(model->to_text(1000));
    EXPECT_EQ(compare_models(*model, *again, {.layer_names = true}), "");
    EXPECT_EQ(again->to_text(1000), model->to_text(1000));
}

}  // namespace
}  // namespace fuseq
