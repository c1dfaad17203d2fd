// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> executed(const Program& program) {
    std::vector<std::string> names;
    for (const Node* node : program.executed_nodes()) {
        names.push_back(node->name());
    }
    return names;
}

ProgramRun run_with(std::vector<Tensor> inputs) {
    ProgramRun run;
    run.inputs = std::move(inputs);
    run.cancelled = nullptr;
    return run;
}

TEST(Program, FoldsWhatFollowsFromConstants) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f32[2]
        %a = Const.1 value={1,2} : f32[2]
        %b = Const.1 value={10,20} : f32[2]
        %sum = Add.1(%a, %b) : f32[2]
        %twice = Add.1(%sum, %sum) : f32[2]
        %y = Add.1(%x, %twice) : f32[2]
        %r0 = Result.1(%y) : f32[2]
        %r1 = Result.1(%sum) : f32[2])");
    const Program program(model);
    EXPECT_THAT(executed(program), ElementsAre("y"));
    ProgramRun run = run_with({Tensor::of<float>({2}, {100, 200})});
    program.run(run);
    EXPECT_THAT(to_floats(run.outputs[0]), ElementsAre(122, 244));
    EXPECT_THAT(to_floats(run.outputs[1]), ElementsAre(11, 22));
}

TEST(Program, ReadsAValueAsOftenAsItIsUsed) {
    // x is read by the first and by the last step, and twice by one of them.
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f32[1]
        %a = Add.1(%x, %x) : f32[1]
        %b = ReLU.1(%a) : f32[1]
        %unread = ReLU.1(%b) : f32[1]
        %c = Add.1(%b, %x) : f32[1]
        %r = Result.1(%c) : f32[1]
        %again = Result.1(%c) : f32[1])");
    const Program program(model);
    ProgramRun run = run_with({Tensor::scalar(3.0f).reshaped({1})});
    for (int i = 0; i < 2; ++i) {
        program.run(run);
        EXPECT_THAT(to_floats(run.outputs[0]), ElementsAre(9));
        EXPECT_THAT(to_floats(run.outputs[1]), ElementsAre(9));
    }
}

TEST(Program, KeepsFakeQuantizeResultsAndTimes) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f32[3]
        %w = Const.1 value={0.26,-3,1} : f32[3]
        %low = Const.1 value={0} : f32[]
        %high = Const.1 value={1} : f32[]
        %fq_w = FakeQuantize.1(%w, %low, %high, %low, %high) levels=3 : f32[3]
        %fq_x = FakeQuantize.1(%x, %low, %high, %low, %high) levels=5 : f32[3]
        %y = Multiply.1(%fq_x, %fq_w) : f32[3]
        %r = Result.1(%y) : f32[3])");
    const Program program(model);
    ProgramRun run = run_with({Tensor::of<float>({3}, {0.3f, 0.5f, 7.0f})});
    program.run(run);
    EXPECT_TRUE(run.intermediates.empty());
    EXPECT_TRUE(run.profile_info.empty());
    run.keep_intermediates = true;
    run.profile = true;
    program.run(run);
    ASSERT_EQ(run.intermediates.size(), 2u);
    EXPECT_EQ(run.intermediates[0].first, "fq_w");
    EXPECT_THAT(to_floats(run.intermediates[0].second), ElementsAre(0.5f, 0, 1));
    EXPECT_EQ(run.intermediates[1].first, "fq_x");
    EXPECT_THAT(to_floats(run.intermediates[1].second), ElementsAre(0.25f, 0.5f, 1));
    ASSERT_EQ(run.profile_info.size(), 2u);
    EXPECT_EQ(run.profile_info[1].node_name, "y");
    EXPECT_EQ(run.profile_info[1].node_type, "Multiply");
    EXPECT_EQ(run.profile_info[1].exec_type, "reference");
    EXPECT_GE(run.profile_info[1].real_time_us, 0);
}

TEST(Program, NamesTheLayerThatFails) {
    auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f32[?]
        %w = Const.1 value={1,2} : f32[2]
        %y = Add.1(%x, %w) : f32[2]
        %r = Result.1(%y) : f32[2])");
    const Program program(model);
    ProgramRun run = run_with({Tensor(ElementType::f32, {3})});
    try {
        program.run(run);
        FAIL() << "nothing was thrown";
    } catch (const Error& error) {
        EXPECT_EQ(error.info().layer, "y");
        EXPECT_EQ(error.info().op, "Add");
        EXPECT_EQ(error.info().stage, "infer");
    }
}

TEST(Program, StopsWhenCancelled) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f32[1]
        %a = ReLU.1(%x) : f32[1]
        %r = Result.1(%a) : f32[1])");
    const Program program(model);
    const std::atomic<bool> cancelled = true;
    ProgramRun run = run_with({Tensor(ElementType::f32, {1})});
    run.cancelled = &cancelled;
    EXPECT_THROW(program.run(run), Error);
}

}  // namespace
}  // namespace fuseq::reference
