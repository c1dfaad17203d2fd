// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/parallel.hpp"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
    for (const int threads : {1, 2, 4, 7}) {
        const ThreadCount use(threads);
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
    const ThreadCount use(3);
    std::atomic<int> wrong = 0;
    parallel_for(1000, 16, [&](std::size_t begin, std::size_t) { wrong += begin % 16 != 0; });
    EXPECT_EQ(wrong, 0);
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
