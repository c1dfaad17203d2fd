// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/activation_formula.hpp"

#include <gtest/gtest.h>

#include <string>

namespace fuseq::quantizer {
namespace {

// Whether the layer "n" is one.
bool is_formula(const std::string& lines) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[1,4,6,6]
        %y = Parameter : f32[1,4,6,6]
        %gate = Parameter : f32[1,4,1,1]
        %one = Const value={1} : f32[]
        %three = Const value={3} : f32[]
        %a = Const value={0.044715} : f32[]
        %slopes = Const value={1,2,3,4} : f32[4,1,1]
        %large = Const value=fill(1) : f32[2,4,6,6]
        )" + lines + "\n%r = Result(%n)");
    return is_activation_formula(*model->find("n"));
}

TEST(IsActivationFormula, WhatExportersWriteOut) {
    EXPECT_TRUE(is_formula("%s = Sigmoid(%x)\n%n = Multiply(%x, %s)"));
    EXPECT_TRUE(is_formula("%e = Erf(%x)\n%p = Add(%e, %one)\n%n = Multiply(%p, %x)"));
    EXPECT_TRUE(is_formula("%c = Power(%x, %three)\n%p = Multiply(%c, %a)\n%n = Add(%x, %p)"));
    EXPECT_TRUE(is_formula("%p = Multiply(%x, %slopes)\n%n = Maximum(%p, %x)"));
    EXPECT_TRUE(
        is_formula("%m = Negative(%x)\n%e = Exp(%m)\n%p = Add(%e, %one)\n%n = Divide(%x, %p)"));
}

TEST(IsActivationFormula, OfWhatAFormulaOfTwoTensorsComputes) {
    EXPECT_TRUE(is_formula("%z = Add(%x, %y)\n%s = Sigmoid(%z)\n%n = Multiply(%z, %s)"));
}

TEST(IsActivationFormula, NotOfTwoTensors) {
    EXPECT_FALSE(is_formula("%n = Multiply(%x, %y)"));
    EXPECT_FALSE(is_formula("%s = Sigmoid(%y)\n%n = Multiply(%x, %s)"));
    EXPECT_FALSE(is_formula("%p = Add(%x, %y)\n%n = Multiply(%x, %p)"));
    EXPECT_FALSE(is_formula("%s = Sigmoid(%gate)\n%n = Multiply(%x, %s)"));
}

TEST(IsActivationFormula, NotOfSumsAndScalesAlone) {
    EXPECT_FALSE(is_formula("%n = Add(%x, %x)"));
    EXPECT_FALSE(is_formula("%p = Multiply(%x, %three)\n%n = Subtract(%p, %x)"));
    EXPECT_TRUE(is_formula("%n = Multiply(%x, %x)"));
}

TEST(IsActivationFormula, NotOfOtherElements) {
    EXPECT_FALSE(is_formula("%s = SoftMax(%x) axis=1\n%n = Multiply(%x, %s)"));
    EXPECT_FALSE(is_formula("%p = Multiply(%x, %large)\n%n = Add(%p, %x)"));
    EXPECT_FALSE(is_formula("%n = Sigmoid(%x)"));
}

}  // namespace
}  // namespace fuseq::quantizer
