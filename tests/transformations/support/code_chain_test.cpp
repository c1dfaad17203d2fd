// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/code_chain.hpp"

#include <gtest/gtest.h>

#include "transformations/support/channel_values.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq::testing {
namespace {

// Codes of 2 rows, and what makes %v of them.
class CodeChainTest : public ::testing::Test {
protected:
    std::optional<CodeChain> match(const std::string& text) {
        model_ = Model::from_text(R"(model "m"
            %codes = Const value={1,2,3,4,5,6} : u8[2,3]
            %x = Parameter : f32[2,3]
            %z = Const value={1,2} : f32[2,1]
            %s = Const value={0.5,4} : f32[2,1]
            %o = Const value={10,-20} : f32[2,1]
            %c = Convert(%codes) destination_type=f32
            )" + text + "\n%r = Result(%v)");
        return match_code_chain(model_->find("v")->output());
    }
    static std::vector<float> list(const Tensor& values) {
        return values ? to_floats(values) : std::vector<float>();
    }

    std::shared_ptr<Model> model_;
};

using Values = std::vector<float>;

TEST_F(CodeChainTest, OfAScaleAlone) {
    const auto chain = match("%v = Multiply(%c, %s)");
    ASSERT_TRUE(chain);
    EXPECT_EQ(chain->codes.node->name(), "codes");
    EXPECT_EQ(list(chain->scale), (Values{0.5f, 4}));
    EXPECT_FALSE(chain->zero_point);
    EXPECT_FALSE(chain->offset);
    ASSERT_EQ(chain->nodes.size(), 2u);
    EXPECT_EQ(chain->nodes[0]->name(), "v");
    EXPECT_EQ(chain->nodes[1]->name(), "c");
}

TEST_F(CodeChainTest, OfAllThree) {
    const auto chain = match("%a = Subtract(%c, %z)\n%b = Multiply(%a, %s)\n%v = Add(%b, %o)");
    ASSERT_TRUE(chain);
    EXPECT_EQ(list(chain->zero_point), (Values{1, 2}));
    EXPECT_EQ(list(chain->scale), (Values{0.5f, 4}));
    EXPECT_EQ(list(chain->offset), (Values{10, -20}));
    EXPECT_EQ(chain->nodes.size(), 4u);
}

TEST_F(CodeChainTest, ASubtractedOffsetIsNegative) {
    const auto chain = match("%b = Multiply(%c, %s)\n%v = Subtract(%b, %o)");
    ASSERT_TRUE(chain);
    EXPECT_EQ(list(chain->offset), (Values{-10, 20}));
    EXPECT_FALSE(chain->zero_point);
}

TEST_F(CodeChainTest, ConstantsMayComeFirst) {
    const auto chain = match("%b = Multiply(%s, %c)\n%v = Add(%o, %b)");
    ASSERT_TRUE(chain);
    EXPECT_EQ(list(chain->scale), (Values{0.5f, 4}));
    EXPECT_EQ(list(chain->offset), (Values{10, -20}));
}

TEST_F(CodeChainTest, AConstantOfTheShapeOfTheCodesComesSecond) {
    const auto chain = match("%f = Const value={1,1,1,2,2,2} : f32[2,3]\n%v = Multiply(%c, %f)");
    ASSERT_TRUE(chain);
    EXPECT_EQ(list(chain->scale), (Values{1, 1, 1, 2, 2, 2}));
}

TEST_F(CodeChainTest, IsNoneOfOtherGraphs) {
    EXPECT_FALSE(match("%v = Add(%c, %o)"));                              // no scale
    EXPECT_FALSE(match("%v = Multiply(%x, %s)"));                         // no codes
    EXPECT_FALSE(match("%v = Multiply(%c, %x)"));                         // no constant scale
    EXPECT_FALSE(match("%a = Subtract(%z, %c)\n%v = Multiply(%a, %s)"));  // z - code
    EXPECT_FALSE(match("%b = Multiply(%c, %s)\n%v = Subtract(%o, %b)"));  // o - value
    EXPECT_FALSE(match("%a = Multiply(%c, %s)\n%b = Multiply(%a, %s)\n%v = Add(%b, %o)"));
}

}  // namespace
}  // namespace fuseq::testing
