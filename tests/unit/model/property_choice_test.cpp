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
    EXPECT_THAT(choices_of("NUM_STREAMS"), testing::IsEmpty());
}

}  // namespace
}  // namespace fuseq
