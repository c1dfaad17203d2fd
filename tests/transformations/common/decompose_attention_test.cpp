// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/decompose_attention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kHead = R"(model "m"
    %q = Parameter : f32[2,2,3,4]
    %k = Parameter : f32[2,2,5,4]
    %v = Parameter : f32[2,2,5,6]
)";

PassTest decomposed(const std::string& body) {
    return run_pass(decompose_attention, kHead + body + "\n%r = Result(%y)");
}

TEST(DecomposeAttention, ScalesAfterTheProduct) {
    const PassTest test = decomposed("%y = ScaledDotProductAttention.13(%q, %k, %v) causal=false");
    EXPECT_EQ(differs_from(test, std::string(kHead) + R"(
        %p = MatMul(%q, %k) transpose_b=true
        %s = Const value={0.5} : f32[]
        %m = Multiply(%p, %s)
        %e = SoftMax.8(%m) axis=-1
        %y = MatMul(%e, %v)
        %r = Result(%y))"),
              "");
    EXPECT_LT(largest_difference(test), 1e-5);
    EXPECT_EQ(test.after->find("y/scores")->origins, (std::vector<std::string>{"y"}));
    EXPECT_EQ(test.after->results()[0]->input_node(0)->name(), "y");
}

TEST(DecomposeAttention, TakesAScaleAndAMask) {
    const PassTest test = decomposed(R"(
        %mask = Parameter : f32[2,1,1,5]
        %scale = Parameter : f32[1]
        %y = ScaledDotProductAttention.13(%q, %k, %v, %mask, %scale) causal=false)");
    EXPECT_EQ(differs_from(test, std::string(kHead) + R"(
        %mask = Parameter : f32[2,1,1,5]
        %scale = Parameter : f32[1]
        %p = MatMul(%q, %k) transpose_b=true
        %m = Multiply(%p, %scale)
        %a = Add(%m, %mask)
        %e = SoftMax.8(%a) axis=-1
        %y = MatMul(%e, %v)
        %r = Result(%y))"),
              "");
    EXPECT_LT(largest_difference(test), 1e-5);
}

TEST(DecomposeAttention, LeavesOutWhatDoesNothing) {
    const PassTest test = decomposed(R"(
        %mask = Const value={0} : f32[]
        %scale = Const value={1} : f32[]
        %y = ScaledDotProductAttention.13(%q, %k, %v, %mask, %scale) causal=false)");
    EXPECT_TRUE(test.after->find_all("Add").empty());
    EXPECT_TRUE(test.after->find_all("Multiply").empty());
    EXPECT_LT(largest_difference(test), 1e-5);
    // A mask of zeros that makes one query two.
    const PassTest wider = run_pass(decompose_attention, R"(model "m"
        %q = Parameter : f32[1,4]
        %k = Parameter : f32[5,4]
        %v = Parameter : f32[5,6]
        %mask = Const value={0,0} : f32[2,1]
        %y = ScaledDotProductAttention.13(%q, %k, %v, %mask) causal=false
        %r = Result(%y))");
    EXPECT_EQ(wider.after->find_all("Add").size(), 1u);
    EXPECT_LT(largest_difference(wider), 1e-5);
}

TEST(DecomposeAttention, MakesMasksOfBooleans) {
    const PassTest open = decomposed(R"(
        %mask = Parameter : boolean[2,1,3,5]
        %y = ScaledDotProductAttention.13(%q, %k, %v, %mask) causal=false)");
    EXPECT_EQ(differs_from(open, std::string(kHead) + R"(
        %mask = Parameter : boolean[2,1,3,5]
        %p = MatMul(%q, %k) transpose_b=true
        %s = Const value={0.5} : f32[]
        %m = Multiply(%p, %s)
        %seen = Const value={0} : f32[]
        %hidden = Const value={-inf} : f32[]
        %select = Select(%mask, %seen, %hidden)
        %a = Add(%m, %select)
        %e = SoftMax.8(%a) axis=-1
        %y = MatMul(%e, %v)
        %r = Result(%y))"),
              "");
    const PassTest known = decomposed(R"(
        %mask = Const value={1,0,1,1,0} : boolean[1,5]
        %y = ScaledDotProductAttention.13(%q, %k, %v, %mask) causal=false)");
    ASSERT_EQ(known.after->find_all("Add").size(), 1u);
    EXPECT_EQ(to_floats(known.after->find_all("Add")[0]->input_node(1)->constant()),
              (std::vector<float>{0, -INFINITY, 0, 0, -INFINITY}));
    EXPECT_LT(largest_difference(known), 1e-5);
    // Nothing is hidden.
    const PassTest none = decomposed(R"(
        %mask = Const value={1,1,1,1,1} : boolean[1,5]
        %y = ScaledDotProductAttention.13(%q, %k, %v, %mask) causal=false)");
    EXPECT_TRUE(none.after->find_all("Add").empty());
}

TEST(DecomposeAttention, MakesOneMaskForAll) {
    const PassTest test = decomposed(R"(
        %w = Parameter : f32[2,2,5,6]
        %mask = Parameter : boolean[1,5]
        %a = ScaledDotProductAttention.13(%q, %k, %v, %mask) causal=false
        %b = ScaledDotProductAttention.13(%q, %k, %w, %mask) causal=false
        %c = ScaledDotProductAttention.13(%q, %k, %v) causal=true
        %d = ScaledDotProductAttention.13(%q, %k, %w) causal=true
        %y = Concat(%a, %b, %c, %d) axis=0)");
    EXPECT_EQ(test.after->find_all("Select").size(), 1u);
    const auto adds = test.after->find_all("Add");
    ASSERT_EQ(adds.size(), 4u);
    EXPECT_EQ(adds[2]->input(1), adds[3]->input(1));
    EXPECT_EQ(to_floats(adds[2]->input_node(1)->constant()),
              (std::vector<float>{0, -INFINITY, -INFINITY, -INFINITY, -INFINITY,  //
                                  0, 0, -INFINITY, -INFINITY, -INFINITY,          //
                                  0, 0, 0, -INFINITY, -INFINITY}));
}

TEST(DecomposeAttention, IgnoresTheMaskOfACausalOne) {
    const PassTest test = decomposed(R"(
        %mask = Parameter : f32[3,5]
        %y = ScaledDotProductAttention.13(%q, %k, %v, %mask) causal=true)");
    EXPECT_LT(largest_difference(test), 1e-5);
    EXPECT_TRUE(test.after->find("mask")->users().empty());
}

TEST(DecomposeAttention, RefusesOpenShapes) {
    const auto refusal = [](const std::string& q, const std::string& rest) {
        const PassTest test = run_pass(decompose_attention, "model \"m\"\n%q = Parameter : " + q +
                                                                R"(
            %k = Parameter : f32[1,5,4]
            %v = Parameter : f32[1,5,6]
            )" + rest + "\n%r = Result(%y)");
        return refusal_at(test.context, "y");
    };
    using ::testing::StartsWith;
    EXPECT_THAT(refusal("f32[1,3,?]", "%y = ScaledDotProductAttention.13(%q, %k, %v) causal=false"),
                StartsWith("open_shape: the width of the query"));
    EXPECT_THAT(refusal("f32[1,?,4]", "%y = ScaledDotProductAttention.13(%q, %k, %v) causal=true"),
                StartsWith("open_shape: the number of queries or keys"));
    EXPECT_THAT(refusal("f32[1,3,4]",
                        "%m = Parameter : f32[...]\n%y = "
                        "ScaledDotProductAttention.13(%q, %k, %v, %m) causal=false"),
                StartsWith("open_shape: the rank of the mask"));
    // Lengths alone may be open where nothing follows from them.
    EXPECT_EQ(refusal("f32[1,?,4]", "%y = ScaledDotProductAttention.13(%q, %k, %v) causal=false"),
              "");
}

}  // namespace
}  // namespace fuseq::testing
