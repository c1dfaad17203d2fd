// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/replace_convert_variants.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

TEST(ReplaceConvertVariants, ConvertLikeBecomesConvert) {
    const PassTest test = run_pass(replace_convert_variants, R"(model "m"
        %x = Parameter : u8[2,3]
        %like = Parameter : f32[1]
        %y = ConvertLike(%x, %like)
        %r = Result(%y))");
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : u8[2,3]
        %like = Parameter : f32[1]
        %y = Convert(%x) destination_type=f32
        %r = Result(%y))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
    EXPECT_NE(test.after->find("y"), nullptr);
    EXPECT_FALSE(run_pass(replace_convert_variants, test.after->to_text()).changed);
}

TEST(ReplaceConvertVariants, ConvertPromoteTypesBecomesTwo) {
    const PassTest test = run_pass(replace_convert_variants, R"(model "m"
        %a = Parameter : i8[2,3]
        %b = Parameter : u8[3]
        %y = ConvertPromoteTypes.14(%a, %b) promote_unsafe=true
        %s = Add(%y, %y:1)
        %r = Result(%s))");
    EXPECT_EQ(differs_from(test, R"(model "m"
        %a = Parameter : i8[2,3]
        %b = Parameter : u8[3]
        %c = Convert(%a) destination_type=i16
        %d = Convert(%b) destination_type=i16
        %s = Add(%c, %d)
        %r = Result(%s))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

// As f32 the promotion of the f64 would not be safe: the pass stands before convert_precision.
TEST(ReplaceConvertVariants, TheTypesOfTheModelDecide) {
    const PassTest test = run_transform(R"(model "m"
        %a = Parameter : f64[2]
        %b = Parameter : i32[2]
        %y = ConvertPromoteTypes.14(%a, %b)
        %s = Multiply(%y, %y:1)
        %r = Result(%s))");
    EXPECT_EQ(test.after->find_all("ConvertPromoteTypes").size(), 0U);
    EXPECT_LT(largest_difference(test), 1e-3);
}

TEST(ReplaceConvertVariants, ConstantsFold) {
    const PassTest test = run_transform(R"(model "m"
        %x = Parameter : f32[2]
        %c = Const value={3,4} : i32[2]
        %k = ConvertLike(%c, %x)
        %y = Maximum(%x, %k)
        %r = Result(%y))");
    EXPECT_EQ(test.after->find_all("Convert").size(), 0U);
    EXPECT_EQ(test.after->find_all("ConvertLike").size(), 0U);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(ReplaceConvertVariants, LooksIntoBodies) {
    const PassTest test = run_pass(replace_convert_variants, R"(model "m"
        %x = Parameter : f32[2,3]
        %condition = Parameter : boolean[]
        %y = If.8(%condition, %x) then_body={
            %a = Parameter : f32[2,3]
            %c = Const value={1,2,3} : i32[3]
            %like = ConvertLike(%c, %a)
            %sum = Add(%a, %like)
            %r = Result(%sum)
        } else_body={
            %b = Parameter : f32[2,3]
            %relu = ReLU(%b)
            %r2 = Result(%relu)
        } then_inputs=[1,0,0,0,0,-1,1,1] then_outputs=[0,0,0,0,0,-1,1,1] else_inputs=[1,0,0,0,0,-1,1,1] else_outputs=[0,0,0,0,0,-1,1,1]
        %r = Result(%y))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->to_text().find("ConvertLike"), std::string::npos);
    EXPECT_EQ(largest_difference(test), 0.0);
}

}  // namespace
}  // namespace fuseq::testing
