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

TEST(MoveThroughClamp, BoundsBecomeIntegers) {
    const PassTest test = run_pass(move_dequantize_down, model(dq("x", "u8[1,2,4,4]", "0.5", "10") +
                                                               "%y = Clamp(%x) min=0 max=6"));
    EXPECT_EQ(differs_from(test, model("%x_q = Parameter : u8[1,2,4,4]\n"
                                       "%p = Clamp(%x_q) min=10 max=22\n"
                                       "%c = Convert(%p) destination_type=f32\n"
                                       "%z = Const value={10} : f32[]\n%b = Subtract(%c, %z)\n"
                                       "%s = Const value={0.5} : f32[]\n%y = Multiply(%b, %s)")),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveThroughClamp, GoesWhereItCutsNothingOff) {
    const PassTest test = run_pass(move_dequantize_down, model(dq("x", "u8[1,2,4,4]", "0.02", "") +
                                                               "%y = Clamp(%x) min=0 max=6"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("y"), nullptr);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(MoveThroughClamp, RefusesBoundsThatNoIntegerHas) {
    for (const char* bounds : {"min=7 max=9", "min=-9 max=-7"}) {
        const PassTest test =
            run_pass(move_dequantize_down,
                     model(dq("x", "i8[1,2,4,4]", "0.05", "") + "%y = Clamp(%x) " + bounds));
        EXPECT_FALSE(test.changed);
        EXPECT_THAT(refusal_at(test.context, "y"), StartsWith("bound_outside: "));
    }
}

struct Refusal {
    const char* name;
    const char* scale;
    const char* reason;
};

const Refusal kRefusals[] = {
    {"NegativeScale", "-0.5,-0.5", "scale_sign: "},
    {"BoundBetweenSteps", "0.4375,0.4375", "bound_between_steps: a bound is 13.714"},
    {"ChannelsDiffer", "0.5,0.25", "per_channel_bounds: "},
};

class MoveThroughClampRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(MoveThroughClampRefusal, SaysWhy) {
    const PassTest test = run_pass(
        move_dequantize_down, model(dq("x", "u8[1,2,4,4]", GetParam().scale, "", "f32[1,2,1,1]") +
                                    "%y = Clamp(%x) min=0 max=6"));
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(compare_models(*test.before, *test.after), "");
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(All,
                         MoveThroughClampRefusal,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fuseq::testing
