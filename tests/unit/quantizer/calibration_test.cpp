// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace fuseq::quantizer {
namespace {

constexpr IntegerRange kInt8{-128, 127};

struct Values {
    std::vector<float> list;
    RealRange range;
    Histogram histogram{1024};

    explicit Values(std::vector<float> values) : list(std::move(values)) {
        const auto [min, max] = std::minmax_element(list.begin(), list.end());
        range = {*min, *max};
        histogram.cover(range);
        histogram.add(list);
    }
};

// Positive numbers around 1, and a few far outside.
Values with_outliers() {
    std::mt19937 random(7);  // a fixed sample: the test is about these numbers
    std::exponential_distribution<float> near(1);
    std::vector<float> values(20000);
    std::generate(values.begin(), values.end(), [&] { return near(random); });
    values.insert(values.end(), {60, 70, 80});
    return Values(std::move(values));
}

// Of the values themselves, by the definition of quantization.
double mean_squared_error(const Values& values, RealRange range) {
    const ScaleAndOffset scale = choose_scale(range, QuantizationSchema::kAsymmetric, kInt8);
    double sum = 0;
    for (const float value : values.list) {
        const double error = value - scale.dequantize(scale.quantize(value));
        sum += error * error;
    }
    return sum / static_cast<double>(values.list.size());
}

RealRange calibrated(const Values& values, Calibration method, double percentile = 99.99) {
    return calibrate(values.range, values.histogram,
                     {method, percentile, QuantizationSchema::kAsymmetric, kInt8});
}

TEST(Calibrate, NoneKeepsTheRange) {
    const Values values = with_outliers();
    const RealRange range = calibrated(values, Calibration::kNone);
    EXPECT_EQ(range.min, values.range.min);
    EXPECT_EQ(range.max, values.range.max);
}

TEST(Calibrate, MseFindsTheLeastErrorOfTheValuesThemselves) {
    const Values values = with_outliers();
    const RealRange range = calibrated(values, Calibration::kMse);
    double least = mean_squared_error(values, values.range);
    for (float max = 8; max < 80; max += 0.5f) {
        least = std::min(least, mean_squared_error(values, {0, max}));
    }
    EXPECT_LT(range.max, 80);
    EXPECT_LT(mean_squared_error(values, range), 1.05 * least);
}

TEST(Calibrate, KlCutsOutliersOff) {
    const RealRange range = calibrated(with_outliers(), Calibration::kKl);
    EXPECT_LT(range.max, 40);
    EXPECT_GT(range.max, 3);
}

// 1000 values 0.5, 1.5, ..., one in each bin of width 1.
TEST(Calibrate, PercentileLeavesOutThatShareOfTheValues) {
    std::vector<float> list(1000);
    for (std::size_t i = 0; i < list.size(); ++i) {
        list[i] = static_cast<float>(i) + 0.5f;
    }
    const Values one_sided(list);
    ASSERT_EQ(one_sided.histogram.width(), 1);
    EXPECT_EQ(calibrated(one_sided, Calibration::kPercentile, 99).max, 990);
    EXPECT_EQ(calibrated(one_sided, Calibration::kPercentile, 100).max, 999.5f);
    // Half of it at either end.
    for (float& value : list) {
        value -= 500;
    }
    const RealRange range = calibrated(Values(list), Calibration::kPercentile, 99);
    EXPECT_EQ(range.min, -495);
    EXPECT_EQ(range.max, 495);
}

TEST(Calibrate, LeavesUniformValuesAlone) {
    std::vector<float> list(4096);
    for (std::size_t i = 0; i < list.size(); ++i) {
        list[i] = static_cast<float>(i) / 4096;
    }
    const Values values(list);
    for (const Calibration method : {Calibration::kMse, Calibration::kKl}) {
        EXPECT_GT(calibrated(values, method).max, 0.97f * values.range.max) << to_string(method);
    }
}

TEST(Calibrate, NeedsMoreBinsThanLevels) {
    const Values values = with_outliers();
    const RealRange range =
        calibrate(values.range, values.histogram,
                  {Calibration::kMse, 99, QuantizationSchema::kAsymmetric, {-32768, 32767}});
    EXPECT_EQ(range.max, values.range.max);
}

}  // namespace
}  // namespace fuseq::quantizer
