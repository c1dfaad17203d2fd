// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/slot_lifetimes.hpp"

#include <gtest/gtest.h>

namespace fuseq::test {
namespace {

using Slots = std::vector<std::size_t>;

TEST(SlotsToFree, AfterTheLastReader) {
    // 0 is the input; 1 = f(0), 2 = f(0, 1), 3 = f(1, 2)
    const std::vector<SlotUse> steps = {{{0}, {1}}, {{0, 1}, {2}}, {{1, 2}, {3}}};
    std::vector<bool> kept(4, false);
    kept[3] = true;
    EXPECT_EQ(slots_to_free(steps, kept), (std::vector<Slots>{{}, {0}, {1, 2}}));
}

TEST(SlotsToFree, WhatNobodyReadsGoesAtOnce) {
    const std::vector<SlotUse> steps = {{{0}, {1, 2}}, {{1}, {3}}};
    EXPECT_EQ(slots_to_free(steps, std::vector<bool>(4, false)),
              (std::vector<Slots>{{0, 2}, {1, 3}}));
}

TEST(SlotsToFree, KeptAndAbsentSlotsStay) {
    const std::vector<SlotUse> steps = {{{0, kNoSlot, 0}, {1}}};
    EXPECT_EQ(slots_to_free(steps, {true, false}), (std::vector<Slots>{{1}}));
    EXPECT_EQ(slots_to_free(steps, {false, true}), (std::vector<Slots>{{0}}));
    EXPECT_TRUE(slots_to_free({}, {}).empty());
}

}  // namespace
}  // namespace fuseq::test
