// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/second_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;

constexpr ScaleAndOffset kWhole{1.0f, 0, {-128, 127}};

Moments moments_of(const std::vector<std::vector<float>>& rows) {
    const std::size_t taps = rows[0].size();
    Moments moments{taps, 0, std::vector<double>(taps), std::vector<float>(taps * taps)};
    for (const auto& row : rows) {
        moments.count += 1;
        for (std::size_t i = 0; i < taps; ++i) {
            moments.sums[i] += static_cast<double>(row[i]);
            for (std::size_t j = 0; j < taps; ++j) {
                moments.squares[i * taps + j] += row[i] * row[j];
            }
        }
    }
    return moments;
}

TEST(SecondOrder, InputsThatHaveNothingInCommonGiveTheNearestIntegers) {
    const Moments moments = moments_of({{3, 0, 0}, {0, 2, 0}, {0, 0, 1}});
    EXPECT_THAT(RoundingOrder(moments, false).round({0.4f, -1.6f, 2.7f}, kWhole),
                ElementsAre(0, -2, 3));
}

// Both inputs are always equal: only the sum of the weights counts, 0.8, and two zeros would leave
// all of it.
TEST(SecondOrder, OneWeightMakesUpForTheOther) {
    const Moments moments = moments_of({{1, 1}, {-2, -2}, {3, 3}});
    const std::vector<std::int64_t> q = RoundingOrder(moments, false).round({0.4f, 0.4f}, kWhole);
    EXPECT_EQ(q[0] + q[1], 1);
}

TEST(SecondOrder, ClipsToTheIntegersThereAre) {
    const Moments moments = moments_of({{1, 1}, {-1, -1}});
    const ScaleAndOffset narrow{1.0f, 0, {-1, 1}};
    for (const std::int64_t q : RoundingOrder(moments, false).round({5, -5}, narrow)) {
        EXPECT_LE(std::abs(q), 1);
    }
}

// Of errors d, the results are off by d . x: 2 * 1 - 1 * 3 = -1 and 2 * 4 - 1 * 2 = 6.
TEST(SecondOrder, ErrorsOfResultsByHand) {
    const Moments moments = moments_of({{1, 3}, {4, 2}});
    EXPECT_DOUBLE_EQ(output_error(moments, {2, -1}, 0), (1 + 36) / 2.0);
    EXPECT_DOUBLE_EQ(mean_shift(moments, {2, -1}), -2.5);
    EXPECT_DOUBLE_EQ(output_error(moments, {2, -1}, -2.5), 3.5 * 3.5);
}

TEST(SecondOrder, LeavesLessThanTheNearestIntegers) {
    std::mt19937 random(7);  // seed 7, the same in every run
    std::normal_distribution<float> normal;
    std::vector<std::vector<float>> rows(400, std::vector<float>(24));
    for (auto& row : rows) {
        const float common = normal(random);
        for (float& value : row) {
            value = common + 0.3f * normal(random);
        }
    }
    const Moments moments = moments_of(rows);
    std::vector<float> weights(24);
    for (float& weight : weights) {
        weight = 3 * normal(random);
    }
    const auto error = [&](const std::vector<std::int64_t>& q) {
        std::vector<float> errors(weights.size());
        for (std::size_t i = 0; i < errors.size(); ++i) {
            errors[i] = static_cast<float>(q[i]) - weights[i];
        }
        return output_error(moments, errors, 0);
    };
    std::vector<std::int64_t> nearest;
    for (const float weight : weights) {
        nearest.push_back(kWhole.quantize(weight));
    }
    EXPECT_LT(error(RoundingOrder(moments, false).round(weights, kWhole)), 0.5 * error(nearest));
}

}  // namespace
}  // namespace fuseq::quantizer
