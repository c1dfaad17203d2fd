// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_layer_norm.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kHead = R"(model "m"
    %x = Parameter : f32[2,3,4]
    %axis = Const value={-1} : i64[1]
    %two = Const value={2} : f32[]
    %eps = Const value={0.001} : f32[]
    %m = ReduceMean(%x, %axis) keep_dims=true
)";

constexpr const char* kNorm = R"(model "m"
    %x = Parameter : f32[2,3,4]
    %axes = Const value={2} : i64[1]
    %y = MVN.6(%x, %axes) normalize_variance=true eps=0.001 eps_mode=INSIDE_SQRT
    %r = Result(%y))";

PassTest fused(const std::string& body) {
    return run_pass(fuse_layer_norm, kHead + body + "\n%r = Result(%y)");
}

TEST(FuseLayerNorm, FindsTheFormOfPytorch) {
    const PassTest test = fused(R"(
        %d = Subtract(%x, %m)
        %q = Power(%d, %two)
        %v = ReduceMean(%q, %axis) keep_dims=true
        %s = Add(%v, %eps)
        %t = Sqrt(%s)
        %y = Divide(%d, %t))");
    EXPECT_EQ(differs_from(test, kNorm), "");
    EXPECT_LT(largest_difference(test), 1e-5);
    EXPECT_EQ(test.after->find("y")->origins,
              (std::vector<std::string>{"y", "t", "s", "v", "d", "q", "m"}));
}

TEST(FuseLayerNorm, FindsOtherSpellings) {
    // Two equal differences, a product for the square, a power for the root.
    const PassTest twice = fused(R"(
        %d = Subtract(%x, %m)
        %e = Subtract(%x, %m)
        %q = Multiply(%e, %e)
        %v = ReduceMean(%q, %axis) keep_dims=true
        %s = Add(%eps, %v)
        %p = Const value={-0.5} : f32[]
        %t = Power(%s, %p)
        %y = Multiply(%t, %d))");
    EXPECT_EQ(differs_from(twice, kNorm), "");
    EXPECT_LT(largest_difference(twice), 1e-5);
    const PassTest outside = fused(R"(
        %d = Subtract(%x, %m)
        %q = Power(%d, %two)
        %v = ReduceMean(%q, %axis) keep_dims=true
        %t = Sqrt(%v)
        %s = Add(%t, %eps)
        %y = Divide(%d, %s))");
    ASSERT_EQ(outside.after->find_all("MVN").size(), 1u);
    EXPECT_LT(largest_difference(outside), 1e-5);
}

TEST(FuseLayerNorm, FindsTheFormOfTensorflow) {
    const PassTest test = fused(R"(
        %g = Const value={1,2,3,4} : f32[1,1,4]
        %b = Const value={0.5,0,-1,2} : f32[1,1,4]
        %q = SquaredDifference(%x, %m)
        %v = ReduceMean(%q, %axis) keep_dims=true
        %s = Add(%v, %eps)
        %p = Const value={-0.5} : f32[]
        %t = Power(%s, %p)
        %k = Multiply(%t, %g)
        %xk = Multiply(%x, %k)
        %mk = Multiply(%m, %k)
        %rest = Subtract(%b, %mk)
        %y = Add(%xk, %rest))");
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[2,3,4]
        %axes = Const value={2} : i64[1]
        %n = MVN.6(%x, %axes) normalize_variance=true eps=0.001 eps_mode=INSIDE_SQRT
        %g = Const value={1,2,3,4} : f32[1,1,4]
        %k = Multiply(%n, %g)
        %b = Const value={0.5,0,-1,2} : f32[1,1,4]
        %y = Add(%k, %b)
        %r = Result(%y))"),
              "");
    EXPECT_LT(largest_difference(test), 1e-5);
}

// The gain is a factor of the reciprocal.
TEST(FuseLayerNorm, FindsAGainBeforeTheDifference) {
    const PassTest test = fused(R"(
        %g = Const value={1,2,3,4} : f32[1,1,4]
        %d = Subtract(%x, %m)
        %q = Multiply(%d, %d)
        %v = ReduceMean(%q, %axis) keep_dims=true
        %s = Add(%v, %eps)
        %u = Sqrt(%s)
        %one = Const value={1} : f32[]
        %t = Divide(%one, %u)
        %k = Multiply(%t, %g)
        %y = Multiply(%d, %k))");
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[2,3,4]
        %axes = Const value={2} : i64[1]
        %n = MVN.6(%x, %axes) normalize_variance=true eps=0.001 eps_mode=INSIDE_SQRT
        %g = Const value={1,2,3,4} : f32[1,1,4]
        %y = Multiply(%n, %g)
        %r = Result(%y))"),
              "");
    EXPECT_LT(largest_difference(test), 1e-5);
}

TEST(FuseLayerNorm, LeavesWhatIsElse) {
    const auto changed = [](const std::string& square, const std::string& variance,
                            const std::string& sum = "%s = Add(%v, %eps)") {
        return fused("%d = Subtract(%x, %m)\n" + square + "\n" + variance + "\n" + sum +
                     "\n%t = Sqrt(%s)\n%y = Divide(%d, %t)")
            .changed;
    };
    const std::string square = "%q = Power(%d, %two)";
    const std::string variance = "%v = ReduceMean(%q, %axis) keep_dims=true";
    ASSERT_TRUE(changed(square, variance));
    // A third power; a mean over another axis; a sum; an eps below zero or none; x for its
    // difference.
    EXPECT_FALSE(changed("%n = Const value={3} : f32[]\n%q = Power(%d, %n)", variance));
    EXPECT_FALSE(changed(square,
                         "%o = Const value={1} : i64[1]\n"
                         "%v = ReduceMean(%q, %o) keep_dims=true"));
    EXPECT_FALSE(changed(square, "%v = ReduceSum(%q, %axis) keep_dims=true"));
    EXPECT_FALSE(changed(square, variance, "%n = Const value={-0.001} : f32[]\n%s = Add(%v, %n)"));
    EXPECT_FALSE(changed(square, variance, "%s = Abs(%v)"));
    EXPECT_FALSE(changed("%q = Power(%x, %two)", variance));
    EXPECT_FALSE(
        changed("%h = Add(%x, %eps)\n%e = Subtract(%h, %m)\n%q = Power(%e, %two)", variance));
}

// What stands in the middle may be read elsewhere.
TEST(FuseLayerNorm, KeepsWhatOthersRead) {
    const PassTest test = fused(R"(
        %d = Subtract(%x, %m)
        %q = Power(%d, %two)
        %v = ReduceMean(%q, %axis) keep_dims=true
        %s = Add(%v, %eps)
        %t = Sqrt(%s)
        %r2 = Result(%v)
        %y = Divide(%d, %t))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find_all("ReduceMean").size(), 2u);
    EXPECT_LT(largest_difference(test), 1e-5);
}

}  // namespace
}  // namespace fuseq::testing
