// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/arena.hpp"

#include <random>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

bool overlap(std::size_t a, std::size_t a_bytes, std::size_t b, std::size_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

TEST(Arena, TensorsThatNeverMeetShareMemory) {
    const ArenaPlan plan = plan_arena({{0, 1, 1000}, {2, 3, 1000}});
    EXPECT_EQ(plan.offsets[0], plan.offsets[1]);
    EXPECT_EQ(plan.bytes, 1024u);
}

TEST(Arena, TensorsOfOneStepDoNot) {
    // The first is last read by step 1, which writes the second.
    const ArenaPlan plan = plan_arena({{0, 1, 64}, {1, 2, 64}});
    EXPECT_NE(plan.offsets[0], plan.offsets[1]);
    EXPECT_EQ(plan.bytes, 128u);
}

TEST(Arena, SmallOnesFillGaps) {
    // Two large ones alive all the time, between and after them small ones in turn.
    const ArenaPlan plan = plan_arena({{0, 9, 640}, {0, 9, 640}, {0, 4, 64}, {5, 9, 64}});
    EXPECT_EQ(plan.bytes, 1344u);
    EXPECT_EQ(plan.offsets[2], plan.offsets[3]);
}

TEST(Arena, NothingNeedsNothing) {
    EXPECT_EQ(plan_arena({}).bytes, 0u);
    EXPECT_EQ(plan_arena({{0, 0, 0}}).bytes, 0u);
}

TEST(Arena, NoTwoLiveTensorsOverlap) {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        std::mt19937 random(seed);
        std::vector<Lifetime> lives;
        for (int i = 0; i < 60; ++i) {
            const std::size_t first = random() % 40;
            lives.push_back({first, first + random() % 10, random() % 5000});
        }
        const ArenaPlan plan = plan_arena(lives);
        for (std::size_t a = 0; a < lives.size(); ++a) {
            EXPECT_EQ(plan.offsets[a] % kArenaAlignment, 0u);
            EXPECT_LE(plan.offsets[a] + lives[a].bytes, plan.bytes);
            for (std::size_t b = 0; b < a; ++b) {
                const bool together =
                    lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
                EXPECT_FALSE(together && overlap(plan.offsets[a], lives[a].bytes, plan.offsets[b],
                                                 lives[b].bytes))
                    << "seed " << seed << ": " << a << " and " << b;
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::cpu
