// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/placed_threads.hpp"

#include <omp.h>

#include <thread>

#include <gtest/gtest.h>

#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

// Where the threads of the next region may run.
std::vector<std::vector<int>> masks() {
    std::vector<std::vector<int>> all(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
    all[static_cast<std::size_t>(omp_get_thread_num())] = processors_of_this_thread();
    return all;
}

// Threads of their own, so that no other test finds them moved.
template <class Test>
void in_a_thread(const Test& test) {
    std::thread(test).join();
}

TEST(PlacedThreads, RunOnTheProcessorsOfTheStream) {
    const std::vector<int> all = processors_of_this_thread();
    in_a_thread([&] {
        const ThreadCount threads(3);
        const std::vector<int> one{all.back()};
        {
            const PlacedThreads placed({.processors = one});
            EXPECT_EQ(masks(), std::vector(3, one));
        }
        EXPECT_EQ(processors_of_this_thread(), all);  // the caller's is put back
        {
            const PlacedThreads anywhere((StreamPlace()));
            EXPECT_EQ(masks(), std::vector(3, all));
        }
    });
}

TEST(PlacedThreads, ArePinnedInOrder) {
    const std::vector<int> all = processors_of_this_thread();
    if (all.size() < 2) {
        GTEST_SKIP() << "one processor";
    }
    in_a_thread([&] {
        const StreamPlace place{.processors = {all[1], all[0]}, .pinned = true};
        for (const int threads : {2, 4, 2}) {  // a team of another size has new threads
            const ThreadCount use(threads);
            const PlacedThreads placed(place);
            const auto where = masks();
            for (std::size_t t = 0; t < where.size(); ++t) {
                EXPECT_EQ(where[t], std::vector<int>{all[(t + 1) % 2]}) << t << " of " << threads;
            }
        }
        EXPECT_EQ(processors_of_this_thread(), all);
    });
}

TEST(PlacedThreads, StayWhereTheyAreOnAProcessorThatIsNotThere) {
    const std::vector<int> all = processors_of_this_thread();
    in_a_thread([&] {
        const ThreadCount threads(2);
        const PlacedThreads placed({.processors = {8000}});
        EXPECT_EQ(masks(), std::vector(2, all));
    });
}

TEST(PlacedThreads, LeaveARegionOfTheUsersAlone) {
    const std::vector<int> all = processors_of_this_thread();
    in_a_thread([&] {
        std::vector<int> inside;
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 0) {
            const PlacedThreads placed({.processors = {all.back()}});
            inside = processors_of_this_thread();
        }
        EXPECT_EQ(inside, all);
    });
}

}  // namespace
}  // namespace fuseq::cpu
