// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/option_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The message of the refusal; empty when there is none.
std::string refusal(const std::string& name, const std::string& value) {
    QuantizerOptions options;
    try {
        set_option(options, name, value);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

TEST(SetOption, ReadsEveryKindOfValue) {
    QuantizerOptions options;
    const bool before = options.channelwise;
    set_option(options, "channelwise", before ? "false" : "true");
    EXPECT_EQ(options.channelwise, !before);
    set_option(options, "percentile", "99.5");
    EXPECT_EQ(options.percentile, 99.5);
    set_option(options, "histogram_bins", "4096");
    EXPECT_EQ(options.histogram_bins, 4096U);
    set_option(options, "device", "REFERENCE");
    EXPECT_EQ(options.device, "REFERENCE");
    set_option(options, "keep_original_precision", "conv1,,head*,");
    EXPECT_THAT(options.keep_original_precision, ElementsAre("conv1", "head*"));
}

TEST(SetOption, ReadsABoundAsMetricAndValue) {
    QuantizerOptions options;
    set_option(options, "max_drop", "top1=0.5");
    ASSERT_TRUE(options.max_drop.has_value());
    EXPECT_EQ(options.max_drop->metric, metric_from("top1"));
    EXPECT_EQ(options.max_drop->value, 0.5);
}

TEST(SetOption, NamesTheNearestOfAllOptions) {
    EXPECT_THAT(refusal("chanelwise", "true"),
                HasSubstr("there is no option 'chanelwise'; the nearest is 'channelwise'"));
}

TEST(SetOption, RefusesValuesThatDoNotFit) {
    EXPECT_THAT(refusal("rowwise", "yes"),
                HasSubstr("option rowwise is 'yes', expected true or false"));
    EXPECT_THAT(refusal("headroom", "1.5x"),
                HasSubstr("option headroom is '1.5x', expected a number"));
    EXPECT_THAT(refusal("streams", "-1"),
                HasSubstr("option streams is '-1', expected a whole number"));
    EXPECT_THAT(refusal("streams", "2.5"),
                HasSubstr("option streams is '2.5', expected a whole number"));
    EXPECT_THAT(refusal("max_drop", "0.5"),
                HasSubstr("option max_drop is '0.5', expected METRIC=VALUE"));
    EXPECT_THAT(refusal("max_drop", "top1=much"),
                HasSubstr("option max_drop is 'top1=much', expected METRIC=VALUE"));
    EXPECT_NE(refusal("calibration", "sometimes"), "");
}

}  // namespace
}  // namespace fuseq
