// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What element-wise layers become in the chain of a group.
#include "cpu/lowering/lower_node.hpp"

#include <gtest/gtest.h>

#include "fuseq/model.hpp"

namespace fuseq::cpu {
namespace {

// The chain that begins at %x, with constants to choose from; `lines` end in %y.
std::string chain_of(const std::string& lines, const std::string& shape = "1,2,4,4") {
    const auto model = Model::from_text("model \"m\"\n%x = Parameter : f32[" + shape +
                                        "]\n%t = Parameter : f32[" + shape +
                                        R"(]
    %gate = Parameter : f32[1,2,1,1]
    %one = Const value={4} : f32[1]
    %two = Const value={4,-2} : f32[1,2,1,1]
    %zero = Const value={4,0} : f32[1,2,1,1]
    %last = Const value={1,2,3,4} : f32[4]
)" + lines + "\n%r = Result(%y)\n");
    const Grouping grouping = attach_post_ops(*model, true);
    for (const Group& group : grouping.groups) {
        if (group.result.node->name() == "y") {
            return to_text(group);
        }
    }
    return "none";
}

TEST(LowerNode, ArithmeticWithConstants) {
    EXPECT_EQ(chain_of("%y = Add(%x, %one)"), "x | shift(4) -> f32");
    EXPECT_EQ(chain_of("%y = Add(%two, %x)"), "x | shift(per_oc:2) -> f32");
    EXPECT_EQ(chain_of("%y = Subtract(%x, %one)"), "x | shift(-4) -> f32");
    EXPECT_EQ(chain_of("%y = Subtract(%one, %x)"), "x | scale(-1) shift(4) -> f32");
    EXPECT_EQ(chain_of("%y = Multiply(%x, %two)"), "x | scale(per_oc:2) -> f32");
    EXPECT_EQ(chain_of("%y = Divide(%x, %one)"), "x | scale(0.25) -> f32");
    EXPECT_EQ(chain_of("%y = Divide(%one, %x)"), "none");
    EXPECT_EQ(chain_of("%y = Divide(%x, %zero)"), "none");
    EXPECT_EQ(chain_of("%y = Maximum(%x, %two)"), "x | clip(per_oc:2,inf) -> f32");
    EXPECT_EQ(chain_of("%y = Minimum(%x, %one)"), "x | clip(-inf,4) -> f32");
    EXPECT_EQ(chain_of("%a = Add(%x, %two)\n%y = Add(%a, %one)"),
              "x | shift(per_oc:2) shift(4) -> f32");
}

// Constants of one chain vary along one axis.
TEST(LowerNode, ConstantsOfAnotherAxisBeginAnotherChain) {
    EXPECT_EQ(chain_of("%a = Add(%x, %two)\n%y = Add(%a, %last)"), "a | shift(per_oc:4) -> f32");
}

TEST(LowerNode, Activations) {
    EXPECT_EQ(chain_of("%y = ReLU(%x)"), "x | relu -> f32");
    EXPECT_EQ(chain_of("%y = Clamp(%x) min=-1 max=6"), "x | clip(-1,6) -> f32");
    EXPECT_EQ(chain_of("%y = Tanh(%x)"), "x | tanh -> f32");
    EXPECT_EQ(chain_of("%y = Elu(%x) alpha=0.5"), "x | elu(0.5) -> f32");
    EXPECT_EQ(chain_of("%y = Swish(%x)"), "x | swish(1) -> f32");
    EXPECT_EQ(chain_of("%y = PReLU(%x, %one)"), "x | relu(4) -> f32");
    EXPECT_EQ(chain_of("%y = PReLU(%x, %two)"), "x | prelu(per_oc:2) -> f32");
    EXPECT_EQ(chain_of("%y = PReLU(%x, %last)"), "none");
    EXPECT_EQ(chain_of("%a = Const value={0.2} : f32[]\n%b = Const value={0.5} : f32[]\n"
                       "%y = HardSigmoid(%x, %a, %b)"),
              "x | scale(0.2) shift(0.5) clip(0,1) -> f32");
    EXPECT_EQ(chain_of("%n = Const value={2} : f32[]\n%y = Power(%x, %n)"), "x | square -> f32");
    EXPECT_EQ(chain_of("%n = Const value={3} : f32[]\n%y = Power(%x, %n)"),
              "x | power(1,3) -> f32");
}

TEST(LowerNode, SecondTensors) {
    EXPECT_EQ(chain_of("%y = Add(%x, %t)"), "x | add(#0 f32) -> f32");
    EXPECT_EQ(chain_of("%y = Subtract(%x, %t)"), "x | add(#0 f32 *-1) -> f32");
    EXPECT_EQ(chain_of("%y = Maximum(%x, %t)"), "x | max(#0 f32) -> f32");
    EXPECT_EQ(chain_of("%y = Multiply(%x, %gate)"), "x | mul(#0 f32 per_plane) -> f32");
    EXPECT_EQ(chain_of("%y = Divide(%x, %t)"), "none");
}

TEST(LowerNode, FakeQuantize) {
    const std::string limits = "%l = Const value={0} : f32[]\n%h = Const value={25.5} : f32[]\n";
    EXPECT_EQ(chain_of(limits + "%y = FakeQuantize(%x, %l, %h, %l, %h) levels=256"),
              "x | scale(10) shift(0) round clip(0,255) scale(0.1) shift(0) -> f32");
    EXPECT_EQ(chain_of(limits + "%y = FakeQuantize(%x, %l, %l, %l, %h) levels=256"), "none");
}

}  // namespace
}  // namespace fuseq::cpu
