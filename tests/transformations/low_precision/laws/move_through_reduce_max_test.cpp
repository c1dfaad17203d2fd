// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

const char* const kChannels = "f32[1,2,1,1]";

TEST(MoveThroughReduceMax, KeepsIntegers) {
    for (const char* type : {"ReduceMax", "ReduceMin"}) {
        const PassTest test = run_pass(
            move_dequantize_down,
            model(dq("x", "i8[1,2,4,4]", "0.5,2", "3,1.25", kChannels) +
                  "%a = Const value={0,-1} : i64[2]\n%y = " + type + "(%x, %a) keep_dims=false"));
        EXPECT_EQ(test.after->find("y")->port().type, element::i8);
        EXPECT_EQ(largest_difference(test), 0.0);
    }
}

TEST(MoveThroughReduceMax, RefusesToCompareDifferentScales) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("x", "i8[1,2,4,4]", "0.5,2", "", kChannels) +
                       "%a = Const value={1} : i64[1]\n%y = ReduceMax(%x, %a) keep_dims=true"));
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("channel_dimension: "));
}

TEST(MoveThroughReduceMax, RefusesNegativeScales) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("x", "i8[1,2,4,4]", "-0.5", "") +
                       "%a = Const value={1} : i64[1]\n%y = ReduceMax(%x, %a) keep_dims=true"));
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("scale_sign: "));
}

}  // namespace
}  // namespace fuseq::testing
