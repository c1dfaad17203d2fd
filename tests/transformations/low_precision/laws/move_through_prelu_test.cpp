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

std::string prelu(const std::string& slopes, const std::string& shape) {
    return "%p = Const value={" + slopes + "} : " + shape + "\n%y = PReLU(%x, %p)";
}

TEST(MoveThroughPRelu, TheScaleStandsAfter) {
    const PassTest test = run_pass(move_dequantize_down, model(dq("x", "i8[1,2,4,4]", "0.5", "") +
                                                               prelu("0.25,-2", "f32[2]")));
    EXPECT_EQ(differs_from(test, model("%x_q = Parameter : i8[1,2,4,4]\n"
                                       "%c = Convert(%x_q) destination_type=f32\n"
                                       "%p = Const value={0.25,-2} : f32[2]\n"
                                       "%a = PReLU(%c, %p)\n"
                                       "%s = Const value={0.5} : f32[]\n%y = Multiply(%a, %s)")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveThroughPRelu, SlopesAndScalesMayBePerChannel) {
    for (const std::string slopes : {"0.25", "0.25,-2"}) {
        const std::string shape = slopes == "0.25" ? "f32[1]" : "f32[2]";
        const PassTest test = run_pass(
            move_dequantize_down,
            model(dq("x", "i8[1,2,4,4]", "0.5,3", "", "f32[1,2,1,1]") + prelu(slopes, shape)));
        EXPECT_TRUE(test.changed);
        EXPECT_EQ(test.after->find("y")->port().uses.at(0).node->type(), "Multiply");
        EXPECT_EQ(test.after->find("y")->port().uses.at(0).node->input(1).shape(),
                  (Shape{1, 2, 1, 1}));
        EXPECT_LT(largest_difference(test), 1e-4);
    }
}

TEST(MoveThroughPRelu, GoesWhereNothingIsBelowZero) {
    for (const std::string zero_point : {"", "-3"}) {
        const PassTest test =
            run_pass(move_dequantize_down,
                     model(dq("x", "u8[1,2,4,4]", "0.5", zero_point) + prelu("0.25", "f32[1]")));
        EXPECT_TRUE(test.changed);
        EXPECT_EQ(test.after->find("y"), nullptr);
        EXPECT_EQ(largest_difference(test), 0.0);
    }
}

TEST(MoveThroughPRelu, NothingIsGainedAfterAConversion) {
    const PassTest test =
        run_pass(move_dequantize_down, model("%x_q = Parameter : i8[1,2,4,4]\n"
                                             "%x = Convert(%x_q) destination_type=f32\n" +
                                             prelu("0.25", "f32[1]")));
    EXPECT_FALSE(test.changed);
}

TEST(MoveThroughPRelu, Refuses) {
    expect_refused(move_dequantize_down,
                   {"zero_point", dq("x", "u8[1,2,4,4]", "0.5", "3") + prelu("0.25", "f32[1]"),
                    "zero_point: "});
    expect_refused(
        move_dequantize_down,
        {"scale", dq("x", "i8[1,2,4,4]", "0.5,-3", "", "f32[1,2,1,1]") + prelu("0.25", "f32[1]"),
         "scale_sign: "});
}

}  // namespace
}  // namespace fuseq::testing
