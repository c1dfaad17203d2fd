// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/decompose_batch_norm.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string batch_norm(const std::string& variance,
                       const std::string& gamma = "Const value={1,2}") {
    return R"(model "m"
        %x = Parameter : f32[2,2,3]
        %g = )" +
           gamma + R"( : f32[2]
        %b = Const value={0.5,-1} : f32[2]
        %m = Const value={3,-4} : f32[2]
        %v = Const value={)" +
           variance + R"(} : f32[2]
        %y = BatchNormInference.5(%x, %g, %b, %m, %v) epsilon=1
        %r = Result(%y))";
}

TEST(DecomposeBatchNorm, BecomesMultiplyAndAdd) {
    const PassTest test = run_pass(decompose_batch_norm, batch_norm("3,15"));
    // sqrt(3 + 1) = 2 and sqrt(15 + 1) = 4
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[2,2,3]
        %a = Const value={0.5,0.5} : f32[2]
        %f = Const value={0.5} : f32[]
        %p = Multiply(%x, %f)
        %s = Const value={-1,1} : f32[1,2,1]
        %y = Add(%p, %s)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(test.after->find("y")->type(), "Add");
    EXPECT_LT(largest_difference(test), 1e-6);
}

TEST(DecomposeBatchNorm, RefusesComputedParameters) {
    const PassTest test = run_pass(decompose_batch_norm, batch_norm("3,15", "Parameter"));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(refusal_at(test.context, "y"), "parameters_not_constant: a parameter is computed");
}

TEST(DecomposeBatchNorm, RefusesWhatIsNotFinite) {
    const PassTest test = run_pass(decompose_batch_norm, batch_norm("-1,15"));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(refusal_at(test.context, "y"), "not_finite: a factor or a summand is not finite");
}

}  // namespace
}  // namespace fuseq::testing
