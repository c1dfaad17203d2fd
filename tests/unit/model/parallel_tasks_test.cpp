// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/parallel_tasks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace fuseq {
namespace {

TEST(ParallelTasks, EveryTaskRunsOnce) {
    for (const std::size_t threads : {0u, 1u, 3u, 50u}) {
        std::vector<std::atomic<int>> runs(20);
        run_tasks(runs.size(), threads, [&](std::size_t i) { ++runs[i]; });
        for (const auto& count : runs) {
            EXPECT_EQ(count, 1) << threads << " threads";
        }
    }
    run_tasks(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelTasks, TheFirstFailureIsThrown) {
    for (const std::size_t threads : {1u, 4u}) {
        try {
            run_tasks(8, threads,
                      [](std::size_t i) { throw std::runtime_error("task " + std::to_string(i)); });
            FAIL() << "nothing was thrown";
        } catch (const std::runtime_error& error) {
            EXPECT_STREQ(error.what(), "task 0");
        }
    }
}

TEST(ParallelTasks, NothingIsBegunAfterAFailure) {
    std::atomic<int> begun{0};
    EXPECT_THROW(run_tasks(100, 1,
                           [&](std::size_t i) {
                               ++begun;
                               if (i == 3) {
                                   throw std::runtime_error("stop");
                               }
                           }),
                 std::runtime_error);
    EXPECT_EQ(begun, 4);
}

}  // namespace
}  // namespace fuseq
