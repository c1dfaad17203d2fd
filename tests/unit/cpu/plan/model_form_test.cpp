// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/model_form.hpp"

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

// Tokens of 8 values in any number, scaled and shifted.
std::string tokens(const std::string& length,
                   const std::string& scale = "{1,2,3,4,5,6,7,8} : f32[8]",
                   const std::string& rest = "%z = ReLU(%y)") {
    return "model \"m\"\n%x = Parameter : f32[1," + length + ",8]\n%s = Const value=" + scale +
           "\n%p = Const value=random(3) : f32[" + length +
           ",8]\n%m = Multiply(%x, %s)\n%y = Add(%m, %p)\n" + rest + "\n%r = Result(%z)";
}

std::unique_ptr<ModelForm> form_of(const Model& model) {
    return std::make_unique<ModelForm>(model.ordered_nodes());
}

bool same(const std::string& a, const std::string& b) {
    const auto model = Model::from_text(a);
    const auto other = Model::from_text(b);
    return form_of(*model)->equals(*form_of(*other));
}

TEST(ModelForm, IsThatOfOtherLengths) {
    EXPECT_TRUE(same(tokens("5"), tokens("5")));
    EXPECT_TRUE(same(tokens("5"), tokens("6")));
    EXPECT_TRUE(same(tokens("700"), tokens("2")));
}

TEST(ModelForm, IsAnotherOneWhereALengthIsOneOrAsLargeAsAnotherDimension) {
    EXPECT_FALSE(same(tokens("5"), tokens("1")));
    EXPECT_FALSE(same(tokens("5"), tokens("8")));
    EXPECT_TRUE(same(tokens("8"), tokens("8")));
}

TEST(ModelForm, LooksAtValuesOfOneDimension) {
    EXPECT_FALSE(same(tokens("5"), tokens("5", "{1,2,3,4,5,6,7,9} : f32[8]")));
    EXPECT_FALSE(same(tokens("5", "{2} : f32[]"), tokens("5", "{3} : f32[]")));
    EXPECT_FALSE(same(tokens("5", "{2} : f32[]"), tokens("5", "{2} : f32[1]")));
}

// Shapes that follow from the length, and positions.
TEST(ModelForm, LeavesOutValuesThatNoChainTakes) {
    const auto reshaped = [](const std::string& length) {
        return tokens(length, "{2} : f32[]", "%t = Const value={" + length + R"(,2,4} : i64[3]
                       %z = Reshape(%y, %t) special_zero=false)");
    };
    EXPECT_TRUE(same(reshaped("5"), reshaped("6")));
    EXPECT_FALSE(same(reshaped("5"), reshaped("4")));  // as many as there are values in a head
}

TEST(ModelForm, LooksAtOperationsNamesTypesAndReaders) {
    const std::string scale = "{2} : f32[]";
    EXPECT_FALSE(same(tokens("5"), tokens("5", scale, "%z = Sigmoid(%y)")));
    EXPECT_FALSE(same(tokens("5", scale), tokens("5", scale, "%z = ReLU(%m)")));
    EXPECT_FALSE(same(tokens("5", scale, "%v = ReLU(%y)\n%z = ReLU(%v)"),
                      tokens("5", scale, "%w = ReLU(%y)\n%z = ReLU(%w)")));
    EXPECT_FALSE(same(tokens("5", scale, "%z = Convert(%y) destination_type=i8"),
                      tokens("5", scale, "%z = Convert(%y) destination_type=u8")));
}

TEST(ModelForm, IsNoneWhereGroupsCountWithSizesOrSizesAreOpen) {
    const std::string open = "model \"m\"\n%x = Parameter : f32[?]\n%r = Result(%x)";
    EXPECT_FALSE(same(open, open));
    const std::string wide = "model \"m\"\n%x = Parameter : u16[4]\n%r = Result(%x)";
    EXPECT_FALSE(same(wide, wide));
    const std::string up = R"(model "m"
        %x = Parameter : f32[1,2,4,4]
        %w = Const value=random(1) : f32[2,2,2,2]
        %y = ConvolutionBackpropData(%x, %w) strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r = Result(%y))";
    EXPECT_FALSE(same(up, up));
}

TEST(ModelForm, OutlivesTheModelWhenItIsKept) {
    auto model = Model::from_text(tokens("5"));
    const auto kept = form_of(*model);
    kept->keep();
    model.reset();
    const auto other = Model::from_text(tokens("6"));
    EXPECT_TRUE(kept->equals(*form_of(*other)));
    const auto third = Model::from_text(tokens("6", "{2} : f32[]"));
    EXPECT_FALSE(kept->equals(*form_of(*third)));
}

}  // namespace
}  // namespace fuseq::cpu
