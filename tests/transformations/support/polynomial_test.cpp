// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/polynomial.hpp"

#include <gtest/gtest.h>

namespace fuseq::testing {
namespace {

// A model with the parameter %x and whatever ends at %v.
class PolynomialTest : public ::testing::Test {
protected:
    void read(const std::string& text) {
        model_ = Model::from_text(R"(model "m"
            %x = Parameter : f32[1,4]
            %other = Parameter : f32[1,4]
            %two = Const value={2} : f32[]
            %three = Const value={3} : f32[]
            %half = Const value={0.5} : f32[]
            %list = Const value={1,2,3,4} : f32[4]
            )" + text + "\n%r = Result(%v)");
    }
    Output at(const std::string& name) const { return model_->find(name)->output(); }
    std::optional<Polynomial> polynomial(const std::string& text) {
        read(text);
        return polynomial_in(at("x"), at("v"));
    }
    Affine affine(const std::string& text) {
        read(text);
        return affine_of(at("v"));
    }

    std::shared_ptr<Model> model_;
};

TEST_F(PolynomialTest, AffineUndoesArithmeticWithNumbers) {
    // -((3 - x) / 2) * 3 + 2 = 1.5 x - 2.5
    const Affine f = affine(
        "%a = Subtract(%three, %x)\n%b = Divide(%a, %two)\n%c = Negative(%b)\n"
        "%d = Multiply(%three, %c)\n%v = Add(%d, %two)");
    EXPECT_EQ(f.source, at("x"));
    EXPECT_DOUBLE_EQ(f.factor, 1.5);
    EXPECT_DOUBLE_EQ(f.shift, -2.5);
}

TEST_F(PolynomialTest, AffineEndsWhereSomebodyElseReads) {
    const Affine f = affine("%a = Multiply(%x, %two)\n%v = Add(%a, %three)\n%s = Result(%a)");
    EXPECT_EQ(f.source, at("a"));
    EXPECT_DOUBLE_EQ(f.factor, 1);
    EXPECT_DOUBLE_EQ(f.shift, 3);
}

TEST_F(PolynomialTest, AffineEndsAtWhatIsNoNumber) {
    EXPECT_EQ(affine("%v = Multiply(%x, %list)").source.node->name(), "v");
    EXPECT_EQ(affine("%v = Divide(%two, %x)").source.node->name(), "v");
    EXPECT_EQ(affine("%v = Add(%x, %other)").source.node->name(), "v");
}

TEST_F(PolynomialTest, AffineStopsWhereItIsTold) {
    read("%a = Multiply(%x, %two)\n%v = Add(%a, %three)");
    const Affine f = affine_of(at("v"), at("a"));
    EXPECT_EQ(f.source, at("a"));
    EXPECT_DOUBLE_EQ(f.shift, 3);
}

TEST_F(PolynomialTest, IsMultipliedOut) {
    // 0.5 * x * (3 + 2 x^2) = 1.5 x + x^3
    EXPECT_EQ(polynomial("%q = Multiply(%x, %x)\n%a = Multiply(%two, %q)\n%b = Add(%three, %a)\n"
                         "%h = Multiply(%half, %x)\n%v = Multiply(%h, %b)"),
              (Polynomial{0, 1.5, 0, 1}));
    // (x - 3)^2 / 2 = 4.5 - 3 x + 0.5 x^2
    EXPECT_EQ(polynomial("%a = Subtract(%x, %three)\n%p = Power(%a, %two)\n%v = Divide(%p, %two)"),
              (Polynomial{4.5, -3, 0.5, 0}));
    // -(x^3)
    EXPECT_EQ(polynomial("%p = Power(%x, %three)\n%v = Negative(%p)"), (Polynomial{0, 0, 0, -1}));
}

TEST_F(PolynomialTest, IsNoneOfOtherFormulas) {
    // Of degree 4.
    EXPECT_FALSE(polynomial("%a = Power(%x, %three)\n%v = Multiply(%a, %x)"));
    EXPECT_FALSE(polynomial("%v = Power(%x, %half)"));
    EXPECT_FALSE(polynomial("%v = Divide(%two, %x)"));
    EXPECT_FALSE(polynomial("%v = Add(%x, %other)"));
    EXPECT_FALSE(polynomial("%v = Multiply(%x, %list)"));
    EXPECT_FALSE(polynomial("%a = Sigmoid(%x)\n%v = Add(%a, %two)"));
    // Somebody else reads a part of it.
    EXPECT_FALSE(polynomial("%a = Add(%x, %two)\n%v = Multiply(%a, %three)\n%s = Result(%a)"));
}

}  // namespace
}  // namespace fuseq::testing
