// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/ratio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::samples {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Twice as fast in every round, though the machine was slow in half of them: the rounds say it
// surely, the runs alone do not.
TEST(Ratio, OfRoundsIsNotMovedByWhatDisturbsBoth) {
    const std::vector<double> first{10, 40, 10, 40, 10, 40};
    const std::vector<double> second{5, 20, 5, 20, 5, 20};
    const Ratio rounds = ratio_of_rounds(first, second);
    EXPECT_NEAR(rounds.value, 2, 1e-9);
    EXPECT_NEAR(rounds.low, 2, 1e-9);
    EXPECT_NEAR(rounds.high, 2, 1e-9);
    const Ratio runs = ratio_of_runs(first, second);
    EXPECT_NEAR(runs.value, 2, 1e-9);
    EXPECT_LT(runs.low, 1.2);
    EXPECT_GT(runs.high, 3.0);
}

// Logarithms 0 and 2 s: by hand the mean of n = 100 drawn is 1 s with a deviation of 0.1 s, and
// 95 % of them are within 1.96 of it.
TEST(Ratio, HasTheIntervalOfAMean) {
    std::vector<double> first(100, 1.0);
    for (std::size_t i = 0; i < first.size(); i += 2) {
        first[i] = 1.21;
    }
    const Ratio ratio = ratio_of_rounds(first, std::vector<double>(100, 1.0));
    EXPECT_NEAR(ratio.value, 1.1, 1e-9);
    EXPECT_NEAR(ratio.low, 1.1 * (1 - 0.0953 * 0.196), 0.004);
    EXPECT_NEAR(ratio.high, 1.1 * (1 + 0.0953 * 0.196), 0.004);
}

TEST(Ratio, SaysWhetherTheSidesDiffer) {
    const std::vector<double> one{1.0, 1.02, 0.98, 1.01, 0.99};
    const std::vector<double> other{1.01, 0.99, 1.0, 0.98, 1.02};
    EXPECT_THAT(ratio_of_rounds(one, other).text("a", "b"),
                StartsWith("not distinguishable: b is 1.000 times as fast as a (95 % confidence"));
    EXPECT_THAT(ratio_of_rounds({2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}).text("a", "b"),
                StartsWith("b is 2.000 times as fast as a (95 % confidence: 2.000 to 2.000)"));
    EXPECT_THAT(ratio_of_rounds({2}, {1}).text("a", "b"), HasSubstr("too few numbers"));
}

}  // namespace
}  // namespace fuseq::samples
