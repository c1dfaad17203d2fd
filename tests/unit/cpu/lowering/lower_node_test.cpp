// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What element-wise layers become in the chain of a group.
#include "cpu/lowering/lower_node.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cpu/plan/groups.hpp"
#include "fuseq/core.hpp"

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
    EXPECT_EQ(chain_of("%y = SoftSign(%x)"), "x | softsign -> f32");
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

// The activation that came last, in the step of a convolution: the device against the reference.
TEST(LowerNode, SoftSignIsPartOfAConvolution) {
    const auto model = Model::from_text(R"(model "m"
    %x = Parameter : f32[1,16,9,9]
    %l = Const value={-2} : f32[]
    %h = Const value={1.984375} : f32[]
    %q = FakeQuantize(%x, %l, %h, %l, %h) levels=256
    %w = Const value=random(5,-127,127) : i8[32,16,3,3]
    %wf = Convert(%w) destination_type=f32
    %s = Const value={0.0078125} : f32[]
    %wd = Multiply(%wf, %s)
    %c = Convolution(%q, %wd) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %k = Const value={0.125} : f32[]
    %m = Multiply(%c, %k)
    %y = SoftSign(%m)
    %ol = Const value={-1} : f32[]
    %oh = Const value={0.9921875} : f32[]
    %o = FakeQuantize(%y, %ol, %oh, %ol, %oh) levels=256
    %r = Result(%o)
)");
    Core core;
    const auto infer = [&](const char* device) {
        InferRequest request = core.compile_model(model, device).create_infer_request();
        Tensor x(ElementType::f32, model->inputs()[0].shape());
        for (std::size_t i = 0; i < x.get_size(); ++i) {
            x.data<float>()[i] = static_cast<float>(i * 7919 % 513) / 128.0f - 2.0f;
        }
        request.set_input_tensor(x);
        request.infer();
        return request.get_output_tensor();
    };
    const Tensor want = infer("REFERENCE");
    const Tensor got = infer("CPU");
    std::size_t other = 0;
    for (std::size_t i = 0; i < want.get_size(); ++i) {
        const float difference = std::abs(got.data<float>()[i] - want.data<float>()[i]);
        ASSERT_LE(difference, 1.0f / 128) << i;  // a step: a tie may fall to either side
        other += difference == 0.0f ? 0 : 1;
    }
    EXPECT_LT(other, want.get_size() / 200);
}

}  // namespace
}  // namespace fuseq::cpu
