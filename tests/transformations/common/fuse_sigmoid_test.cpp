// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fuse_sigmoid.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/common/fuse_activation.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kHead = R"(model "m"
    %x = Parameter : f32[2,3]
    %one = Const value={1} : f32[]
    %two = Const value={2} : f32[]
)";

PassTest fused(const std::string& body) {
    return run_pass(fuse_sigmoid, kHead + body + "\n%r = Result(%y)");
}

std::string single(const std::string& lines) {
    return "model \"m\"\n%x = Parameter : f32[2,3]\n" + lines + "\n%r = Result(%y)";
}

const std::string kSum = "%n = Negative(%x)\n%e = Exp(%n)\n%s = Add(%e, %one)\n";

TEST(FuseSigmoid, FindsReciprocals) {
    for (const char* end :
         {"%y = Divide(%one, %s)", "%m = Const value={-1} : f32[]\n%y = Power(%s, %m)"}) {
        const PassTest test = fused(kSum + end);
        EXPECT_EQ(differs_from(test, single("%y = Sigmoid(%x)")), "") << end;
        EXPECT_LT(largest_difference(test), 1e-6);
    }
    const PassTest affine = fused(R"(
        %minus = Const value={-2} : f32[]
        %m = Multiply(%x, %minus)
        %a = Add(%m, %one)
        %e = Exp(%a)
        %s = Add(%one, %e)
        %y = Divide(%one, %s))");
    EXPECT_EQ(differs_from(affine, single(R"(
        %b = Const value={2} : f32[]
        %m = Multiply(%x, %b)
        %c = Const value={-1} : f32[]
        %a = Add(%m, %c)
        %y = Sigmoid(%a))")),
              "");
    EXPECT_LT(largest_difference(affine), 1e-6);
}

TEST(FuseSigmoid, MakesAProductOfAQuotient) {
    const PassTest test = fused(kSum + "%y = Divide(%x, %s)");
    EXPECT_EQ(differs_from(test, single("%g = Sigmoid(%x)\n%y = Multiply(%x, %g)")), "");
    EXPECT_LT(largest_difference(test), 1e-6);
    PassContext context;
    EXPECT_TRUE(fuse_activation(*test.after, context));
    EXPECT_EQ(test.after->find_all("Swish").size(), 1u);
}

TEST(FuseSigmoid, LeavesWhatIsElse) {
    ASSERT_TRUE(fused(kSum + "%y = Divide(%x, %s)").changed);
    EXPECT_FALSE(fused(kSum + "%y = Divide(%s, %x)").changed);
    EXPECT_FALSE(fused(kSum + "%y = Power(%s, %two)").changed);
    EXPECT_FALSE(fused("%e = Exp(%x)\n%s = Add(%e, %two)\n%y = Divide(%x, %s)").changed);
    EXPECT_FALSE(fused(kSum + "%r2 = Result(%s)\n%y = Divide(%x, %s)").changed);
    EXPECT_FALSE(fused("%e = Abs(%x)\n%s = Add(%e, %one)\n%y = Divide(%x, %s)").changed);
    // A constant enlarges the shape.
    EXPECT_FALSE(fused("%n = Negative(%x)\n%e = Exp(%n)\n%o = Const value={1} : f32[1,1,1]\n"
                       "%s = Add(%e, %o)\n%y = Divide(%one, %s)")
                     .changed);
}

}  // namespace
}  // namespace fuseq::testing
