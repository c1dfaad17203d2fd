// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/streams.hpp"

#include <atomic>
#include <future>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

TEST(Streams, RunEveryTaskBeforeTheyEnd) {
    std::atomic<int> done = 0;
    {
        Streams streams(3);
        for (int i = 0; i < 100; ++i) {
            streams.submit([&] { ++done; });
        }
    }
    EXPECT_EQ(done, 100);
}

TEST(Streams, WorkSideBySide) {
    // Each task waits for the other: one stream alone would never finish them.
    Streams streams(2);
    std::promise<void> first, second, both;
    streams.submit([&] {
        first.set_value();
        second.get_future().wait();
        both.set_value();
    });
    streams.submit([&] {
        first.get_future().wait();
        second.set_value();
    });
    EXPECT_EQ(both.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST(Streams, OneStreamKeepsTheOrder) {
    std::vector<int> order;
    {
        Streams streams(1);
        for (int i = 0; i < 20; ++i) {
            streams.submit([&order, i] { order.push_back(i); });
        }
    }
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
    }
}

}  // namespace
}  // namespace fuseq::cpu
