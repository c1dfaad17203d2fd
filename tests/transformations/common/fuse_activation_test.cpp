// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_activation.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kHead = R"(model "m"
    %x = Parameter : f32[2,3,2,2]
    %three = Const value={3} : f32[1,1,1,1]
    %six = Const value={6} : f32[]
    %one = Const value={1} : f32[1]
    %half = Const value={0.5} : f32[]
)";

std::string model(const std::string& body) {
    return kHead + body + "\n%r = Result(%y)";
}

std::string single(const std::string& line) {
    return "model \"m\"\n%x = Parameter : f32[2,3,2,2]\n" + line + "\n%r = Result(%y)";
}

PassTest fused(const std::string& body) {
    return run_pass(fuse_activation, model(body));
}

TEST(FuseActivation, FindsSwish) {
    for (const char* product : {"%y = Multiply(%x, %s)", "%y = Multiply(%s, %x)"}) {
        const PassTest test = fused(std::string("%s = Sigmoid(%x)\n") + product);
        EXPECT_EQ(differs_from(test, single("%y = Swish(%x)")), "");
        EXPECT_EQ(test.after->find("y")->origins, (std::vector<std::string>{"y", "s"}));
        EXPECT_LT(largest_difference(test), 1e-6);
    }
    const PassTest beta = fused(R"(
        %m = Multiply(%x, %three)
        %s = Sigmoid(%m)
        %y = Multiply(%x, %s))");
    EXPECT_EQ(differs_from(beta, single("%b = Const value={3} : f32[]\n%y = Swish(%x, %b)")), "");
    EXPECT_LT(largest_difference(beta), 1e-6);
}

TEST(FuseActivation, FindsMish) {
    const PassTest test = fused(R"(
        %s = SoftPlus(%x)
        %t = Tanh(%s)
        %y = Multiply(%x, %t))");
    EXPECT_EQ(differs_from(test, single("%y = Mish(%x)")), "");
    EXPECT_LT(largest_difference(test), 1e-6);
    const PassTest log = fused(R"(
        %e = Exp(%x)
        %p = Add(%e, %one)
        %s = Log(%p)
        %t = Tanh(%s)
        %y = Multiply(%x, %t))");
    EXPECT_EQ(differs_from(log, single("%y = Mish(%x)")), "");
}

TEST(FuseActivation, FindsHswishAndHsigmoid) {
    const std::string clamp = "%p = Add(%x, %three)\n%c = Clamp(%p) min=0 max=6\n";
    const PassTest divided = fused(clamp + "%q = Multiply(%x, %c)\n%y = Divide(%q, %six)");
    EXPECT_EQ(differs_from(divided, single("%y = HSwish(%x)")), "");
    EXPECT_LT(largest_difference(divided), 1e-6);
    const PassTest first = fused(clamp + "%d = Divide(%c, %six)\n%y = Multiply(%d, %x)");
    EXPECT_EQ(differs_from(first, single("%y = HSwish(%x)")), "");
    const PassTest sigmoid = fused(clamp + "%y = Divide(%c, %six)");
    EXPECT_EQ(differs_from(sigmoid, single("%y = HSigmoid(%x)")), "");
    EXPECT_LT(largest_difference(sigmoid), 1e-6);
    const PassTest gate = fused("%h = HSigmoid(%x)\n%y = Multiply(%x, %h)");
    EXPECT_EQ(differs_from(gate, single("%y = HSwish(%x)")), "");
    const PassTest hard = fused(
        "%a = Const value={0.16666667} : f32[]\n%h = HardSigmoid(%x, %a, %half)\n"
        "%y = Multiply(%x, %h)");
    EXPECT_EQ(differs_from(hard, single("%y = HSwish(%x)")), "");
}

// One sixth as f16 has it: what is missing stays a factor.
TEST(FuseActivation, KeepsTheRestOfAFactor) {
    const PassTest test = fused(R"(
        %sixth = Const value={0.16662598} : f32[]
        %p = Add(%x, %three)
        %c = Clamp(%p) min=0 max=6
        %q = Multiply(%x, %c)
        %y = Multiply(%q, %sixth))");
    EXPECT_EQ(test.after->find_all("HSwish").size(), 1u);
    EXPECT_EQ(test.after->find_all("Multiply").size(), 1u);
    EXPECT_LT(largest_difference(test), 1e-6);
}

TEST(FuseActivation, FindsGelu) {
    const PassTest exact = fused(R"(
        %root = Const value={1.41421356} : f32[]
        %d = Divide(%x, %root)
        %e = Erf(%d)
        %p = Add(%e, %one)
        %m = Multiply(%x, %p)
        %y = Multiply(%m, %half))");
    EXPECT_EQ(differs_from(exact, single("%y = Gelu.7(%x)")), "");
    EXPECT_LT(largest_difference(exact), 1e-6);
    // The root as f16 has it.
    const PassTest rounded = fused(R"(
        %root = Const value={1.4140625} : f32[]
        %d = Divide(%x, %root)
        %e = Erf(%d)
        %p = Add(%e, %one)
        %h = Multiply(%half, %x)
        %y = Multiply(%h, %p))");
    EXPECT_EQ(rounded.after->find_all("Gelu").size(), 1u);
    EXPECT_EQ(rounded.after->find_all("Multiply").size(), 2u);
    EXPECT_LT(largest_difference(rounded), 1e-6);
    const PassTest tanh = fused(R"(
        %b = Const value={0.044715} : f32[]
        %a = Const value={0.79788456} : f32[]
        %q = Power(%x, %three)
        %c = Multiply(%q, %b)
        %u = Add(%x, %c)
        %v = Multiply(%u, %a)
        %t = Tanh(%v)
        %p = Add(%t, %one)
        %h = Multiply(%p, %half)
        %y = Multiply(%h, %x))");
    EXPECT_EQ(differs_from(tanh, single("%y = Gelu.7(%x) approximation_mode=TANH")), "");
    EXPECT_LT(largest_difference(tanh), 1e-6);
}

// Spellings of the clamp.
TEST(FuseActivation, FindsHswishOfLimits) {
    const std::string sum = "%p = Add(%x, %three)\n%zero = Const value={0} : f32[]\n";
    const std::string end = "\n%q = Multiply(%x, %c)\n%y = Divide(%q, %six)";
    for (const char* clamp :
         {"%m = ReLU(%p)\n%c = Minimum(%m, %six)", "%m = Minimum(%p, %six)\n%c = ReLU(%m)",
          "%m = Maximum(%p, %zero)\n%c = Minimum(%six, %m)",
          "%m = Minimum(%six, %p)\n%c = Maximum(%m, %zero)"}) {
        const PassTest test = fused(sum + clamp + end);
        EXPECT_EQ(differs_from(test, single("%y = HSwish(%x)")), "") << clamp;
        EXPECT_LT(largest_difference(test), 1e-6);
    }
    // clamp(x / 6 + 1 / 2, 0, 1)
    const PassTest small = fused(
        "%d = Divide(%x, %six)\n%p = Add(%d, %half)\n%c = Clamp(%p) min=0 max=1\n"
        "%y = Multiply(%c, %x)");
    EXPECT_EQ(differs_from(small, single("%y = HSwish(%x)")), "");
    EXPECT_LT(largest_difference(small), 1e-6);
    // A HardSigmoid of x / 6 and its own 1 / 2.
    const PassTest hard =
        fused("%d = Divide(%x, %six)\n%c = HardSigmoid(%d, %one, %half)\n%y = Multiply(%c, %x)");
    EXPECT_EQ(differs_from(hard, single("%y = HSwish(%x)")), "");
}

// A sum below the clamp that is x itself.
TEST(FuseActivation, FindsHsigmoidOfASum) {
    const PassTest test = fused(
        "%a = Add(%x, %half)\n%p = Add(%a, %three)\n%c = Clamp(%p) min=0 max=6\n"
        "%y = Divide(%c, %six)");
    EXPECT_EQ(test.after->find("y")->type(), "HSigmoid");
    EXPECT_EQ(test.after->find("y")->input_node(0)->name(), "a");
    EXPECT_LT(largest_difference(test), 1e-6);
}

// 1 + erf multiplied by a half, and the cubic in other orders.
TEST(FuseActivation, FindsGeluInOtherOrders) {
    const PassTest inner = fused(R"(
        %root = Const value={0.70710678} : f32[]
        %d = Multiply(%root, %x)
        %e = Erf(%d)
        %m = Multiply(%e, %half)
        %p = Add(%half, %m)
        %y = Multiply(%p, %x))");
    EXPECT_EQ(differs_from(inner, single("%y = Gelu.7(%x)")), "");
    EXPECT_LT(largest_difference(inner), 1e-6);
    const std::string constants = R"(
        %b = Const value={0.044715} : f32[]
        %a = Const value={0.79788456} : f32[]
        %ab = Const value={0.035677407} : f32[]
        %two = Const value={2} : f32[]
    )";
    const std::string end =
        "\n%t = Tanh(%v)\n%p = Add(%t, %one)\n%h = Multiply(%x, %half)\n"
        "%y = Multiply(%h, %p)";
    for (const char* cubic :
         {"%s = Multiply(%x, %x)\n%q = Multiply(%s, %x)\n%c = Multiply(%q, %b)\n"
          "%u = Add(%x, %c)\n%v = Multiply(%u, %a)",
          // FastGelu: x * a * (1 + b * x * x)
          "%xb = Multiply(%x, %b)\n%s = Multiply(%xb, %x)\n%o = Add(%one, %s)\n"
          "%xa = Multiply(%x, %a)\n%v = Multiply(%xa, %o)",
          "%s = Power(%x, %two)\n%q = Multiply(%x, %s)\n%c = Multiply(%q, %ab)\n"
          "%xa = Multiply(%x, %a)\n%v = Add(%c, %xa)"}) {
        const PassTest test = fused(constants + cubic + end);
        EXPECT_EQ(differs_from(test, single("%y = Gelu.7(%x) approximation_mode=TANH")), "")
            << cubic;
        EXPECT_LT(largest_difference(test), 1e-6);
    }
}

// Numbers as f16 has them mean the same; others do not.
TEST(FuseActivation, TakesNumbersOfGeluRoundedToF16) {
    const auto gelu = [](const std::string& a, const std::string& b) {
        return fused("%b = Const value={" + b + "} : f32[]\n%a = Const value={" + a + R"(} : f32[]
        %q = Power(%x, %three)
        %c = Multiply(%q, %b)
        %u = Add(%x, %c)
        %v = Multiply(%u, %a)
        %t = Tanh(%v)
        %p = Add(%t, %one)
        %h = Multiply(%p, %half)
        %y = Multiply(%h, %x))");
    };
    const PassTest half = gelu("0.7978515625", "0.04470825195");
    EXPECT_EQ(half.after->find("y")->type(), "Gelu");
    EXPECT_LT(largest_difference(half), 2e-5);
    EXPECT_FALSE(gelu("0.7978", "0.044715").changed);
    EXPECT_FALSE(gelu("0.79788456", "0.0448").changed);
}

// A gate after the activation: the inner product is one, the outer stays.
TEST(FuseActivation, TriesInnerProducts) {
    const PassTest test = run_pass(fuse_activation, R"(model "m"
        %x = Parameter : f32[2,3,2,2]
        %g = Parameter : f32[2,3,1,1]
        %s = Sigmoid(%x)
        %a = Multiply(%x, %s)
        %y = Multiply(%a, %g)
        %r = Result(%y))");
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[2,3,2,2]
        %g = Parameter : f32[2,3,1,1]
        %a = Swish(%x)
        %y = Multiply(%a, %g)
        %r = Result(%y))"),
              "");
}

TEST(FuseActivation, LeavesWhatIsElse) {
    const auto changed = [](const std::string& body) { return fused(body).changed; };
    // Of another tensor; other constants; x on no side; a quotient.
    EXPECT_FALSE(changed("%n = Abs(%x)\n%s = Sigmoid(%n)\n%y = Multiply(%x, %s)"));
    EXPECT_FALSE(
        changed("%p = Add(%x, %three)\n%c = Clamp(%p) min=0 max=5\n"
                "%y = Multiply(%x, %c)"));
    EXPECT_FALSE(
        changed("%p = Add(%x, %half)\n%c = Clamp(%p) min=0 max=6\n"
                "%y = Multiply(%x, %c)"));
    EXPECT_FALSE(
        changed("%p = Add(%x, %three)\n%c = Clamp(%p) min=0 max=6\n"
                "%y = Multiply(%c, %half)"));
    EXPECT_FALSE(changed("%y = Multiply(%x, %x)"));
    EXPECT_FALSE(changed("%s = Sigmoid(%x)\n%y = Divide(%x, %s)"));
    EXPECT_FALSE(changed("%s = Sigmoid(%x)\n%y = Divide(%s, %x)"));
    // The sigmoid is read elsewhere too.
    EXPECT_FALSE(changed("%s = Sigmoid(%x)\n%r2 = Result(%s)\n%y = Multiply(%x, %s)"));
    // A constant enlarges the shape.
    EXPECT_FALSE(
        changed("%big = Const value={2} : f32[1,1,1,1,1]\n%s = Sigmoid(%x)\n"
                "%a = Multiply(%x, %s)\n%y = Multiply(%a, %big)\n%z = Multiply(%s, %s)\n"
                "%r2 = Result(%z)"));
}

}  // namespace
}  // namespace fuseq::testing
