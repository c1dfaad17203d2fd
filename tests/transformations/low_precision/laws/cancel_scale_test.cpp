// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/mvn.hpp"
#include "ops/normalize_l2.hpp"
#include "support/pass_testing.hpp"
#include "transformations/low_precision/dequantize_text.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

std::string mvn(const std::string& source, const std::string& attributes) {
    return model(source + "%a = Const value={2,3} : i64[2]\n%y = MVN.6(%x, %a) " + attributes);
}

TEST(CancelScale, OfMvnInsideTheSquareRoot) {
    const PassTest test = run_pass(move_dequantize_down,
                                   mvn(dq("x", "u8[1,2,4,4]", "0.5", "3.25"),
                                       "normalize_variance=true eps=0.25 eps_mode=INSIDE_SQRT"));
    const Node* node = test.after->find("y");
    EXPECT_EQ(node->input_node(0)->type(), "Convert");
    EXPECT_EQ(node->attrs<MvnAttrs>().eps, 1.0f);
    EXPECT_LT(largest_difference(test), 1e-6);
}

TEST(CancelScale, OfAnMvnThatKeepsTheMean) {
    const std::string attributes =
        "normalize_variance=true eps=0.25 eps_mode=INSIDE_SQRT keep_mean=true";
    const PassTest test =
        run_pass(move_dequantize_down, mvn(dq("x", "u8[1,2,4,4]", "0.5", ""), attributes));
    EXPECT_EQ(test.after->find("y")->attrs<MvnAttrs>().eps, 1.0f);
    EXPECT_LT(largest_difference(test), 1e-6);
    const PassTest shifted =
        run_pass(move_dequantize_down, mvn(dq("x", "u8[1,2,4,4]", "0.5", "3.25"), attributes));
    EXPECT_THAT(refusal_at(shifted.context, "y"), StartsWith("zero_point"));
}

TEST(CancelScale, OfMvnOutsideTheSquareRoot) {
    const PassTest test = run_pass(move_dequantize_down,
                                   mvn(dq("x", "i8[1,2,4,4]", "0.5", ""),
                                       "normalize_variance=true eps=0.25 eps_mode=OUTSIDE_SQRT"));
    EXPECT_EQ(test.after->find("y")->attrs<MvnAttrs>().eps, 0.5f);
    EXPECT_LT(largest_difference(test), 1e-6);
}

TEST(CancelScale, OfTheFirstMvn) {
    const PassTest test =
        run_pass(move_dequantize_down,
                 model(dq("x", "u8[1,2,4,4]", "0.5", "") +
                       "%y = MVN.1(%x) across_channels=false normalize_variance=true eps=0.25"));
    EXPECT_EQ(test.after->find("y")->attrs<Mvn1Attrs>().eps, 1.0f);
    EXPECT_LT(largest_difference(test), 1e-6);
}

TEST(CancelScale, OfNormalizeL2) {
    for (const char* mode : {"add", "max"}) {
        const PassTest test =
            run_pass(move_dequantize_down, model(dq("x", "u8[1,2,4,4]", "0.5", "") +
                                                 "%a = Const value={1} : i64[1]\n"
                                                 "%y = NormalizeL2(%x, %a) eps=0.25 eps_mode=" +
                                                 mode));
        EXPECT_EQ(test.after->find("y")->attrs<NormalizeL2Attrs>().eps, 1.0f);
        EXPECT_LT(largest_difference(test), 1e-6);
    }
}

struct Refusal {
    const char* name;
    std::string body;
    const char* reason;
};

const char* const kAttributes = "normalize_variance=true eps=0.25 eps_mode=INSIDE_SQRT";

const Refusal kRefusals[] = {
    {"PerChannel", mvn(dq("x", "u8[1,2,4,4]", "1,2", "", "f32[1,2,1,1]"), kAttributes),
     "per_channel_scale: "},
    {"NegativeScale", mvn(dq("x", "u8[1,2,4,4]", "-1", ""), kAttributes), "scale_sign: "},
    {"KeepsVariance",
     mvn(dq("x", "u8[1,2,4,4]", "0.5", ""),
         "normalize_variance=false eps=0.25 eps_mode=INSIDE_SQRT"),
     "keeps_variance: "},
    {"TinyScale", mvn(dq("x", "u8[1,2,4,4]", "1e-30", ""), kAttributes), "eps_range: "},
    {"ZeroPointOfNormalizeL2",
     model(dq("x", "u8[1,2,4,4]", "0.5", "1") +
           "%a = Const value={1} : i64[1]\n%y = NormalizeL2(%x, %a) eps=0.25 eps_mode=add"),
     "zero_point: "},
};

class CancelScaleRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(CancelScaleRefusal, SaysWhy) {
    const PassTest test = run_pass(move_dequantize_down, GetParam().body);
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(compare_models(*test.before, *test.after), "");
    EXPECT_THAT(refusal_at(test.context, "y"), StartsWith(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(All,
                         CancelScaleRefusal,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fuseq::testing
