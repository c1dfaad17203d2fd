// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/constants.hpp"

#include <gtest/gtest.h>

namespace fuseq::testing {
namespace {

class ConstantsTest : public ::testing::Test {
protected:
    Output read(const std::string& text) {
        model_ = Model::from_text(
            "model \"m\"\n%x = Parameter : f32[2]\n"
            "%a = Const value={3} : u8[1,1]\n"
            "%b = Const value={1,2} : f32[2]\n" +
            text + "\n%r = Result(%v)");
        return model_->find("v")->output();
    }

    std::shared_ptr<Model> model_;
};

TEST_F(ConstantsTest, SmallExpressionsAreKnownFromShapeInference) {
    const Output v = read("%f = Convert(%a) destination_type=f32\n%v = Multiply(%f, %b)");
    ASSERT_NE(known_constant(v), nullptr);
    EXPECT_EQ(to_floats(*known_constant(v)), (std::vector<float>{3, 6}));
    EXPECT_EQ(constant_channels(v, 2).value(), ChannelValues({3, 6}, 1));
}

// Shape inference keeps values of up to 4096 elements.
const std::string kLarge = "%l = Const value=fill(2) : f32[5000]\n";

TEST_F(ConstantsTest, LargeExpressionsAreComputed) {
    const Output v = read(kLarge + "%f = Convert(%a) destination_type=f32\n%v = Multiply(%f, %l)");
    EXPECT_EQ(known_constant(v), nullptr);
    EXPECT_TRUE(is_constant_expression(v));
    EXPECT_EQ(to_floats(evaluate_constant(v).value()), std::vector<float>(5000, 6));
    EXPECT_EQ(constant_channels(v, 2).value(), ChannelValues(6));
}

TEST_F(ConstantsTest, WhatDependsOnAnInputHasNone) {
    const Output v = read("%v = Multiply(%x, %b)");
    EXPECT_FALSE(is_constant_expression(v));
    EXPECT_FALSE(evaluate_constant(v));
    EXPECT_FALSE(constant_number(v));
    EXPECT_FALSE(is_constant_expression({}));
    EXPECT_FALSE(evaluate_constant({}));
}

TEST_F(ConstantsTest, LongExpressionsAreNotComputed) {
    std::string text = kLarge + "%c0 = Add(%l, %l)\n";
    for (int i = 1; i < 40; ++i) {
        text += "%c" + std::to_string(i) + " = Add(%c" + std::to_string(i - 1) + ", %l)\n";
    }
    EXPECT_TRUE(is_constant_expression(read(text + "%v = ReLU(%c20)\n%s = Result(%c39)")));
    EXPECT_FALSE(is_constant_expression(read(text + "%v = ReLU(%c39)")));
}

TEST_F(ConstantsTest, ANumberIsOneFiniteElement) {
    EXPECT_EQ(constant_number(read("%v = Convert(%a) destination_type=i32")), 3.0);
    EXPECT_FALSE(constant_number(read("%v = ReLU(%b)")));
    EXPECT_FALSE(constant_number(read("%i = Const value={inf} : f32[]\n%v = ReLU(%i)")));
}

}  // namespace
}  // namespace fuseq::testing
