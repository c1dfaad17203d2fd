// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A convolution "c" of the input "x"; then what the test puts after it.
std::shared_ptr<Model> model_with(const std::string& rest, const std::string& batch = "1") {
    return Model::from_text("model \"m\"\n%x = Parameter : f32[" + batch + R"(,2,4,4]
        %w = Const value=random(1) : f32[2,2,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        )" + rest);
}

// "result: chain" of each group.
std::vector<std::string> groups_of(const Model& model, bool fuse = true) {
    std::vector<std::string> texts;
    for (const Group& group : attach_post_ops(model, fuse).groups) {
        texts.push_back(group.result.node->name() + ": " + to_text(group));
    }
    return texts;
}

TEST(Groups, AnAnchorTakesTheElementWiseNodesAfterIt) {
    const auto model = model_with(R"(%k = Const value={0.5} : f32[]
        %m = Multiply(%c, %k)
        %y = ReLU(%m)
        %r = Result(%y))");
    EXPECT_THAT(groups_of(*model), ElementsAre("y: c | scale(0.5) relu -> f32"));
    const Grouping grouping = attach_post_ops(*model, true);
    for (const char* node : {"c", "m", "y"}) {
        EXPECT_EQ(grouping.group_of.at(model->find(node)), 0u) << node;
    }
    EXPECT_FALSE(grouping.group_of.contains(model->find("x")));
    EXPECT_THAT(grouping.groups[0].ends, ElementsAre(1, 2));
}

TEST(Groups, AResultThatTwoNodesReadEndsTheGroup) {
    const auto model = model_with(R"(%y = ReLU(%c)
        %z = Sigmoid(%y)
        %r = Result(%y)
        %s = Result(%z))");
    EXPECT_THAT(groups_of(*model), ElementsAre("y: c | relu -> f32", "z: y | sigmoid -> f32"));
}

TEST(Groups, EveryNodeIsAGroupOfItsOwnWithoutFusion) {
    const auto model = model_with(R"(%y = ReLU(%c)
        %r = Result(%y))");
    EXPECT_THAT(groups_of(*model, false), ElementsAre("c: c | -> f32", "y: c | relu -> f32"));
}

TEST(Groups, TheOtherOperandIsABinarySource) {
    const auto model = model_with(R"(%p = Parameter : f32[1,2,4,4]
        %y = Add(%c, %p)
        %r = Result(%y))");
    const Grouping grouping = attach_post_ops(*model, true);
    ASSERT_EQ(grouping.groups.size(), 1u);
    ASSERT_EQ(grouping.groups[0].binary_sources.size(), 1u);
    EXPECT_EQ(grouping.groups[0].binary_sources[0].node, model->find("p"));
}

// The later anchor would take the Add, and the floats of the other one would be stored.
TEST(Groups, OfTwoAnchorsThatMeetTheOneInFloatsTakesTheAdd) {
    const std::string second =
        R"(%d = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        )";
    const std::string quantized = R"(%lo = Const value={0} : f32[]
        %hi = Const value={255} : f32[]
        %q = FakeQuantize(%d, %lo, %hi, %lo, %hi) levels=256 output_type=u8
        %f = Convert(%q) destination_type=f32
        %k = Const value={0.5} : f32[]
        %b = Multiply(%f, %k)
        )";
    EXPECT_THAT(
        groups_of(*model_with(second + quantized + R"(%y = Add(%c, %b)
        %r = Result(%y))")),
        ElementsAre(StartsWith("q: d | "), "y: c | add(#0 u8 *0.5) -> f32", StartsWith("b: q")));
    EXPECT_THAT(groups_of(*model_with(second + R"(%y = Add(%c, %d)
        %r = Result(%y))")),
                ElementsAre("y: d | add(#0 f32) -> f32", "c: c | -> f32"));
}

TEST(Groups, ElementWiseNodesWithoutAnAnchorReadASource) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,4,4]
        %y = ReLU(%x)
        %z = Sigmoid(%y)
        %r = Result(%z))");
    const Grouping grouping = attach_post_ops(*model, true);
    ASSERT_EQ(grouping.groups.size(), 1u);
    EXPECT_EQ(grouping.groups[0].anchor, nullptr);
    EXPECT_EQ(grouping.groups[0].source.node, model->find("x"));
    EXPECT_THAT(groups_of(*model), ElementsAre("z: x | relu sigmoid -> f32"));
}

TEST(Groups, OpenShapesAreNoAnchors) {
    const auto fixed = model_with("%r = Result(%c)");
    EXPECT_TRUE(is_anchor(*fixed->find("c")));
    const auto open = model_with("%r = Result(%c)", "?");
    EXPECT_FALSE(is_anchor(*open->find("c")));
    EXPECT_THAT(groups_of(*open), IsEmpty());
}

}  // namespace
}  // namespace fuseq::cpu
