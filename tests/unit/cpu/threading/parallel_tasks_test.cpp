// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/parallel_tasks.hpp"

#include <atomic>
#include <new>
#include <vector>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

TEST(ParallelTasks, DoesEachOnce) {
    for (const int threads : {1, 2, 4}) {
        const ThreadCount use(threads);
        std::vector<std::atomic<int>> done(37);
        parallel_tasks(done.size(), [&](std::size_t i) { ++done[i]; });
        for (const auto& times : done) {
            EXPECT_EQ(times, 1) << threads << " threads";
        }
    }
}

TEST(ParallelTasks, ThrowsWhatAThreadThrew) {
    for (const int threads : {1, 2, 4}) {
        const ThreadCount use(threads);
        for (const std::size_t bad : {0ul, 17ul, 36ul}) {
            const auto task = [&](std::size_t i) {
                if (i == bad) {
                    throw std::bad_alloc();
                }
            };
            EXPECT_THROW(parallel_tasks(37, task), std::bad_alloc) << threads << " threads";
        }
        std::atomic<int> done = 0;  // the team works as before
        parallel_tasks(8, [&](std::size_t) { ++done; });
        EXPECT_EQ(done, 8);
    }
}

}  // namespace
}  // namespace fuseq::cpu
