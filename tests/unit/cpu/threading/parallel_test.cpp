// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/parallel.hpp"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
    for (const auto& [threads, uneven] : {std::pair(1, false),
                                          {2, false},
                                          {4, false},
                                          {7, false},
                                          {1, true},
                                          {3, true},
                                          {7, true}}) {
        const ThreadCount use(threads, uneven);
        for (const std::size_t count : {0ul, 1ul, 5ul, 64ul, 1000ul}) {
            for (const std::size_t grain : {1ul, 3ul, 64ul, 5000ul}) {
                std::vector<std::atomic<int>> visits(count);
                parallel_for(count, grain, [&](std::size_t begin, std::size_t end) {
                    for (std::size_t i = begin; i < end; ++i) {
                        ++visits[i];
                    }
                });
                for (std::size_t i = 0; i < count; ++i) {
                    ASSERT_EQ(visits[i], 1) << threads << " threads, " << count << ", " << grain;
                }
            }
        }
    }
}

TEST(ParallelFor, RangesBeginAtMultiplesOfTheGrain) {
    for (const bool uneven : {false, true}) {
        const ThreadCount use(3, uneven);
        std::atomic<int> wrong = 0;
        parallel_for(1000, 16, [&](std::size_t begin, std::size_t end) {
            wrong += begin % 16 != 0 || (end % 16 != 0 && end != 1000);
        });
        EXPECT_EQ(wrong, 0);
    }
}

// The first range of one thread lasts until everything else is done.
TEST(ParallelFor, ASlowCoreHoldsItsOwnRangeOnly) {
    constexpr std::size_t kCount = 1000;
    const ThreadCount use(3, true);
    std::atomic<std::size_t> done = 0;
    std::atomic<bool> stands = false;
    std::size_t held = 0;
    bool timed_out = false;
    parallel_for(kCount, 1, [&](std::size_t begin, std::size_t end) {
        if (!stands.exchange(true)) {
            held = end - begin;
            const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (done + held < kCount && !timed_out) {
                std::this_thread::yield();
                timed_out = std::chrono::steady_clock::now() > limit;
            }
        }
        done += end - begin;
    });
    EXPECT_FALSE(timed_out) << "the others left " << kCount - held << " to the slow one";
    EXPECT_LE(held, kCount / 6);  // half of an even share
    EXPECT_EQ(done, kCount);
}

TEST(ParallelFor, CutsWorkIntoMoreSharesWhereCoresDiffer) {
    {
        const ThreadCount use(3, false);
        EXPECT_EQ(work_shares(), 3u);
    }
    {
        const ThreadCount use(3, true);
        EXPECT_EQ(work_shares(), 12u);
        const ThreadCount one(1);
        EXPECT_EQ(work_shares(), 1u);
    }
    EXPECT_FALSE(uneven_cores);
}

TEST(ThreadCount, IsPutBack) {
    const int before = omp_get_max_threads();
    {
        const ThreadCount use(before + 3);
        EXPECT_EQ(omp_get_max_threads(), before + 3);
    }
    EXPECT_EQ(omp_get_max_threads(), before);
}

}  // namespace
}  // namespace fuseq::cpu
