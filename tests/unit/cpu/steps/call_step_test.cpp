// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/call_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace fuseq::cpu {
namespace {

// Addresses that a test gives.
class PlacedMemory final : public RequestMemory {
public:
    void* data(TensorId id) const override { return places.at(id); }
    bool in_user_memory(TensorId) const override { return true; }
    const PlanTensor& tensor(TensorId) const override { return tensor_; }
    Tensor as_tensor(TensorId) const override { return {}; }
    void set_dynamic(TensorId, Tensor) override {}

    std::map<TensorId, void*> places;

private:
    PlanTensor tensor_;
};

// 10 * first + second, through the scratch memory.
void combine(const CallMemory& memory) {
    *memory.work<int>(0) = 10 * *memory.input<int>(0);
    *memory.output<int>(1) = *memory.work<int>(0) + *memory.input<int>(1);
    *memory.output<int>(0) = -1;
}

TEST(CallStep, GivesTensorsInTheOrderOfTheStep) {
    int values[5] = {};
    PlacedMemory memory;
    for (TensorId id = 0; id < 5; ++id) {
        memory.places[id] = &values[id];
    }
    values[4] = 3;
    values[1] = 4;
    const CallStep step(combine, {.inputs = {4, 1}, .outputs = {2, 0}, .scratch = {3}}, {});
    step.bind(memory)->run();
    EXPECT_THAT(values, ::testing::ElementsAre(34, 4, -1, 30, 3));
    // The plan keeps them alive and apart by these lists.
    EXPECT_THAT(step.inputs(), ::testing::ElementsAre(4u, 1u));
    EXPECT_THAT(step.outputs(), ::testing::ElementsAre(2u, 0u));
    EXPECT_THAT(step.scratch(), ::testing::ElementsAre(3u));
}

// A user may set another tensor for each run; a request is bound once.
TEST(CallStep, LooksWhereTensorsAreAtEachRun) {
    int first = 1;
    int other = 2;
    int rest[4] = {5, 0, 0, 0};
    PlacedMemory memory;
    memory.places = {{0, &first}, {1, &rest[0]}, {2, &rest[1]}, {3, &rest[2]}, {4, &rest[3]}};
    const CallStep step(combine, {.inputs = {0, 1}, .outputs = {2, 3}, .scratch = {4}}, {});
    const auto runner = step.bind(memory);
    runner->run();
    EXPECT_EQ(rest[2], 15);
    memory.places[0] = &other;
    runner->run();
    EXPECT_EQ(rest[2], 25);
}

TEST(CallStep, RequestsHaveTheirOwnMemory) {
    int a[5] = {1, 1, 0, 0, 0};
    int b[5] = {2, 2, 0, 0, 0};
    PlacedMemory of_a;
    PlacedMemory of_b;
    for (TensorId id = 0; id < 5; ++id) {
        of_a.places[id] = &a[id];
        of_b.places[id] = &b[id];
    }
    const CallStep step(combine, {.inputs = {0, 1}, .outputs = {2, 3}, .scratch = {4}}, {});
    const auto first = step.bind(of_a);
    const auto second = step.bind(of_b);
    second->run();
    first->run();
    EXPECT_EQ(a[3], 11);
    EXPECT_EQ(b[3], 22);
}

TEST(CallStep, HasNoRowTiling) {
    const CallStep step(combine, {}, {});
    EXPECT_FALSE(step.row_tiling());
}

}  // namespace
}  // namespace fuseq::cpu
