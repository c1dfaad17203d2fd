// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan.hpp"

#include <gtest/gtest.h>

#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

class PackedFake final : public FakeStep {
public:
    using FakeStep::FakeStep;
    std::size_t packed_bytes() const override { return 1000; }
};

class PlanTest : public FakePlanTest {};

TEST_F(PlanTest, TheRootOfAViewOfAView) {
    const TensorId a = tensor(1);
    const TensorId b = tensor(1);
    const TensorId c = tensor(1);
    plan_.tensors[b].alias = a;
    plan_.tensors[c].alias = b;
    EXPECT_EQ(plan_.root(c), a);
    EXPECT_EQ(plan_.root(a), a);
}

// Constants in the order of the IR are the model's; reordered copies are the plan's own.
TEST_F(PlanTest, BytesAreArenaPackedWeightsAndOwnConstants) {
    plan_.arena_bytes = 64;
    add(std::make_unique<PackedFake>("a", std::vector<TensorId>{}, std::vector<TensorId>{}));
    for (const Layout layout : {Layout::kPlain, Layout::kChannelsLast}) {
        PlanTensor& constant = plan_.tensors[tensor(4, 2)];
        constant.storage = Storage::kConstant;
        constant.layout = layout;
        constant.constant = Tensor(ElementType::f32, Shape{4, 2});
    }
    EXPECT_EQ(plan_.bytes(), 64u + 1000u + 32u);
}

}  // namespace
}  // namespace fuseq::cpu
