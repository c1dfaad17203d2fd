// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_rms_norm.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kHead = R"(model "m"
    %x = Parameter : f32[2,3,4]
    %axis = Const value={-1} : i64[1]
    %one = Const value={1} : f32[]
    %two = Const value={2} : f32[]
    %half = Const value={-0.5} : f32[]
    %eps = Const value={0.001} : f32[]
    %g = Const value={1,2,3,4} : f32[4]
)";

const std::string kMean = R"(
    %q = Power(%x, %two)
    %v = ReduceMean(%q, %axis) keep_dims=true
    %s = Add(%v, %eps)
)";

constexpr const char* kNorm = R"(model "m"
    %x = Parameter : f32[2,3,4]
    %axes = Const value={2} : i64[1]
    %y = MVN.6(%x, %axes) normalize_variance=true eps=0.001 eps_mode=INSIDE_SQRT keep_mean=true
    %r = Result(%y))";

PassTest fused(const std::string& body) {
    return run_pass(fuse_rms_norm, kHead + body + "\n%r = Result(%y)");
}

TEST(FuseRmsNorm, FindsAQuotient) {
    const PassTest test = fused(kMean + "%t = Sqrt(%s)\n%y = Divide(%x, %t)");
    EXPECT_EQ(differs_from(test, kNorm), "");
    EXPECT_LT(largest_difference(test), 1e-5);
    EXPECT_EQ(test.after->find("y")->origins, (std::vector<std::string>{"y", "t", "s", "v", "q"}));
}

TEST(FuseRmsNorm, FindsReciprocals) {
    for (const char* end : {"%t = Power(%s, %half)\n%y = Multiply(%x, %t)",
                            "%u = Sqrt(%s)\n%t = Divide(%one, %u)\n%y = Multiply(%t, %x)",
                            "%u = Sqrt(%s)\n%n = Const value={-1} : f32[]\n%t = Power(%u, %n)\n"
                            "%y = Multiply(%t, %x)"}) {
        const PassTest test = fused(kMean + end);
        EXPECT_EQ(differs_from(test, kNorm), "") << end;
        EXPECT_LT(largest_difference(test), 1e-5);
    }
}

TEST(FuseRmsNorm, FindsAProductForTheSquareAndEpsOutside) {
    const PassTest test = fused(R"(
        %q = Multiply(%x, %x)
        %v = ReduceMean(%q, %axis) keep_dims=true
        %u = Sqrt(%v)
        %s = Add(%u, %eps)
        %y = Divide(%x, %s))");
    ASSERT_EQ(test.after->find_all("MVN").size(), 1u);
    EXPECT_LT(largest_difference(test), 1e-5);
}

// The gain may be a factor of the norm or of its reciprocal.
TEST(FuseRmsNorm, KeepsTheGain) {
    const char* expected = R"(model "m"
        %x = Parameter : f32[2,3,4]
        %axes = Const value={2} : i64[1]
        %n = MVN.6(%x, %axes) normalize_variance=true eps=0.001 eps_mode=INSIDE_SQRT keep_mean=true
        %g = Const value={1,2,3,4} : f32[4]
        %y = Multiply(%n, %g)
        %r = Result(%y))";
    const std::string root = kMean + "%t = Power(%s, %half)\n";
    const PassTest first = fused(root + "%m = Multiply(%t, %g)\n%y = Multiply(%x, %m)");
    EXPECT_EQ(differs_from(first, expected), "");
    EXPECT_LT(largest_difference(first), 1e-5);
    const PassTest after = fused(root + "%m = Multiply(%x, %t)\n%y = Multiply(%m, %g)");
    EXPECT_EQ(differs_from(after, expected), "");
}

TEST(FuseRmsNorm, RefusesInnerAxes) {
    const PassTest test = fused(R"(
        %a = Const value={1} : i64[1]
        %q = Power(%x, %two)
        %v = ReduceMean(%q, %a) keep_dims=true
        %s = Add(%v, %eps)
        %t = Sqrt(%s)
        %y = Divide(%x, %t))");
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "y"), ::testing::StartsWith("inner_axes"));
}

TEST(FuseRmsNorm, LeavesWhatIsElse) {
    const std::string end = "\n%t = Sqrt(%s)\n%y = Divide(%x, %t)";
    // Another power, a sum, no eps, another numerator, a mean that drops its axis.
    EXPECT_FALSE(fused("%n = Const value={3} : f32[]\n%q = Power(%x, %n)\n"
                       "%v = ReduceMean(%q, %axis) keep_dims=true\n%s = Add(%v, %eps)" +
                       end)
                     .changed);
    EXPECT_FALSE(fused("%q = Power(%x, %two)\n%v = ReduceSum(%q, %axis) keep_dims=true\n"
                       "%s = Add(%v, %eps)" +
                       end)
                     .changed);
    EXPECT_FALSE(fused("%q = Power(%x, %two)\n%v = ReduceMean(%q, %axis) keep_dims=true\n"
                       "%s = Abs(%v)" +
                       end)
                     .changed);
    EXPECT_FALSE(fused(kMean + "%t = Sqrt(%s)\n%z = Abs(%x)\n%y = Divide(%z, %t)").changed);
    EXPECT_FALSE(fused(R"(
        %a = Const value={0} : i64[1]
        %q = Power(%x, %two)
        %v = ReduceMean(%q, %a) keep_dims=false
        %s = Add(%v, %eps))" +
                       end)
                     .changed);
}

// What stands in the middle may be read elsewhere.
TEST(FuseRmsNorm, KeepsWhatOthersRead) {
    const PassTest test = fused(kMean + "%r2 = Result(%v)\n%t = Sqrt(%s)\n%y = Divide(%x, %t)");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find_all("ReduceMean").size(), 1u);
    EXPECT_LT(largest_difference(test), 1e-5);
}

}  // namespace
}  // namespace fuseq::testing
