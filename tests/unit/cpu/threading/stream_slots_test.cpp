// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/stream_slots.hpp"

#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

TEST(StreamSlots, RequestsAtTheSameTimeHaveDifferentOnes) {
    StreamSlots slots(3);
    const StreamSlot a(slots);
    const StreamSlot b(slots);
    const StreamSlot c(slots);
    EXPECT_EQ((std::set<std::size_t>{a.stream(), b.stream(), c.stream()}),
              (std::set<std::size_t>{0, 1, 2}));
}

TEST(StreamSlots, AThreadKeepsItsOwnWhileItIsFree) {
    StreamSlots slots(3);
    std::size_t other = 0;
    {
        const StreamSlot first(slots);
        std::thread([&] {
            for (int run = 0; run < 3; ++run) {
                const StreamSlot mine(slots);
                EXPECT_NE(mine.stream(), first.stream());
                EXPECT_TRUE(run == 0 || mine.stream() == other);
                other = mine.stream();
            }
        }).join();
    }
}

TEST(StreamSlots, MoreRequestsThanStreamsShareThem) {
    StreamSlots slots(2);
    const StreamSlot a(slots);
    const StreamSlot b(slots);
    const StreamSlot c(slots);
    EXPECT_NE(a.stream(), b.stream());
    EXPECT_LT(c.stream(), 2u);
}

}  // namespace
}  // namespace fuseq::cpu
