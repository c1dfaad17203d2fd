// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/normalize_constant_operands.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string model(const std::string& body) {
    return "model \"m\"\n%x = Parameter : f32[1,2,3]\n" + body + "\n%r = Result(%y)";
}

struct Case {
    const char* name;
    const char* before;
    const char* after;
};

const Case kCases[] = {
    {"ConstantFirst", "%c = Const value={2,3} : f32[2,1]\n%y = Add(%c, %x)",
     "%c = Const value={2,3} : f32[2,1]\n%y = Add(%x, %c)"},
    {"SubtractConstant", "%c = Const value={2,3} : f32[2,1]\n%y = Subtract(%x, %c)",
     "%c = Const value={-2,-3} : f32[2,1]\n%y = Add(%x, %c)"},
    {"DivideByPowersOfTwo", "%c = Const value={2,4} : f32[2,1]\n%y = Divide(%x, %c)",
     "%c = Const value={0.5,0.25} : f32[2,1]\n%y = Multiply(%x, %c)"},
    {"SubtractFromConstant", "%c = Const value={2,3} : f32[2,1]\n%y = Subtract(%c, %x)",
     "%m = Const value={-1} : f32[]\n%n = Multiply(%x, %m)\n%c = Const value={2,3} : f32[2,1]\n"
     "%y = Add(%n, %c)"},
};

class NormalizeConstantOperands : public ::testing::TestWithParam<Case> {};

TEST_P(NormalizeConstantOperands, IsExact) {
    const PassTest test = run_pass(normalize_constant_operands, model(GetParam().before));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, model(GetParam().after)), "");
    EXPECT_NE(test.after->find("y"), nullptr);
    EXPECT_EQ(largest_difference(test), 0.0);
}

INSTANTIATE_TEST_SUITE_P(All,
                         NormalizeConstantOperands,
                         ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(NormalizeConstantOperands, LeavesQuotientsOfTensorsAlone) {
    const PassTest quotient = run_pass(normalize_constant_operands, R"(model "m"
        %x = Parameter : f32[2]
        %z = Parameter : f32[2]
        %y = Divide(%x, %z)
        %r = Result(%y))");
    EXPECT_FALSE(quotient.changed);
}

TEST(NormalizeConstantOperands, LeavesIntegersAndWeightsAlone) {
    const PassTest integers = run_pass(normalize_constant_operands, R"(model "m"
        %x = Parameter : i64[2]
        %c = Const value={2,3} : i64[2]
        %y = Subtract(%x, %c)
        %r = Result(%y))");
    EXPECT_FALSE(integers.changed);
    const PassTest weights = run_pass(normalize_constant_operands, R"(model "m"
        %x = Parameter : f32[2]
        %i = Const value={2,3} : i8[2]
        %d = Convert(%i) destination_type=f32
        %z = Const value={1} : f32[]
        %c = Subtract(%d, %z)
        %y = Add(%x, %c)
        %r = Result(%y))");
    EXPECT_FALSE(weights.changed);
}

}  // namespace
}  // namespace fuseq::testing
