// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/shared_groups.hpp"

#include <gtest/gtest.h>

#include "cpu/lowering/anchor.hpp"

namespace fuseq::cpu {
namespace {

// A product of tokens with a bias, and a chain that reads what stands before it.
std::shared_ptr<Model> tokens(std::size_t length, const std::string& bias = "random(5)") {
    return Model::from_text("model \"m\"\n%x = Parameter : f32[1," + std::to_string(length) +
                            R"(,8]
        %w = Const value=random(1) : f32[8,8]
        %c = MatMul(%x, %w)
        %b = Const value=)" +
                            bias +
                            R"( : f32[8]
        %a = Add(%c, %b)
        %y = ReLU(%a)
        %s = Sigmoid(%y)
        %z = Multiply(%s, %y)
        %r = Result(%z))");
}

std::vector<std::string> texts(const Grouping& grouping) {
    std::vector<std::string> all;
    for (const Group& group : grouping.groups) {
        all.push_back(group.result.node->name() + ": " + to_text(group));
    }
    return all;
}

// What take() gives is what attach_post_ops() finds, of nodes of this model.
void expect_groups_of(const Model& model, const Grouping& grouping) {
    const Grouping expected = attach_post_ops(model, true);
    EXPECT_EQ(texts(grouping), texts(expected));
    ASSERT_EQ(grouping.groups.size(), expected.groups.size());
    for (std::size_t i = 0; i < expected.groups.size(); ++i) {
        const Group& group = grouping.groups[i];
        EXPECT_EQ(group.anchor, expected.groups[i].anchor);
        EXPECT_EQ(group.source, expected.groups[i].source);
        EXPECT_EQ(group.binary_sources, expected.groups[i].binary_sources);
        EXPECT_EQ(group.absorbed, expected.groups[i].absorbed);
        EXPECT_EQ(group.result, expected.groups[i].result);
        EXPECT_EQ(group.chain, expected.groups[i].chain);
    }
    for (const Node* node : model.ordered_nodes()) {
        ASSERT_EQ(grouping.group_of.contains(node), expected.group_of.contains(node));
        if (expected.group_of.contains(node)) {
            EXPECT_EQ(grouping.group_of.at(node), expected.group_of.at(node)) << node->name();
        }
    }
}

class SharedGroupsTest : public ::testing::Test {
protected:
    // Whether the groups are those that were kept, which have a mark.
    bool knows(const Model& model, bool copy = true) {
        constexpr const char* kMark = "kept";
        Grouping grouping = groups_.take(model, true, {}, copy);
        expect_groups_of(model, grouping);
        const bool known = grouping.groups[0].preferred_implementation == kMark;
        grouping.groups[0].preferred_implementation = kMark;
        groups_.keep(std::move(grouping));
        return known;
    }

    SharedGroups groups_;
};

TEST_F(SharedGroupsTest, AreFoundOnceForAllLengths) {
    EXPECT_FALSE(knows(*tokens(5)));  // the model is gone then
    EXPECT_TRUE(knows(*tokens(6)));
    EXPECT_TRUE(knows(*tokens(7)));
}

TEST_F(SharedGroupsTest, AreFoundAnewWhereTheModelHasAnotherForm) {
    EXPECT_FALSE(knows(*tokens(5)));
    EXPECT_FALSE(knows(*tokens(8)));  // as many as there are values in a token
    EXPECT_FALSE(knows(*tokens(6)));
    EXPECT_FALSE(knows(*tokens(6, "random(9)")));
    EXPECT_TRUE(knows(*tokens(7, "random(9)")));
}

TEST_F(SharedGroupsTest, AreNotThoseOfAModelThatIsNoCopy) {
    EXPECT_FALSE(knows(*tokens(5), false));
    EXPECT_FALSE(knows(*tokens(6)));
    EXPECT_FALSE(knows(*tokens(7), false));
    EXPECT_FALSE(knows(*tokens(9)));
}

TEST_F(SharedGroupsTest, GetTheComposersOfTheSameChains) {
    const auto model = tokens(5);
    Grouping grouping = groups_.take(*model, true, {}, false);
    const post_ops::DnnlPostOpsComposer* const composer = &composer_of(grouping.groups[0]);
    groups_.keep(std::move(grouping));
    const auto other = tokens(6);
    grouping = groups_.take(*other, true, {}, false);
    EXPECT_EQ(&composer_of(grouping.groups[0]), composer);
    groups_.keep(std::move(grouping));
    const auto changed = tokens(6, "random(9)");
    grouping = groups_.take(*changed, true, {}, false);
    EXPECT_EQ(grouping.groups[0].composer, nullptr);
}

// A plan that could not be made keeps none.
TEST_F(SharedGroupsTest, AreFoundAnewAfterAFailure) {
    EXPECT_FALSE(knows(*tokens(5)));
    groups_.take(*tokens(6), true, {}, true);
    EXPECT_FALSE(knows(*tokens(7)));
    EXPECT_TRUE(knows(*tokens(9)));
}

}  // namespace
}  // namespace fuseq::cpu
