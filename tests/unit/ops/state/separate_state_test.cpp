// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/state/separate_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::test {
namespace {

TEST(SeparateState, VariablesBecomeInputsAndOutputs) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[2]
        %zero = Const value={0,0} : f32[2]
        %start = Maximum(%x, %zero)
        %r = ReadValue.6(%start) variable_id="v" variable_type=f32 variable_shape=[2] : f32[2] "old"
        %sum = Add(%r, %x)
        %a = Assign.6(%sum) variable_id="v"
        %out = Result(%a))");
    separate_state(*model);
    const auto expected = Model::from_text(R"(model "m"
        %x = Parameter : f32[2]
        %r = Parameter : f32[2] "old"
        %sum = Add(%r, %x)
        %out = Result(%sum)
        %a = Result(%sum))");
    EXPECT_EQ(compare_models(*model, *expected, {.layer_names = true}), "");
    EXPECT_EQ(model->node_count(), expected->node_count());
    EXPECT_TRUE(variables_of(*model).empty());
}

TEST(SeparateState, InTheOrderOfTheirNames) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[1]
        %r2 = ReadValue.6 variable_id="b" variable_type=f32 variable_shape=[1]
        %r1 = ReadValue.6 variable_id="a" variable_type=f32 variable_shape=[1]
        %a2 = Assign.6(%r1) variable_id="b"
        %a1 = Assign.6(%r2) variable_id="a"
        %out = Result(%x))");
    separate_state(*model);
    ASSERT_EQ(model->parameters().size(), 3u);
    EXPECT_EQ(model->parameters()[1]->name(), "r1");
    EXPECT_EQ(model->parameters()[2]->name(), "r2");
    ASSERT_EQ(model->results().size(), 3u);
    EXPECT_EQ(model->results()[1]->input_node(0), model->parameters()[2]);
    EXPECT_EQ(model->results()[2]->input_node(0), model->parameters()[1]);
}

TEST(SeparateState, LeavesOtherModelsAlone) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[1]
        %dead = ReLU(%x)
        %out = Result(%x))");
    separate_state(*model);
    EXPECT_EQ(model->node_count(), 3u);
    EXPECT_TRUE(initial_values(*model).empty());
}

// "c" begins at twice what "b" is now, which begins at the input; "a" begins at zeros.
TEST(InitialValues, AreComputedOneAfterTheOther) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[1]
        %ra = ReadValue.6 variable_id="a" variable_type=f32 variable_shape=[1]
        %rb = ReadValue.6(%x) variable_id="b" variable_type=f32 variable_shape=[1]
        %twice = Add(%rb, %rb)
        %rc = ReadValue.6(%twice) variable_id="c" variable_type=f32 variable_shape=[1]
        %aa = Assign.6(%rc) variable_id="a"
        %ab = Assign.6(%rc) variable_id="b"
        %ac = Assign.6(%ra) variable_id="c"
        %out = Result(%x))");
    const std::vector<InitialValues> levels = initial_values(*model);
    ASSERT_EQ(levels.size(), 2u);
    EXPECT_THAT(levels[0].variables, testing::ElementsAre(1));
    EXPECT_THAT(levels[1].variables, testing::ElementsAre(2));
    for (const InitialValues& level : levels) {
        EXPECT_EQ(level.model->parameters().size(), 4u);
        EXPECT_TRUE(variables_of(*level.model).empty());
    }
    ASSERT_EQ(levels[0].model->results().size(), 1u);
    EXPECT_EQ(levels[0].model->results()[0]->input_node(0)->name(), "x");
    ASSERT_EQ(levels[1].model->results().size(), 1u);
    EXPECT_EQ(levels[1].model->results()[0]->input_node(0)->name(), "twice");
    EXPECT_EQ(levels[1].model->find("twice")->input_node(0), levels[1].model->parameters()[2]);
}

}  // namespace
}  // namespace fuseq::test
