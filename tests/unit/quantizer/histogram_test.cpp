// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/histogram.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "support/small_model.hpp"

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Histogram histogram_of(std::size_t bins, const std::vector<float>& values) {
    Histogram histogram(bins);
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    histogram.cover({*min, *max});
    histogram.add(values);
    return histogram;
}

void expect_same(const Histogram& a, const Histogram& b) {
    EXPECT_EQ(a.exponent(), b.exponent());
    EXPECT_EQ(a.first(), b.first());
    EXPECT_EQ(a.counts(), b.counts());
}

TEST(Histogram, TakesTheNarrowestBinsThatFit) {
    // Bins of 1: -2, -1, 0, 1, 2, 3. Bins of 1/2 would be twelve.
    const Histogram histogram = histogram_of(8, {-1.5f, -0.25f, 0, 0.5f, 1, 3.25f, 3.5f});
    EXPECT_EQ(histogram.exponent(), 0);
    EXPECT_EQ(histogram.first(), -2);
    EXPECT_THAT(histogram.counts(), ElementsAre(1, 1, 2, 1, 0, 2));
    EXPECT_EQ(histogram.center(0), -1.5);
}

TEST(Histogram, JoinsBinsWhenValuesFallOutside) {
    Histogram histogram = histogram_of(4, {0.25f, 0.75f, 1.5f});  // bins of 1/2
    EXPECT_EQ(histogram.exponent(), -1);
    EXPECT_THAT(histogram.counts(), ElementsAre(1, 1, 0, 1));
    histogram.merge(histogram_of(4, {7}));  // bins of 2
    EXPECT_EQ(histogram.exponent(), 1);
    EXPECT_THAT(histogram.counts(), ElementsAre(3, 0, 0, 1));
}

// Counted directly, value by value, at the final width.
TEST(Histogram, DoesNotDependOnOrderNorOnMerging) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 50; ++round) {
        const std::size_t bins = 16 + random() % 200;
        std::vector<float> values(300);
        std::normal_distribution<float> normal(0,
                                               std::exp2f(static_cast<float>(random() % 60) - 30));
        for (float& value : values) {
            value = random() % 4 == 0 ? 0.0f : normal(random) * (random() % 8 == 0 ? 50.0f : 1.0f);
        }
        const Histogram all = histogram_of(bins, values);
        Histogram merged(bins);
        std::shuffle(values.begin(), values.end(), random);
        for (std::size_t i = 0; i < values.size(); i += 60) {
            merged.merge(
                histogram_of(bins, std::vector<float>(values.begin() + static_cast<long>(i),
                                                      values.begin() + static_cast<long>(i + 60))));
        }
        expect_same(all, merged);
        for (std::size_t bin = 0; bin < all.counts().size(); ++bin) {
            const double low = all.center(bin) - all.width() / 2;
            const auto inside = std::count_if(values.begin(), values.end(), [&](float v) {
                return v >= low && v < low + all.width();
            });
            ASSERT_EQ(static_cast<std::uint64_t>(inside), all.counts()[bin]);
        }
        EXPECT_EQ(all.total(), values.size());
    }
}

TEST(Histogram, HoldsZerosAndTheGreatestValues) {
    const Histogram zeros = histogram_of(16, {0, 0});
    EXPECT_EQ(zeros.total(), 2U);
    const float most = std::numeric_limits<float>::max();
    Histogram wide = histogram_of(16, {-most, most});
    wide.merge(zeros);
    EXPECT_EQ(wide.total(), 4U);
}

TEST(Histogram, RefusesWhatCannotBe) {
    EXPECT_THAT(test::message_of([] {
                    Histogram(2, 0, 0, {1, 2, 3});
                }),
                HasSubstr("a histogram of 3 bins"));
    EXPECT_THAT(test::message_of([] { Histogram(8, 0, 5, {1, 2, 3}); }), HasSubstr("around 0"));
    EXPECT_THAT(test::message_of([] { Histogram(8).merge(Histogram(9)); }),
                HasSubstr("cannot be merged"));
}

}  // namespace
}  // namespace fuseq::quantizer
