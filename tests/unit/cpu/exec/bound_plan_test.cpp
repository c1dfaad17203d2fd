// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/bound_plan.hpp"

#include <fmt/core.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/compile/transformed.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Keeps what the plan refers to.
class Planned {
public:
    explicit Planned(const std::string& text)
        : transformed_(transform_for_cpu(*Model::from_text(text), config_)) {
        plan_ = make_plan(*transformed_.model, transformed_.ranges, build_options(config_));
    }
    const Plan& plan() const { return plan_; }

private:
    Config config_;
    Transformed transformed_;
    Plan plan_;
};

constexpr const char* kDoubled = R"(model "m"
    %x = Parameter : f32[3]
    %k = Const value={2} : f32[]
    %y = Multiply(%x, %k)
    %r = Result(%y))";

TEST(BoundPlan, RunsOnTheTensorsOfItsOwner) {
    const Planned planned(kDoubled);
    std::vector<Tensor> inputs{Tensor::of<float>({3}, {1, 2, 3})};
    std::vector<Tensor> outputs{Tensor(ElementType::f32, {3})};
    BoundPlan bound(planned.plan(), inputs, outputs);
    ASSERT_EQ(bound.output_shape(0), Shape{3});
    EXPECT_FALSE(bound.is_output_apart(0));
    bound.run();
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(2, 4, 6));
    EXPECT_THAT(to_floats(bound.output(0)), ElementsAre(2, 4, 6));
    // Both may be replaced between runs.
    inputs[0] = Tensor::of<float>({3}, {-1, 0, 5});
    outputs[0] = Tensor(ElementType::f32, {3});
    bound.run();
    EXPECT_THAT(to_floats(outputs[0]), ElementsAre(-2, 0, 10));
}

// A chain whose steps keep a result of `count` floats in between.
std::string sums_of(std::size_t count) {
    return fmt::format(R"(model "m"
    %x = Parameter : f32[{}]
    %a = Const value={{0}} : i64[1]
    %s = CumSum(%x, %a)
    %t = CumSum(%s, %a)
    %r = Result(%t))",
                       count);
}

TEST(BoundPlan, UsesTheArenaOfThePlanBefore) {
    const Planned large(sums_of(3000));
    const Planned smaller(sums_of(2000));
    const Planned small(sums_of(3));
    std::vector<Tensor> inputs(1);
    std::vector<Tensor> outputs(1);
    Arena arena;
    const auto bytes_of_run = [&](const Planned& planned, std::size_t count) {
        inputs[0] = Tensor::of<float>({count}, std::vector<float>(count, 1.0f));
        outputs[0] = Tensor(ElementType::f32, {count});
        BoundPlan bound(planned.plan(), inputs, outputs, nullptr, arena);
        bound.poison(0x7f);
        bound.run();
        const auto n = static_cast<float>(count);
        EXPECT_EQ(to_floats(outputs[0]).back(), n * (n + 1) / 2);
        arena = bound.arena();
        return arena.bytes;
    };
    const std::size_t most = bytes_of_run(large, 3000);
    ASSERT_GE(most, 12000u);
    const void* const memory = arena.memory.get();
    EXPECT_EQ(bytes_of_run(smaller, 2000), most);
    EXPECT_EQ(arena.memory.get(), memory);
    EXPECT_LT(bytes_of_run(small, 3), most / 8);  // much too large: given back
    EXPECT_EQ(bytes_of_run(large, 3000), most);   // too small
}

TEST(BoundPlan, EveryWayToRunGivesTheSame) {
    const Planned planned(kDoubled);
    std::vector<Tensor> inputs{Tensor::of<float>({3}, {1, 2, 3})};
    std::vector<Tensor> outputs{Tensor(ElementType::f32, {3})};
    BoundPlan bound(planned.plan(), inputs, outputs);
    EXPECT_TRUE(bound.times_us().empty());
    const auto check = [&](const char* what) {
        EXPECT_THAT(to_floats(outputs[0]), ElementsAre(2, 4, 6)) << what;
        EXPECT_EQ(bound.times_us().size(), planned.plan().steps.size()) << what;
    };
    bound.poison(0x7f);
    bound.run_timed();
    check("timed");
    bound.poison(0x7f);
    std::vector<const Step*> seen;
    bound.run_step_by_step([&](const Step& step) { seen.push_back(&step); });
    check("step by step");
    ASSERT_EQ(seen.size(), planned.plan().steps.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
        EXPECT_EQ(seen[i], planned.plan().steps[i].get());
    }
}

// All memory that a run writes to: what it does not write afterwards shows.
TEST(BoundPlan, PoisonFillsTheOutputs) {
    const Planned planned(kDoubled);
    std::vector<Tensor> inputs{Tensor::of<float>({3}, {1, 2, 3})};
    std::vector<Tensor> outputs{Tensor::of<float>({3}, {0, 0, 0})};
    BoundPlan bound(planned.plan(), inputs, outputs);
    bound.poison(0x42);
    EXPECT_THAT(to_floats(outputs[0]),
                ::testing::Each(::testing::FloatEq(48.564705f)));  // 0x42424242
    EXPECT_THAT(to_floats(inputs[0]), ElementsAre(1, 2, 3));
}

// The number of elements that are not zero is known after a run only.
TEST(BoundPlan, AnOutputOfOpenShapeHasATensorOfItsOwn) {
    const Planned planned(R"(model "m"
        %x = Parameter : f32[4]
        %y = NonZero.3(%x) output_type=i64
        %r = Result(%y))");
    std::vector<Tensor> inputs{Tensor::of<float>({4}, {0, 7, 0, 8})};
    std::vector<Tensor> outputs{Tensor(ElementType::i64, {0})};
    BoundPlan bound(planned.plan(), inputs, outputs);
    EXPECT_EQ(bound.output_shape(0), std::nullopt);
    EXPECT_TRUE(bound.is_output_apart(0));
    bound.run();
    EXPECT_EQ(bound.output(0).get_shape(), (Shape{1, 2}));
    EXPECT_THAT(to_floats(bound.output(0)), ElementsAre(1, 3));
    inputs[0] = Tensor::of<float>({4}, {0, 0, 0, 0});
    bound.run();
    EXPECT_EQ(bound.output(0).get_shape(), (Shape{1, 0}));
}

TEST(BoundPlan, AFailureNamesTheLayerAndTheNextRunMayFollow) {
    const Planned planned(R"(model "m"
        %x = Parameter : f32[3,4,5]
        %h = Parameter : f32[3,1,2]
        %l = Parameter : i32[3]
        %w = Const value=random(1) : f32[1,6,5]
        %u = Const value=random(2) : f32[1,6,2]
        %b = Const value=random(3) : f32[1,6]
        %y = GRUSequence(%x, %h, %l, %w, %u, %b) hidden_size=2 direction=forward
        %r = Result(%y:0))");
    std::vector<Tensor> inputs{Tensor(ElementType::f32, {3, 4, 5}),
                               Tensor(ElementType::f32, {3, 1, 2}),
                               Tensor::of<std::int32_t>({3}, {4, 9, 4})};
    std::vector<Tensor> outputs{Tensor(ElementType::f32, {3, 1, 4, 2})};
    BoundPlan bound(planned.plan(), inputs, outputs);
    EXPECT_THAT([&] { bound.run(); }, ::testing::ThrowsMessage<Error>(HasSubstr("'y'")));
    inputs[2] = Tensor::of<std::int32_t>({3}, {4, 2, 4});
    EXPECT_NO_THROW(bound.run());
}

}  // namespace
}  // namespace fuseq::cpu
