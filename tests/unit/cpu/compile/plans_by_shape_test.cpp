// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/plans_by_shape.hpp"

#include <gtest/gtest.h>

#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

const std::int8_t kFirst[100] = {};
const std::int8_t kSecond[30] = {};

class WeightsFake final : public FakeStep {
public:
    explicit WeightsFake(std::span<const std::int8_t> weights)
        : FakeStep("weights", {}, {}), weights_(weights) {}
    std::size_t packed_bytes() const override { return weights_.size() + 4; }  // and a bias
    std::span<const std::int8_t> packed_weights() const override { return weights_; }

private:
    std::span<const std::int8_t> weights_;
};

std::shared_ptr<const PlannedModel> plan_with(std::span<const std::int8_t> weights) {
    auto planned = std::make_shared<PlannedModel>();
    planned->plan.arena_bytes = 1000;
    planned->plan.steps.push_back(std::make_unique<WeightsFake>(weights));
    return planned;
}

std::vector<Shape> length(std::size_t size) {
    return {Shape{1, size}};
}

TEST(PlansByShape, CountsSharedWeightsOnce) {
    PlansByShape plans;
    EXPECT_EQ(plans.bytes(), 0u);
    plans.add(length(1), plan_with(kFirst));
    EXPECT_EQ(plans.bytes(), 1000u + 4 + 100);
    plans.add(length(2), plan_with(kFirst));
    EXPECT_EQ(plans.bytes(), 2 * (1000u + 4) + 100);
    plans.add(length(3), plan_with(kSecond));
    EXPECT_EQ(plans.bytes(), 3 * (1000u + 4) + 130);
}

TEST(PlansByShape, DropsThoseUsedLongestAgo) {
    PlansByShape plans;
    const auto first = plan_with(kFirst);
    plans.add(length(1), first);
    plans.add(length(2), plan_with(kFirst));
    plans.add(length(3), plan_with(kSecond));
    EXPECT_EQ(plans.find(length(4)), nullptr);
    EXPECT_EQ(plans.find(length(1)), first);
    EXPECT_EQ(plans.last(), first);
    plans.drop(2, SIZE_MAX);
    EXPECT_EQ(plans.find(length(2)), nullptr);
    EXPECT_NE(plans.find(length(3)), nullptr);
    EXPECT_EQ(plans.size(), 2u);
}

// The last one stays: a request is about to use it.
TEST(PlansByShape, KeepsOneHoweverFewBytesThereAre) {
    PlansByShape plans;
    plans.add(length(1), plan_with(kFirst));
    plans.add(length(2), plan_with(kSecond));
    plans.drop(SIZE_MAX, 1000 + 4 + 100 + 1000 + 4 + 30);
    EXPECT_EQ(plans.size(), 2u);
    plans.drop(SIZE_MAX, 2000);
    EXPECT_EQ(plans.size(), 1u);
    plans.drop(0, 0);
    EXPECT_NE(plans.find(length(2)), nullptr);
}

}  // namespace
}  // namespace fuseq::cpu
