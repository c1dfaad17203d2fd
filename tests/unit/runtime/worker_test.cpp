// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace fuseq {
namespace {

TEST(Worker, RunsTasksInOrderOnOneOtherThread) {
    std::vector<int> order;
    std::vector<std::thread::id> threads;
    {
        Worker worker;
        for (int i = 0; i < 100; ++i) {
            worker.submit([&, i] {
                order.push_back(i);
                threads.push_back(std::this_thread::get_id());
            });
        }
    }  // runs what is left
    ASSERT_EQ(order.size(), 100u);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
        EXPECT_EQ(threads[static_cast<std::size_t>(i)], threads[0]);
    }
    EXPECT_NE(threads[0], std::this_thread::get_id());
}

TEST(Worker, WithoutTasksHasNoThread) {
    const Worker worker;  // nothing to join, nothing to hang on
}

}  // namespace
}  // namespace fuseq
