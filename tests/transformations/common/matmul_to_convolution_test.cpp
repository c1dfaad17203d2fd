// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/matmul_to_convolution.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string product(const std::string& shape,
                    const std::string& attributes,
                    const std::string& x = "2,3,5") {
    return R"(model "m"
        %x = Parameter : f32[)" +
           x + R"(]
        %w = Const value={1,-2,3,4,-5,6} : i8[)" +
           shape + R"(]
        %f = Convert(%w) destination_type=f32
        %s = Const value={0.5} : f32[]
        %m = Multiply(%f, %s)
        %y = MatMul(%m, %x))" +
           attributes + "\n%r = Result(%y)";
}

TEST(MatmulToConvolution, TakesWeightsThatComeFirst) {
    const PassTest test = run_pass(matmul_to_convolution, product("2,3", ""));
    ASSERT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("y")->type(), "Convolution");
    EXPECT_EQ(test.after->find("y")->output().shape(), (Shape{2, 2, 5}));
    EXPECT_EQ(largest_difference(test), 0.0);
    const PassTest turned = run_pass(matmul_to_convolution, product("3,2", " transpose_a=true"));
    ASSERT_TRUE(turned.changed);
    EXPECT_EQ(turned.after->find("y")->type(), "Convolution");
    EXPECT_EQ(largest_difference(turned), 0.0);
}

TEST(MatmulToConvolution, LeavesOtherProducts) {
    const auto changed = [](const std::string& text) {
        return run_pass(matmul_to_convolution, text).changed;
    };
    EXPECT_FALSE(changed(product("2,3", " transpose_b=true", "2,5,3")));
    EXPECT_FALSE(changed(product("2,3", "", "3,5")));
    EXPECT_FALSE(changed(product("1,2,3", "")));
    EXPECT_FALSE(changed(R"(model "m"
        %x = Parameter : f32[2,3,5]
        %w = Const value={1,2,3} : f32[1,3]
        %y = MatMul(%w, %x)
        %r = Result(%y))"));
    EXPECT_FALSE(changed(R"(model "m"
        %x = Parameter : f32[2,3,5]
        %w = Parameter : f32[2,3]
        %y = MatMul(%w, %x)
        %r = Result(%y))"));
}

}  // namespace
}  // namespace fuseq::testing
