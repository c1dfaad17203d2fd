// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/statistics.hpp"

#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

TEST(Statistics, TakesPercentilesByNearestRank) {
    std::vector<double> values;
    for (int i = 100; i >= 1; --i) {
        values.push_back(i);
    }
    const Latencies latencies = summarize(values, 25);
    EXPECT_EQ(latencies.min, 1);
    EXPECT_EQ(latencies.max, 100);
    EXPECT_EQ(latencies.mean, 50.5);
    EXPECT_EQ(latencies.median, 50);
    EXPECT_EQ(latencies.p90, 90);
    EXPECT_EQ(latencies.p99, 99);
    EXPECT_EQ(latencies.percentile, 25);
    EXPECT_EQ(summarize({7}, 99).percentile, 7);
    EXPECT_EQ(summarize({1, 2, 3}, 50).median, 2);
    EXPECT_THROW(summarize({}, 50), Error);
}

TEST(Statistics, JudgesNoiseByTheMediansOfBlocks) {
    std::vector<double> quiet(100, 10.0);
    quiet[17] = 500;  // one outlier does not move a median
    EXPECT_TRUE(judge_noise(quiet).steady());
    std::vector<double> drifting(quiet);
    for (std::size_t i = 90; i < 100; ++i) {
        drifting[i] = 11;
    }
    const NoiseVerdict verdict = judge_noise(drifting);
    EXPECT_FALSE(verdict.steady());
    EXPECT_NEAR(verdict.spread, 0.1, 1e-12);
    EXPECT_EQ(verdict.text(),
              "noisy: repeat on a quiet machine (medians of 10 blocks differ by 10.0 %)");
    EXPECT_EQ(judge_noise(std::vector<double>(49, 1.0)).text(), "too few inferences to tell");
    EXPECT_FALSE(judge_noise({}).steady());
}

}  // namespace
}  // namespace fuseq::samples
