// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/prefetch_next_weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu/steps/capabilities.hpp"
#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

class FakeProduct final : public FakeStep, public WeightPrefetch {
public:
    using FakeStep::FakeStep;
    WeightPrefetch* weight_prefetch() override { return this; }
    std::size_t fetchable() const override { return 0; }
    WeightSpan first_weights(std::size_t, std::size_t) const override { return {}; }
    const WeightPrefetch* next() const override { return next_; }
    void set_next(const WeightPrefetch& next) override { next_ = &next; }
    void set_ahead(std::vector<WeightSpan>, bool) override {}

private:
    const WeightPrefetch* next_ = nullptr;
};

class PrefetchNextWeights : public FakePlanTest {
protected:
    FakeProduct& product(const char* name) {
        return add(
            std::make_unique<FakeProduct>(name, std::vector<TensorId>{}, std::vector<TensorId>{}));
    }
};

TEST_F(PrefetchNextWeights, OfTheNextProductIfItIsNear) {
    const FakeProduct& a = product("a");
    step("between", {}, {});
    step("between too", {}, {});
    const FakeProduct& b = product("b");
    for (const char* far : {"1", "2", "3"}) {
        step(far, {}, {});
    }
    const FakeProduct& c = product("c");
    PlanPassContext context;
    EXPECT_TRUE(prefetch_next_weights(plan_, context));
    EXPECT_EQ(a.next(), &b);
    EXPECT_EQ(b.next(), nullptr);
    EXPECT_EQ(c.next(), nullptr);
    EXPECT_THAT(sentences(context.remarks()), ElementsAre("a: fetches the first weights of 'b'"));
}

TEST_F(PrefetchNextWeights, NothingWithoutTwoProducts) {
    step("a", {}, {});
    product("b");
    PlanPassContext context;
    EXPECT_FALSE(prefetch_next_weights(plan_, context));
}

}  // namespace
}  // namespace fuseq::cpu
