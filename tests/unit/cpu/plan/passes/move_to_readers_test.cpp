// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/move_to_readers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

using MoveToReaders = FakePlanTest;

TEST_F(MoveToReaders, LargeResultsAreMadeWhereTheyAreRead) {
    const TensorId a = tensor(1);
    const TensorId large = tensor(400);
    const TensorId small = tensor(1);
    const TensorId b = tensor(1);
    step("large", {a}, {large});
    step("small", {a}, {small});
    step("other", {small}, {b});
    step("reader", {b, large}, {tensor(1)});
    PlanPassContext context;
    EXPECT_TRUE(move_to_readers(plan_, context));
    EXPECT_THAT(order(), ElementsAre("small", "other", "large", "reader"));
    EXPECT_THAT(sentences(context.remarks()),
                ElementsAre("large: runs before 'reader', 2 steps later"));
}

TEST_F(MoveToReaders, NothingMovesAfterWhatWritesItsSource) {
    const TensorId a = tensor(1);
    const TensorId large = tensor(400);
    const TensorId again = tensor(1);
    plan_.tensors[again].alias = a;
    step("large", {a}, {large});
    step("into a", {}, {again});
    step("reader", {again, large}, {tensor(1)});
    step("large and never read", {a}, {tensor(400)});
    step("last", {a}, {tensor(1)});
    PlanPassContext context;
    EXPECT_FALSE(move_to_readers(plan_, context));
    EXPECT_THAT(order(), ElementsAre("large", "into a", "reader", "large and never read", "last"));
}

}  // namespace
}  // namespace fuseq::cpu
