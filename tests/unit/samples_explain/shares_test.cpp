// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/shares.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace fuseq::samples {
namespace {

using ::testing::HasSubstr;

// Of 100 and 50 GMAC/s: a step of integers that takes twice its best time, one of floats that takes
// four times, and one without products.
Report example() {
    return Report::parse(R"({
        "model": "m", "isa": "avx2", "totals": {"steps": 3},
        "steps": [
            {"name": "a", "quantized": true, "macs": 10000000, "time_us": 200.0},
            {"name": "b", "quantized": false, "macs": 5000000, "time_us": 400.0},
            {"name": "c", "quantized": true, "macs": 0, "time_us": 400.0}]})");
}

LevelPeaks of_avx2(const std::string& level) {
    EXPECT_EQ(level, "avx2");
    return {.int8 = 100, .f32 = 50};
}

TEST(Shares, AreOfThePeakOfTheTypeOfAStep) {
    Report report = example();
    add_shares(of_avx2, report);
    EXPECT_DOUBLE_EQ(report["steps"][0]["of_peak"], 0.5);
    EXPECT_DOUBLE_EQ(report["steps"][1]["of_peak"], 0.25);
    EXPECT_FALSE(report["steps"][2].contains("of_peak"));
    EXPECT_DOUBLE_EQ(report["totals"]["of_peak"], 0.2);
    const std::string text = report_text(report);
    EXPECT_THAT(text, HasSubstr("of the peak of avx2         20 % (int8 100.0, f32 50.0 GMAC/s)"));
    EXPECT_THAT(text, HasSubstr("50 %"));
}

TEST(Shares, AreLeftOutWhereNobodyNamesALevel) {
    Report report = example();
    report.erase("isa");
    add_shares([](const std::string&) -> LevelPeaks { throw std::logic_error("measured"); },
               report);
    EXPECT_FALSE(report["totals"].contains("of_peak"));
    EXPECT_THAT(report_text(report), ::testing::Not(HasSubstr("of peak")));
}

TEST(Peaks, EveryLevelHasFormsAndWhatIsHereIsMeasured) {
    EXPECT_EQ(peak_levels().size(), 6u);
    for (const char* const level : peak_levels()) {
        const auto forms = peak_forms();
        EXPECT_TRUE(std::any_of(forms.begin(), forms.end(), [&](const PeakForm& form) {
            return form.level == std::string(level);
        })) << level;
    }
    for (const PeakForm& form : peak_forms()) {
        if (form.is_here()) {
            EXPECT_GT(peak_of(form, 2, 1), 0.01) << form.level << " " << form.name;
        }
    }
    const LevelPeaks peaks = peaks_of_level("sse41", 1, 5);
    EXPECT_GT(peaks.f32, 0);
    EXPECT_GT(peaks.int8, 0);
}

}  // namespace
}  // namespace fuseq::samples
