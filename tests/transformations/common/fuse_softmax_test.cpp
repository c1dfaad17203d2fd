// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_softmax.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kHead = R"(model "m"
    %x = Parameter : f32[2,3,4]
    %axis = Const value={-1} : i64[1]
    %other = Const value={1} : i64[1]
    %one = Const value={1} : f32[]
)";

const std::string kShifted = R"(
    %m = ReduceMax(%x, %axis) keep_dims=true
    %d = Subtract(%x, %m)
    %e = Exp(%d)
)";

constexpr const char* kSoftmax = R"(model "m"
    %x = Parameter : f32[2,3,4]
    %y = SoftMax.8(%x) axis=2
    %r = Result(%y))";

PassTest fused(const std::string& body) {
    return run_pass(fuse_softmax, kHead + body + "\n%r = Result(%y)");
}

TEST(FuseSoftmax, FindsAQuotient) {
    const PassTest test =
        fused(kShifted + "%s = ReduceSum(%e, %axis) keep_dims=true\n%y = Divide(%e, %s)");
    EXPECT_EQ(differs_from(test, kSoftmax), "");
    EXPECT_LT(largest_difference(test), 1e-6);
    EXPECT_EQ(test.after->find("y")->origins, (std::vector<std::string>{"y", "e", "s", "d", "m"}));
}

TEST(FuseSoftmax, FindsReciprocals) {
    for (const char* end : {"%t = Divide(%one, %s)\n%y = Multiply(%e, %t)",
                            "%n = Const value={-1} : f32[]\n%t = Power(%s, %n)\n"
                            "%y = Multiply(%t, %e)"}) {
        const PassTest test = fused(kShifted + "%s = ReduceSum(%e, %axis) keep_dims=true\n" + end);
        EXPECT_EQ(differs_from(test, kSoftmax), "") << end;
        EXPECT_LT(largest_difference(test), 1e-6);
    }
}

TEST(FuseSoftmax, NeedsNoMaximum) {
    const PassTest test =
        fused("%e = Exp(%x)\n%s = ReduceSum(%e, %axis) keep_dims=true\n%y = Divide(%e, %s)");
    EXPECT_EQ(differs_from(test, kSoftmax), "");
    EXPECT_LT(largest_difference(test), 1e-6);
    // A maximum over another axis is just something that is subtracted.
    const PassTest other = fused(R"(
        %m = ReduceMax(%x, %other) keep_dims=true
        %d = Subtract(%x, %m)
        %e = Exp(%d)
        %s = ReduceSum(%e, %axis) keep_dims=true
        %y = Divide(%e, %s))");
    EXPECT_EQ(other.after->find_all("SoftMax").size(), 1u);
    EXPECT_EQ(other.after->find_all("ReduceMax").size(), 1u);
    EXPECT_LT(largest_difference(other), 1e-6);
}

TEST(FuseSoftmax, LeavesWhatIsElse) {
    const auto changed = [](const std::string& sum, const std::string& quotient) {
        return fused(kShifted + sum + "\n" + quotient).changed;
    };
    const std::string sum = "%s = ReduceSum(%e, %axis) keep_dims=true";
    const std::string quotient = "%y = Divide(%e, %s)";
    ASSERT_TRUE(changed(sum, quotient));
    EXPECT_FALSE(
        changed("%a = Const value={1,2} : i64[2]\n"
                "%s = ReduceSum(%e, %a) keep_dims=true",
                quotient));
    EXPECT_FALSE(
        changed("%a = Const value={0} : i64[1]\n"
                "%s = ReduceSum(%e, %a) keep_dims=false",
                quotient));
    EXPECT_FALSE(changed("%s = ReduceMean(%e, %axis) keep_dims=true", quotient));
    EXPECT_FALSE(changed(sum, "%f = Exp(%x)\n%y = Divide(%f, %s)"));
    EXPECT_FALSE(changed(sum, "%y = Divide(%s, %e)"));
    EXPECT_FALSE(changed(sum, "%y = Multiply(%e, %s)"));
}

}  // namespace
}  // namespace fuseq::testing
