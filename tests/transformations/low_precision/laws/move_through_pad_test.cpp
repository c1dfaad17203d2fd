// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/op_spec.hpp"
#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

std::string padded(const std::string& source, const std::string& value, const char* mode) {
    return model(source +
                 "%b = Const value={0,0,1,2} : i64[4]\n%e = Const value={0,0,0,1} : i64[4]\n"
                 "%v = Const value={" +
                 value + "} : f32[]\n%y = Pad(%x, %b, %e, %v) pad_mode=" + mode);
}

TEST(MoveThroughPad, TheValueBecomesAnInteger) {
    const PassTest test = run_pass(move_dequantize_down,
                                   padded(dq("x", "u8[1,2,4,4]", "0.5", "10"), "-1.5", "constant"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(to_ints(test.after->find("y")->input_node(3)->constant()),
              std::vector<std::int64_t>{7});
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveThroughPad, CopiesMove) {
    const PassTest test =
        run_pass(move_dequantize_down, padded(dq("x", "i8[1,2,4,4]", "0.5", "0.25"), "0", "edge"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveThroughPad, RefusesValuesThatNoIntegerHas) {
    for (const char* value : {"0.2", "500"}) {
        const PassTest test = run_pass(
            move_dequantize_down, padded(dq("x", "u8[1,2,4,4]", "0.5", ""), value, "constant"));
        EXPECT_FALSE(test.changed);
        EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("pad_value: "));
    }
}

TEST(MoveThroughPad, RefusesScalesPerChannel) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 padded(dq("x", "u8[1,2,4,4]", "0.5,1", "", "f32[1,2,1,1]"), "0", "constant"));
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("per_channel_scale: "));
}

}  // namespace
}  // namespace fuseq::testing
