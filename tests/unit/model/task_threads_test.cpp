// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/task_threads.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

#include "support/time_limit.hpp"

namespace fuseq {
namespace {

using test::kLongEnough;
using test::TimeLimit;

std::size_t threads_of_this_process() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

TEST(TaskThreads, OneThreadRunsTasksInOrder) {
    const TimeLimit limit("100 tasks of one thread end");
    std::vector<int> order;
    std::vector<std::thread::id> threads;
    {
        TaskThreads one(1);
        for (int i = 0; i < 100; ++i) {
            one.submit([&, i] {
                order.push_back(i);
                threads.push_back(std::this_thread::get_id());
            });
        }
    }  // runs what is left
    ASSERT_EQ(order.size(), 100u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(std::count(threads.begin(), threads.end(), threads[0]), 100);
    EXPECT_NE(threads[0], std::this_thread::get_id());
}

TEST(TaskThreads, SeveralRunEveryTaskOnceBeforeTheyEnd) {
    const TimeLimit limit("100 tasks of three threads end");
    std::vector<std::atomic<int>> runs(100);
    {
        TaskThreads three(3);
        for (auto& count : runs) {
            three.submit([&count] { ++count; });
        }
    }
    for (const auto& count : runs) {
        EXPECT_EQ(count, 1);
    }
}

TEST(TaskThreads, AreStartedWithTheFirstTaskAndEndWithTheObject) {
    const TimeLimit limit("threads start and end");
    const std::size_t before = threads_of_this_process();
    {
        TaskThreads threads(3);
        EXPECT_EQ(threads_of_this_process(), before);
        threads.submit([] {});
        EXPECT_EQ(threads_of_this_process(), before + 3);
        threads.submit([] {});
        EXPECT_EQ(threads_of_this_process(), before + 3);
    }
    EXPECT_EQ(threads_of_this_process(), before);
}

// Each task waits for the other: one thread alone, whatever the machine has, would never end them.
TEST(TaskThreads, TasksMayWaitForEachOther) {
    for (const std::size_t count : {2u, 4u, 8u}) {
        std::atomic<std::size_t> here = 0;
        std::promise<void> all;
        const std::shared_future<void> met = all.get_future().share();
        TaskThreads threads(count);
        for (std::size_t i = 0; i < count; ++i) {
            threads.submit([&, met] {
                if (++here == count) {
                    all.set_value();
                }
                met.wait_for(kLongEnough);
            });
        }
        EXPECT_EQ(met.wait_for(kLongEnough), std::future_status::ready)
            << here << " of " << count << " tasks have begun";
    }
}

TEST(TaskThreads, WhatATaskHoldsGoesBeforeTheNextOne) {
    const TimeLimit limit("two tasks end");
    auto held = std::make_shared<int>(1);
    const std::weak_ptr<int> watched = held;
    bool gone = false;
    {
        TaskThreads one(1);
        one.submit([mine = std::move(held)] {});
        one.submit([&] { gone = watched.expired(); });
    }
    EXPECT_TRUE(gone);
}

// The second one is submitted while the destructor waits for the first.
TEST(TaskThreads, TheDestructorRunsWhatTasksSubmit) {
    for (const std::size_t count : {1u, 3u}) {
        const TimeLimit limit("a chain of tasks ends with the destructor");
        std::atomic<int> done = 0;
        std::function<void()> next;
        {
            TaskThreads threads(count);
            next = [&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                if (++done < 20) {
                    threads.submit(next);
                }
            };
            threads.submit(next);
        }
        EXPECT_EQ(done, 20) << count << " threads";
    }
}

// As when the callback of a request lets go of the last handle to its model.
TEST(TaskThreads, ATaskMayDestroyThem) {
    for (const std::size_t count : {1u, 3u}) {
        const TimeLimit limit("a task destroys the threads that run it");
        std::atomic<bool> destroyed = false;
        std::atomic<int> others = 0;
        auto threads = std::make_shared<TaskThreads>(count);
        TaskThreads& submit_to = *threads;
        std::promise<void> go;
        submit_to.submit([&, last = std::move(threads)]() mutable {
            go.get_future().wait();
            last.reset();
            destroyed = true;
        });
        for (int i = 0; i < 10; ++i) {
            submit_to.submit([&] { ++others; });
        }
        go.set_value();
        while (!destroyed || others != 10) {  // one thread runs the others after it
            std::this_thread::yield();
        }
    }
}

}  // namespace
}  // namespace fuseq
