// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/drop_identity_operations.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

struct Case {
    const char* name;
    const char* body;
    bool dropped;
};

const Case kCases[] = {
    {"TimesOne", "%c = Const value=fill(1) : f32[1,2,1,1]\n%y = Multiply(%x, %c)", true},
    {"OneTimes", "%c = Const value=fill(1) : f32[]\n%y = Multiply(%c, %x)", true},
    {"PlusZero", "%c = Const value=fill(0) : f32[1,2,1,1]\n%y = Add(%x, %c)", true},
    {"MinusZero", "%c = Const value=fill(0) : f32[1]\n%y = Subtract(%x, %c)", true},
    {"TimesTwo", "%c = Const value=fill(2) : f32[]\n%y = Multiply(%x, %c)", false},
    {"TimesOneAndTwo", "%c = Const value={1,2} : f32[1,2,1,1]\n%y = Multiply(%x, %c)", false},
    {"ZeroMinus", "%c = Const value=fill(0) : f32[]\n%y = Subtract(%c, %x)", false},
    {"TimesOneEnlarges", "%c = Const value=fill(1) : f32[5,1,1,1]\n%y = Multiply(%x, %c)", false},
    {"SameType", "%y = Convert(%x) destination_type=f32", true},
    {"OtherType", "%y = Convert(%x) destination_type=i32", false},
    {"SameShape", "%n = Const value={1,2,3,4} : i64[4]\n%y = Reshape(%x, %n)", true},
    {"OtherShape", "%n = Const value={1,2,4,3} : i64[4]\n%y = Reshape(%x, %n)", false},
    {"TransposeOfNothing", "%n = Const value={0,1,2,3} : i64[4]\n%y = Transpose(%x, %n)", true},
    {"Transpose", "%n = Const value={0,2,1,3} : i64[4]\n%y = Transpose(%x, %n)", false},
    {"Identity", "%y = Identity.16(%x)", true},
    {"ConcatOfOne", "%y = Concat(%x) axis=1", true},
    {"ConcatOfTwo", "%y = Concat(%x, %x) axis=1", false},
};

class DropIdentityOperations : public ::testing::TestWithParam<Case> {};

TEST_P(DropIdentityOperations, KeepsTheNumbers) {
    const PassTest test = run_pass(drop_identity_operations,
                                   std::string("model \"m\"\n%i = Parameter : f32[1,2,3,4]\n") +
                                       "%x = ReLU(%i)\n" + GetParam().body + "\n%r = Result(%y)");
    EXPECT_EQ(test.changed, GetParam().dropped);
    EXPECT_EQ(test.after->find("y") == nullptr, GetParam().dropped);
    EXPECT_EQ(largest_difference(test), 0.0);
    if (GetParam().dropped) {
        EXPECT_EQ(test.after->find("x")->origins, (std::vector<std::string>{"x", "y"}));
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         DropIdentityOperations,
                         ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(DropIdentityOperations, DropsTransposesThatOnlyMoveOnes) {
    const PassTest test = run_pass(drop_identity_operations, R"(model "m"
        %x = Parameter : f32[1,2,1,3]
        %n = Const value={1,0,2,3} : i64[4]
        %a = Transpose(%x, %n)
        %m = Const value={0,2,1,3} : i64[4]
        %b = Transpose(%x, %m)
        %r = Result(%a)
        %s = Result(%b))");
    // Both move dimensions of size 1 only, but give other shapes.
    EXPECT_FALSE(test.changed);
}

TEST(DropIdentityOperations, LeavesOpenShapesAlone) {
    const PassTest test = run_pass(drop_identity_operations, R"(model "m"
        %x = Parameter : f32[?,2]
        %n = Const value={-1,2} : i64[2]
        %y = Reshape(%x, %n)
        %r = Result(%y))");
    EXPECT_FALSE(test.changed);
}

TEST(DropIdentityOperations, MovesTensorNames) {
    const PassTest test = run_pass(drop_identity_operations, R"(model "m"
        %x = Parameter : f32[1]
        %a = ReLU(%x)
        %y = Convert(%a) destination_type=f32 : f32[1] "out"
        %r = Result(%y))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->output("out").node->name(), "a");
}

}  // namespace
}  // namespace fuseq::testing
