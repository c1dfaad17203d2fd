// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/property_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

TEST(PropertyChoice, IsOneOfTheWords) {
    EXPECT_EQ(checked_choice("EXECUTION_MODE_HINT", "ACCURACY"), "ACCURACY");
    EXPECT_EQ(checked_choice(property::kPerformanceHint, ""), "");
    EXPECT_THAT([] { checked_choice("EXECUTION_MODE_HINT", "accuracy"); },
                testing::ThrowsMessage<Error>("property: EXECUTION_MODE_HINT is 'accuracy', "
                                              "expected one of PERFORMANCE, ACCURACY"));
    EXPECT_THAT([] { checked_choice("INFERENCE_PRECISION_HINT", "int8"); },
                testing::ThrowsMessage<Error>(
                    "property: INFERENCE_PRECISION_HINT is 'int8', expected one of f32, bf16, f16, "
                    "undefined, dynamic"));
    EXPECT_THAT(choices_of("NUM_STREAMS"), testing::IsEmpty());
}

TEST(PropertyChoice, IsANumberInARange) {
    EXPECT_TRUE(takes_number("INFERENCE_NUM_THREADS"));
    EXPECT_FALSE(takes_number("PERF_COUNT"));
    EXPECT_EQ(checked_number("INFERENCE_NUM_THREADS", 4096), 4096);
    EXPECT_EQ(checked_number("PERFORMANCE_HINT_NUM_REQUESTS", "3"), 3);
    EXPECT_EQ(checked_number("NUM_STREAMS", "AUTO"), 0);
    EXPECT_EQ(checked_number("NUM_STREAMS", -1), 0);
    EXPECT_THAT([] { checked_number("NUM_STREAMS", "two"); },
                testing::ThrowsMessage<Error>("property: NUM_STREAMS is 'two', expected AUTO or a "
                                              "value in [0, 1024]"));
    EXPECT_THAT([] { checked_number("INFERENCE_NUM_THREADS", 4097); },
                testing::ThrowsMessage<Error>("property: INFERENCE_NUM_THREADS is 4097, expected "
                                              "a value in [0, 4096]"));
    EXPECT_THAT([] { checked_number("INFERENCE_NUM_THREADS", "AUTO"); },
                testing::ThrowsMessage<Error>("property: INFERENCE_NUM_THREADS is 'AUTO', "
                                              "expected a value in [0, 4096]"));
}

}  // namespace
}  // namespace fuseq
