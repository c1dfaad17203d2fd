// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/prefetch_weights.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

constexpr std::size_t kUnlimited = std::size_t{1} << 30;

// Bytes that are fetched for each step.
std::vector<std::size_t> fetched(const std::vector<std::vector<Fetch>>& fetches) {
    std::vector<std::size_t> bytes(fetches.size(), 0);
    for (const auto& list : fetches) {
        for (const Fetch& fetch : list) {
            bytes[fetch.step] += fetch.end - fetch.begin;
        }
    }
    return bytes;
}

// One step of many pixels, then three that wait: the first is fetched first, and what there is no
// room for is the end of the last.
TEST(FetchAhead, NearestStepsComeFirst) {
    const std::vector<FetchStep> steps = {{.room = 1000, .own = 100, .limit = kUnlimited},
                                          {.wanted = 320, .own = 320, .limit = kUnlimited},
                                          {.wanted = 448, .limit = kUnlimited},
                                          {.wanted = 640, .own = 640, .limit = kUnlimited}};
    const auto fetches = plan_fetches(steps);
    ASSERT_EQ(fetches[0].size(), 3u);
    EXPECT_EQ(fetches[0][0].step, 1u);
    EXPECT_EQ(fetches[0][0].end, 320u);
    EXPECT_EQ(fetches[0][1].step, 2u);
    EXPECT_EQ(fetches[0][1].end, 448u);
    EXPECT_EQ(fetches[0][2].step, 3u);
    EXPECT_EQ(fetches[0][2].begin, 0u);
    EXPECT_EQ(fetches[0][2].end, 128u);  // of the 132 that are left, whole lines
}

// The step in front has room for some, and fetches the end: the one before it comes earlier.
TEST(FetchAhead, TwoStepsShareWhatOneHasNoRoomFor) {
    const std::vector<FetchStep> steps = {{.room = 640, .limit = kUnlimited},
                                          {.room = 256, .limit = kUnlimited},
                                          {.wanted = 600, .own = 600, .limit = kUnlimited}};
    const auto fetches = plan_fetches(steps);
    ASSERT_EQ(fetches[0].size(), 1u);
    EXPECT_EQ(fetches[0][0].begin, 0u);
    EXPECT_EQ(fetches[0][0].end, 344u);
    ASSERT_EQ(fetches[1].size(), 1u);
    EXPECT_EQ(fetches[1][0].begin, 344u);
    EXPECT_EQ(fetches[1][0].end, 600u);
}

// What waits after a step with a large tensor of its own must not push it out.
TEST(FetchAhead, StepsBetweenLimitWhatWaits) {
    const std::vector<FetchStep> steps = {{.room = kUnlimited, .limit = kUnlimited},
                                          {.limit = 200},
                                          {.wanted = 600, .limit = kUnlimited},
                                          {.wanted = 64, .limit = kUnlimited}};
    const auto bytes = fetched(plan_fetches(steps));
    EXPECT_EQ(bytes[2], 192u);
    EXPECT_EQ(bytes[3], 0u);
}

struct Totals {
    std::vector<std::size_t> by_reader, by_fetcher, pending;
};

Totals check_each(const std::vector<FetchStep>& steps,
                  const std::vector<std::vector<Fetch>>& fetches) {
    Totals totals{std::vector<std::size_t>(steps.size()), std::vector<std::size_t>(steps.size()),
                  std::vector<std::size_t>(steps.size())};
    for (std::size_t s = 0; s < steps.size(); ++s) {
        std::size_t reader = s;
        for (const Fetch& fetch : fetches[s]) {
            EXPECT_GT(fetch.step, reader);  // after this one, in their order, each once
            reader = fetch.step;
            EXPECT_LT(fetch.begin, fetch.end);
            EXPECT_EQ(fetch.begin, totals.by_reader[fetch.step]);  // nothing twice, no hole
            totals.by_reader[fetch.step] = fetch.end;
            totals.by_fetcher[s] += fetch.end - fetch.begin;
            for (std::size_t k = s; k < fetch.step; ++k) {
                totals.pending[k] += fetch.end - fetch.begin;
            }
        }
    }
    return totals;
}

TEST(FetchAhead, RandomStepsKeepToRoomAndLimits) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 rng(seed);
        std::vector<FetchStep> steps(1 + rng() % 12);
        for (FetchStep& step : steps) {
            step.own = rng() % 3 == 0 ? 0 : rng() % 5000;
            step.wanted = rng() % 2 == 0 ? 0 : step.own;
            step.room = rng() % 2 == 0 ? 0 : rng() % 8000;
            step.limit = rng() % 6000;
        }
        const Totals totals = check_each(steps, plan_fetches(steps));
        for (std::size_t s = 0; s < steps.size(); ++s) {
            EXPECT_LE(totals.by_reader[s], steps[s].wanted);
            EXPECT_LE(totals.pending[s], steps[s].limit);
            const std::size_t own = steps[s].own - std::min(steps[s].own, totals.by_reader[s]);
            EXPECT_LE(totals.by_fetcher[s], steps[s].room - std::min(steps[s].room, own));
        }
    }
}

}  // namespace
}  // namespace fuseq::cpu
