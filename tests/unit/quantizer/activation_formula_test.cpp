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

// The steps of a layer normalization; the square of the difference is an activation.
TEST(IsNormalizationFormula, OfATensorAndItsMeans) {
    const auto is_normalization = [](const std::string& lines) {
        const auto model = Model::from_text(R"(
            %x = Parameter : f32[1,4,6,6]
            %y = Parameter : f32[1,4,1,1]
            %axes = Const value={2,3} : i64[2]
            %e = Const value={1e-5} : f32[]
            %half = Const value={-0.5} : f32[]
            %w = Const value=random(1) : f32[4,4,1,1]
            )" + lines + "\n%r = Result(%n)");
        EXPECT_FALSE(is_activation_formula(*model->find("n")));
        return is_normalization_formula(*model->find("n"));
    };
    const std::string mean = "%m = ReduceMean(%x, %axes) keep_dims=true\n";
    EXPECT_TRUE(is_normalization(mean + "%n = Subtract(%x, %m)"));
    EXPECT_TRUE(
        is_normalization("%s = Multiply(%x, %x)\n%m = ReduceMean(%s, %axes) keep_dims=true\n"
                         "%v = Add(%m, %e)\n%q = Power(%v, %half)\n%n = Multiply(%x, %q)"));
    // A gate that a convolution computes, or that comes from elsewhere.
    EXPECT_FALSE(
        is_normalization(mean +
                         "%g = Convolution(%m, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] "
                         "pads_end=[0,0]\n%n = Multiply(%x, %g)"));
    EXPECT_FALSE(is_normalization("%n = Multiply(%x, %y)"));
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
