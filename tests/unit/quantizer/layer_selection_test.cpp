// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/layer_selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_model.hpp"

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MatchesPattern, KnowsStarsAndQuestionMarks) {
    EXPECT_TRUE(matches_pattern("conv", "conv"));
    EXPECT_FALSE(matches_pattern("conv", "conv1"));
    EXPECT_TRUE(matches_pattern("conv?", "conv1"));
    EXPECT_FALSE(matches_pattern("conv?", "conv"));
    EXPECT_TRUE(matches_pattern("*/conv*", "block/a/conv/b/conv_2"));
    EXPECT_TRUE(matches_pattern("*a*a", "banana"));
    EXPECT_FALSE(matches_pattern("*a*b", "banana"));
    EXPECT_TRUE(matches_pattern("*", ""));
    EXPECT_FALSE(matches_pattern("", "x"));
}

// "sum" stands for layers "a" and "b" of the original.
struct Models {
    std::shared_ptr<Model> original = Model::from_text(R"(
        %x = Parameter : f32[2]
        %one = Const value={1} : f32[]
        %a = Add(%x, %one)
        %b = Add(%a, %one)
        %relu = ReLU(%b)
        %r = Result(%relu))");
    std::shared_ptr<Model> lowered = Model::from_text(R"(
        %x = Parameter : f32[2]
        %two = Const value={2} : f32[]
        %b = Add(%x, %two)
        %relu = ReLU(%b)
        %r = Result(%relu))");
    Models() { lowered->find("b")->origins = {"a", "b"}; }

    std::vector<std::string> remarks;

    std::vector<std::string> select(const std::vector<std::string>& selectors) {
        std::vector<std::string> names;
        for (const Node* node : select_layers(*original, *lowered, selectors, remarks)) {
            names.push_back(node->name());
        }
        std::sort(names.begin(), names.end());
        return names;
    }
};

TEST(SelectLayers, ByKindNameAndPattern) {
    Models models;
    EXPECT_THAT(models.select({"Add"}), ElementsAre("b"));
    EXPECT_THAT(models.select({"a"}), ElementsAre("b"));  // was fused into b
    EXPECT_THAT(models.select({"re*", "ReLU", "b"}), ElementsAre("b", "relu"));
    EXPECT_THAT(models.select({}), ElementsAre());
}

// The list of Glow's manual, of which this model has one kind.
TEST(SelectLayers, TakesGlowsNamesOfKinds) {
    Models models;
    EXPECT_THAT(models.select({"Relu"}), ElementsAre("relu"));
    EXPECT_THAT(models.remarks, ElementsAre());
    EXPECT_THAT(models.select({"Add", "Div"}), ElementsAre("b"));
    EXPECT_THAT(models.remarks, ElementsAre(HasSubstr("the model has no Divide")));
}

TEST(SelectLayers, RefusesWhatChoosesNothing) {
    Models models;
    EXPECT_THAT(test::message_of([&] {
                    models.select({"Add", "rleu"});
                }),
                HasSubstr("no layer and no kind 'rleu'; the nearest is 're"));
    EXPECT_THAT(test::message_of([&] { models.select({"conv*"}); }), HasSubstr("'conv*'"));
}

TEST(CheckKinds, RefusesWhatIsNoOperation) {
    check_kinds({"Convolution", "Add"}, "-option");
    EXPECT_THAT(test::message_of([] { check_kinds({"Convolutoin"}, "-option"); }),
                HasSubstr("-option: there is no operation 'Convolutoin'; the nearest is "
                          "'Convolution'"));
}

}  // namespace
}  // namespace fuseq::quantizer
