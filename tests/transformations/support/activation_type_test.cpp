// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/activation_type.hpp"

#include <gtest/gtest.h>

namespace fuseq::testing {
namespace {

// %fq and %other are FQs of one tensor; both are symmetric or not as the test says.
class ActivationTypeTest : public ::testing::Test {
protected:
    void read(const std::string& text, bool symmetric, bool other_symmetric = false) {
        model_ = Model::from_text(R"(model "m"
            %x = Parameter : f32[1,4,6,6]
            %low = Const value={-1} : f32[]
            %high = Const value={1} : f32[]
            %fq = FakeQuantize(%x, %low, %high, %low, %high) levels=255
            %other = FakeQuantize(%x, %low, %high, %low, %high) levels=256
            )" + text);
        types_.emplace(*model_);
        types_->add(*model_->find("fq"), symmetric);
        types_->add(*model_->find("other"), other_symmetric);
        types_->unify();
    }
    ElementType of(const std::string& name) const { return types_->of(*model_->find(name)); }

    std::shared_ptr<Model> model_;
    std::optional<ActivationTypes> types_;
};

const std::string kConvolution =
    "%w = Const value=random(1) : f32[2,4,1,1]\n%c = Convolution(%fq, %w) strides=[1,1] "
    "dilations=[1,1]\n%r = "
    "Result(%c)\n"
    "%s = Result(%other)";

TEST_F(ActivationTypeTest, IsSignedWithoutAZeroPoint) {
    read(kConvolution, true);
    EXPECT_EQ(of("fq"), ElementType::i8);
    EXPECT_EQ(of("other"), ElementType::u8);
    read(kConvolution, false);
    EXPECT_EQ(of("fq"), ElementType::u8);
}

TEST_F(ActivationTypeTest, OfASecondOperandOfAMatMulIsSigned) {
    for (const char* reader : {"%m = MatMul(%other, %fq) transpose_b=true",
                               "%p = ReLU(%fq)\n%m = MatMul(%other, %p) transpose_b=true"}) {
        read(std::string(reader) + "\n%r = Result(%m)", false);
        EXPECT_EQ(of("fq"), ElementType::i8) << reader;
        EXPECT_EQ(of("other"), ElementType::u8) << reader;
    }
}

TEST_F(ActivationTypeTest, OfTheSourceOfADeconvolutionIsUnsigned) {
    read(
        "%w = Const value=random(1) : f32[4,2,2,2]\n"
        "%d = ConvolutionBackpropData(%fq, %w) strides=[2,2] dilations=[1,1]\n%r = Result(%d)\n"
        "%s = Result(%other)",
        true);
    EXPECT_EQ(of("fq"), ElementType::u8);
}

TEST_F(ActivationTypeTest, IsOneForAllInputsOfAConcat) {
    read(
        "%p = MaxPool.1(%other) strides=[1,1] kernel=[1,1]\n"
        "%c = Concat(%fq, %p) axis=1\n%r = Result(%c)",
        true);
    EXPECT_EQ(of("fq"), ElementType::u8);  // what is symmetric is so in u8 too
    EXPECT_EQ(of("other"), ElementType::u8);
}

TEST_F(ActivationTypeTest, StaysWhereAConcatIsOfFloatsToo) {
    read("%e = Exp(%x)\n%c = Concat(%fq, %other, %e) axis=1\n%r = Result(%c)", true);
    EXPECT_EQ(of("fq"), ElementType::i8);
    EXPECT_EQ(of("other"), ElementType::u8);
}

TEST_F(ActivationTypeTest, ThatMustBeSignedPrevailsInAConcat) {
    read(
        "%c = Concat(%fq, %other) axis=1\n%t = Concat(%fq, %fq) axis=1\n"
        "%m = MatMul(%x, %fq) transpose_b=true\n%r = Result(%c)\n%s = Result(%t)\n%u = Result(%m)",
        false);
    EXPECT_EQ(of("fq"), ElementType::i8);
    EXPECT_EQ(of("other"), ElementType::i8);
}

}  // namespace
}  // namespace fuseq::testing
