// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/parallel_tasks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/time_limit.hpp"

namespace fuseq {
namespace {

using test::kLongEnough;
using test::TimeLimit;

TEST(ParallelTasks, EveryTaskRunsOnce) {
    const TimeLimit limit("run_tasks() returns");
    for (const std::size_t threads : {0u, 1u, 3u, 50u}) {
        std::vector<std::atomic<int>> runs(20);
        run_tasks(runs.size(), threads, [&](std::size_t i) { ++runs[i]; });
        for (const auto& count : runs) {
            EXPECT_EQ(count, 1) << threads << " threads";
        }
    }
    run_tasks(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelTasks, BeginInOrderOnNoMoreThreadsThanAskedFor) {
    const TimeLimit limit("run_tasks() returns");
    for (const std::size_t threads : {1u, 2u, 3u}) {
        std::mutex mutex;
        std::vector<std::size_t> begun;
        std::set<std::thread::id> used;
        run_tasks(100, threads, [&](std::size_t i) {
            {
                const std::lock_guard lock(mutex);
                begun.push_back(i);
                used.insert(std::this_thread::get_id());
            }
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        });
        EXPECT_EQ(begun.size(), 100u);
        EXPECT_LE(used.size(), threads);
        EXPECT_TRUE(used.contains(std::this_thread::get_id())) << "the caller helps";
        // A thread may be overtaken between taking a task and saying so, by one task of each other.
        for (std::size_t at = 0; at < begun.size(); ++at) {
            EXPECT_LT(begun[at], at + threads) << threads << " threads";
        }
    }
}

TEST(ParallelTasks, MayRunTasksThemselves) {
    const TimeLimit limit("nested run_tasks() returns");
    std::atomic<int> runs = 0;
    run_tasks(6, 3, [&](std::size_t) { run_tasks(5, 3, [&](std::size_t) { ++runs; }); });
    EXPECT_EQ(runs, 30);
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
    const TimeLimit limit("finish() returns");
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
    EXPECT_EQ(ran.get_future().wait_for(kLongEnough), std::future_status::ready)
        << "nobody began before finish()";
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
    ASSERT_EQ(failing.get_future().wait_for(kLongEnough), std::future_status::ready)
        << "no helper began";
    for (int i = 0; i < 10; ++i) {
        tasks.add([] {});
    }
    EXPECT_THROW(tasks.finish(), std::runtime_error);
}

TEST(BackgroundTasks, WithoutFinishWhatHasBegunIsWaitedForAndTheRestDropped) {
    const TimeLimit limit("the destructor waits for what has begun, and for nothing else");
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
        ASSERT_EQ(begun.get_future().wait_for(kLongEnough), std::future_status::ready)
            << "no helper began";
        tasks.add([&] { done += 100; });  // dropped, unless the first one is done too soon
        later = std::thread([&] { go.set_value(); });
    }
    later.join();
    EXPECT_EQ(done % 100, 1);
}

}  // namespace
}  // namespace fuseq
