// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/parallel_tasks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
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

TEST(BackgroundTasks, EveryTaskRunsOnceAndIsDoneAfterFinish) {
    for (const std::size_t threads : {0u, 1u, 2u, 50u}) {
        std::vector<std::atomic<int>> runs(200);
        BackgroundTasks tasks(threads);
        for (auto& count : runs) {
            tasks.add([&count] { ++count; });
        }
        tasks.finish();
        for (const auto& count : runs) {
            EXPECT_EQ(count, 1) << threads << " threads";
        }
    }
    BackgroundTasks none(4);
    none.finish();
}

TEST(BackgroundTasks, HelpersBeginBeforeFinish) {
    std::promise<void> ran;
    BackgroundTasks tasks(2);
    tasks.add([&] { ran.set_value(); });
    ran.get_future().wait();  // for ever if nobody began
    tasks.finish();
}

TEST(BackgroundTasks, OneThreadLeavesThemToFinishInTheirOrder) {
    std::vector<int> order;
    BackgroundTasks tasks(1);
    for (int i = 0; i < 4; ++i) {
        tasks.add([&order, i] { order.push_back(i); });
    }
    EXPECT_TRUE(order.empty());
    tasks.finish();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(BackgroundTasks, TheFirstFailureIsThrownAndNothingIsBegunAfterIt) {
    std::atomic<int> begun{0};
    BackgroundTasks tasks(1);
    for (int i = 0; i < 100; ++i) {
        tasks.add([&begun, i] {
            ++begun;
            if (i >= 3) {
                throw std::runtime_error("task " + std::to_string(i));
            }
        });
    }
    try {
        tasks.finish();
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "task 3");
    }
    EXPECT_EQ(begun, 4);
}

TEST(BackgroundTasks, AFailureOnAHelperReachesFinish) {
    std::promise<void> failing;
    BackgroundTasks tasks(2);
    tasks.add([&] {
        failing.set_value();
        throw std::runtime_error("on a helper");
    });
    failing.get_future().wait();
    for (int i = 0; i < 10; ++i) {
        tasks.add([] {});
    }
    EXPECT_THROW(tasks.finish(), std::runtime_error);
}

TEST(BackgroundTasks, WithoutFinishWhatHasBegunIsWaitedForAndTheRestDropped) {
    std::atomic<int> done{0};
    std::promise<void> begun;
    std::promise<void> go;
    std::thread later;
    {
        BackgroundTasks tasks(2);
        tasks.add([&] {
            begun.set_value();
            go.get_future().wait();
            ++done;
        });
        begun.get_future().wait();
        tasks.add([&] { done += 100; });  // dropped, unless the first one is done too soon
        later = std::thread([&] { go.set_value(); });
    }
    later.join();
    EXPECT_EQ(done % 100, 1);
}

}  // namespace
}  // namespace fuseq
