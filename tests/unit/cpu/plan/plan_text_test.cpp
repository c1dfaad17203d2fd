// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan_text.hpp"

#include <gtest/gtest.h>

#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

using PlanText = FakePlanTest;

TEST_F(PlanText, HasALineForEachStepTensorAndGroup) {
    const TensorId input = tensor(2, 8);
    const TensorId inner = tensor(4, 8);
    const TensorId view = tensor(8, 4);
    plan_.tensors[input].storage = Storage::kInput;
    plan_.tensors[inner].offset = 64;
    plan_.tensors[inner].part_row = 4;
    plan_.tensors[inner].part_bytes = 128;
    plan_.tensors[inner].parts = 2;
    plan_.tensors[view].alias = inner;
    StepInfo& info = step("a", {input, kNoTensor}, {inner}).info();
    info.kind = "eltwise";
    info.implementation = "fuseq:eltwise";
    info.post_ops = "relu -> u8";
    plan_.arena_bytes = 256;
    plan_.tile_groups = {{.first = 0, .last = 1, .rows = 8, .grain = 2, .part = 4, .threads = 2}};
    EXPECT_EQ(to_text(plan_),
              "plan: 1 steps, 3 tensors, 1 tile groups, 256 bytes of arena\n"
              "step 0 eltwise \"a\" [fuseq:eltwise] (%0, none) -> (%1) post_ops: relu -> u8\n"
              "tensor %0 u8 [8,2] plain input 0, 16 bytes\n"
              "tensor %1 u8 [8,4] plain arena at 64, 32 bytes, 2 parts of 128 bytes\n"
              "tensor %2 u8 [4,8] plain over %1, 32 bytes\n"
              "group steps 0 to 0: 8 rows in parts of 4, grain 2, share grain 1, 2 threads\n");
}

TEST_F(PlanText, SizesThatAreNotKnownAreLeftOut) {
    const TensorId id = tensor(1, 1);
    plan_.tensors[id].shape = PartialShape{Dimension(), 3};
    plan_.tensors[id].storage = Storage::kDynamic;
    EXPECT_EQ(to_text(plan_),
              "plan: 0 steps, 1 tensors, 0 tile groups, 0 bytes of arena\n"
              "tensor %0 u8 [?,3] plain dynamic\n");
}

}  // namespace
}  // namespace fuseq::cpu
