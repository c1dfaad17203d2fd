// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/team.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

std::size_t sum_of_visits(std::size_t count) {
    std::vector<std::atomic<int>> visits(count);
    parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            ++visits[i];
        }
    });
    std::size_t once = 0;
    for (const auto& visit : visits) {
        once += visit == 1 ? 1 : 0;
    }
    return once;
}

TEST(Team, RunsEachJobOnceInEveryThread) {
    for (const int threads : {2, 3, 5}) {
        const ThreadCount use(threads);
        EXPECT_TRUE(Team::may_open());
        Team::open([&] {
            EXPECT_FALSE(Team::may_open());
            EXPECT_FALSE(is_alone());
            for (std::size_t job = 0; job < 500; ++job) {
                std::vector<std::atomic<int>> calls(static_cast<std::size_t>(threads));
                in_every_thread(
                    [&](std::size_t id, std::size_t size) { calls[id] += static_cast<int>(size); });
                for (const auto& count : calls) {
                    ASSERT_EQ(count, threads);
                }
                ASSERT_EQ(sum_of_visits(job), job);
            }
        });
        EXPECT_EQ(Team::current(), nullptr);
    }
}

// The leading thread is done at once, far sooner than a thread can begin.
TEST(Team, DoesThePartOfAThreadThatHasNotBegun) {
    const ThreadCount use(3);
    std::size_t by_leader = 0;
    Team::open([&] {
        for (int job = 0; job < 2000; ++job) {
            std::vector<std::atomic<int>> calls(3);
            std::vector<int> thread(3, -1);
            in_every_thread([&](std::size_t id, std::size_t) {
                ++calls[id];
                thread[id] = omp_get_thread_num();
            });
            for (std::size_t id = 0; id < 3; ++id) {
                ASSERT_EQ(calls[id], 1) << "part " << id << " of job " << job;
                ASSERT_TRUE(thread[id] == 0 || thread[id] == static_cast<int>(id))
                    << "part " << id << " of job " << job << " by thread " << thread[id];
                by_leader += id != 0 && thread[id] == 0 ? 1 : 0;
            }
        }
    });
    EXPECT_GT(by_leader, 0u);
}

TEST(Team, LeavesPartsThatWaitForEachOtherToTheirThreads) {
    const ThreadCount use(3);
    Team::open([&] {
        for (int job = 0; job < 500; ++job) {
            std::vector<int> thread(3, -1);
            parallel_team(false, [&](std::size_t id, std::size_t, const auto&) {
                thread[id] = omp_get_thread_num();
            });
            ASSERT_EQ(thread, (std::vector<int>{0, 1, 2})) << "job " << job;
        }
    });
}

// Also where all of them have one core, which each leaves to the one that it waits for.
TEST(Team, WorksOnOneCore) {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    const ThreadCount use(3);
    std::size_t right = 0;
    Team::open([&] {
        const auto set = [](const cpu_set_t& cores) {
            parallel_team(false, [&](std::size_t, std::size_t, const auto&) {
                sched_setaffinity(0, sizeof(cores), &cores);
            });
        };
        set(one);
        for (std::size_t job = 0; job < 300; ++job) {
            right += sum_of_visits(job) == job ? 1 : 0;
        }
        set(before);
    });
    EXPECT_EQ(right, 300u);
}

// Threads sleep when there is no job for some time, and the leading one when a job takes long.
TEST(Team, WakesThreadsThatSleep) {
    const ThreadCount use(3);
    Team::open([&] {
        for (int i = 0; i < 5; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
            std::atomic<int> calls = 0;
            in_every_thread([&](std::size_t id, std::size_t) {
                if (id == 2) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(3));
                }
                ++calls;
            });
            EXPECT_EQ(calls, 3);
        }
    });
}

TEST(Team, WorkInsideOfAJobIsDoneByItsThread) {
    const ThreadCount use(3);
    std::atomic<int> alone = 0;
    Team::open([&] {
        in_every_thread([&](std::size_t, std::size_t) {
            alone += is_alone() ? 1 : 0;
            EXPECT_EQ(sum_of_visits(10), 10u);
        });
    });
    EXPECT_EQ(alone, 3);
}

TEST(Team, StepsOfAJobWaitForEachOther) {
    const ThreadCount use(4);
    std::atomic<int> early = 0;
    Team::open([&] {
        std::atomic<int> arrived = 0;
        parallel_team(false, [&](std::size_t, std::size_t size, const auto& wait) {
            for (int step = 1; step <= 20; ++step) {
                ++arrived;
                wait();
                early += arrived < step * static_cast<int>(size) ? 1 : 0;
                wait();
            }
        });
    });
    EXPECT_EQ(early, 0);
}

TEST(Team, ThrowsWhatTheLeadingThreadThrew) {
    const ThreadCount use(3);
    EXPECT_THROW(Team::open([] { throw std::runtime_error("a step"); }), std::runtime_error);
    EXPECT_EQ(Team::current(), nullptr);
    EXPECT_EQ(sum_of_visits(64), 64u);
    EXPECT_TRUE(Team::may_open());
}

TEST(Team, IsNotOpenedForOneThread) {
    const ThreadCount use(1);
    EXPECT_FALSE(Team::may_open());
    EXPECT_TRUE(is_alone());
}

}  // namespace
}  // namespace fuseq::cpu
