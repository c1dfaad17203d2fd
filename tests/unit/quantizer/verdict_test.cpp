// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a step is kept; the figures are by hand: a tenth of the noise is 10 dB.
#include "quantizer/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::quantizer {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kNames{"input 0 of 'a'", "input 1 of 'b'"};

// Two tensors of two parts with two inputs each.
Distances noise(const std::vector<double>& first, const std::vector<double>& second) {
    Distances distances(2);
    for (std::size_t n = 0; n < first.size(); ++n) {
        distances[0].push_back({1, first[n]});
        distances[1].push_back({1, second[n]});
    }
    return distances;
}

Verdict of(const Distances& tried, std::size_t judged = 2) {
    const Distances start = noise({0.1, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1});
    return verdict_of(tried, start, start, {2, 2}, kNames, judged);
}

TEST(Verdict, KeepsWhatGainsEverywhere) {
    const Verdict verdict = of(noise({0.01, 0.01, 0.01, 0.01}, {0.01, 0.01, 0.01, 0.01}));
    EXPECT_TRUE(verdict.kept);
    EXPECT_EQ(verdict.reason, "");
}

TEST(Verdict, NamesTheMeanOverInputs) {
    const Verdict verdict = of(noise({0.1, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1}));
    EXPECT_FALSE(verdict.kept);
    EXPECT_EQ(verdict.reason, "the mean over inputs gains 0.00 dB, less than 0.3");
}

// Three inputs gain 10 dB, one loses 10 dB and has most of the noise.
TEST(Verdict, NamesAllInputsAsOne) {
    const Verdict verdict = of(noise({0.01, 0.01, 0.01, 1}, {0.01, 0.01, 0.01, 1}));
    EXPECT_FALSE(verdict.kept);
    EXPECT_THAT(verdict.reason, HasSubstr("all inputs as one gain -4.11 dB"));
}

// Gains of 10, 0, 0 and 0 dB: 2.5 dB at a standard error of 2.5.
TEST(Verdict, NamesChance) {
    const Verdict verdict = of(noise({0.01, 0.1, 0.1, 0.1}, {0.01, 0.1, 0.1, 0.1}));
    EXPECT_FALSE(verdict.kept);
    EXPECT_EQ(verdict.reason, "the gain of 2.50 dB is less than 2 standard errors of 2.50");
}

TEST(Verdict, NamesTheTensorThatLoses) {
    const Verdict verdict = of(noise({0.001, 0.001, 0.001, 0.001}, {1, 1, 1, 1}));
    EXPECT_FALSE(verdict.kept);
    EXPECT_EQ(verdict.reason,
              "input 1 of 'b' loses 10.00 dB with all inputs as one, more than 0.1");
}

// Together the second tensor gains, but on the second part it loses 10 dB on average.
TEST(Verdict, NamesThePartThatLoses) {
    Distances base = noise({0.1, 0.1, 0.1, 0.1}, {1, 1, 0.01, 0.01});
    Distances tried = noise({0.001, 0.001, 0.001, 0.001}, {0.1, 0.1, 0.1, 0.1});
    const Verdict verdict = verdict_of(tried, base, base, {2, 2}, kNames, 2);
    EXPECT_FALSE(verdict.kept);
    EXPECT_EQ(verdict.reason,
              "input 1 of 'b' loses 10.00 dB on part 2 of 2 of the inputs, more than 0.5");
    // A guard may, since one input in doubt decides there.
    EXPECT_TRUE(verdict_of(tried, base, base, {2, 2}, kNames, 1).kept);
}

// The second tensor gives back a part of what an earlier step gained.
TEST(Verdict, CountsLossesFromTheStart) {
    const Distances start = noise({0.1, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1});
    const Distances best = noise({0.1, 0.1, 0.1, 0.1}, {0.01, 0.01, 0.01, 0.01});
    const Distances tried = noise({0.01, 0.01, 0.01, 0.01}, {0.02, 0.02, 0.02, 0.02});
    EXPECT_TRUE(verdict_of(tried, best, start, {2, 2}, kNames, 2).kept);
    EXPECT_FALSE(verdict_of(tried, best, best, {2, 2}, kNames, 2).kept);
    EXPECT_FALSE(verdict_of(best, tried, start, {2, 2}, kNames, 2).kept);  // no gain on the best
}

// What a guard gains does not count, what it loses does.
TEST(Verdict, GuardsOnlyRefuse) {
    EXPECT_TRUE(of(noise({0.01, 0.01, 0.01, 0.01}, {0.1, 0.1, 0.1, 0.1}), 1).kept);
    EXPECT_EQ(of(noise({0.1, 0.1, 0.1, 0.1}, {0.01, 0.01, 0.01, 0.01}), 1).reason,
              "the mean over inputs gains 0.00 dB, less than 0.3");
    EXPECT_EQ(of(noise({0.01, 0.01, 0.01, 0.01}, {1, 1, 1, 1}), 1).reason,
              "input 1 of 'b' loses 10.00 dB with all inputs as one, more than 0.1");
}

TEST(Verdict, TimeMayCostALittle) {
    const Distances start = noise({0.1, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0.1});
    const Distances best = noise({0.01, 0.01, 0.01, 0.01}, {0.01, 0.01, 0.01, 0.01});
    const auto cost = [&](double of_second, const Distances& before) {
        return cost_of(
            noise({0.01, 0.01, 0.01, 0.01}, {of_second, of_second, of_second, of_second}), before,
            start, kNames);
    };
    EXPECT_TRUE(cost(0.0112, best).kept);  // 0.49 dB
    EXPECT_EQ(cost(0.0114, best).reason,
              "input 1 of 'b' loses 0.57 dB with all inputs as one, more than 0.5");
    EXPECT_EQ(cost(0.105, start).reason,
              "input 1 of 'b' loses 0.21 dB with all inputs as one, more than 0.2");
}

}  // namespace
}  // namespace fuseq::quantizer
