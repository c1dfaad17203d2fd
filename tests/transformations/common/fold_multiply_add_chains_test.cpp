// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/fold_multiply_add_chains.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string model(const std::string& body) {
    return "model \"m\"\n%x = Parameter : f32[1,2,3,3]\n" + body + "\n%r = Result(%y)";
}

const char* const kConstants =
    "%a = Const value={2,4} : f32[1,2,1,1]\n%b = Const value={0.5} : f32[]\n"
    "%c = Const value={3,5} : f32[1,2,1,1]\n%d = Const value={-1} : f32[1,1,1,1]\n";

TEST(FoldMultiplyAddChains, FourOperationsBecomeTwo) {
    const PassTest test =
        run_pass(fold_multiply_add_chains,
                 model(std::string(kConstants) + "%p = Multiply(%x, %a)\n%q = Add(%p, %b)\n"
                                                 "%s = Multiply(%q, %c)\n%y = Add(%s, %d)"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, model("%a = Const value={6,20} : f32[1,2,1,1]\n"
                                       "%b = Const value={0.5,1.5} : f32[1,2,1,1]\n"
                                       "%p = Multiply(%x, %a)\n%y = Add(%p, %b)")),
              "");
    EXPECT_EQ(test.after->find("y")->origins, (std::vector<std::string>{"y", "q"}));
    EXPECT_LT(largest_difference(test), 1e-5);
}

TEST(FoldMultiplyAddChains, JoinsTheScaleOfAConvolution) {
    const std::string weights =
        "%w = Const value=random(1) : f32[2,2,1,1]\n"
        "%v = Convolution(%x, %w) strides=[1,1] dilations=[1,1]\n";
    const PassTest test = run_pass(fold_multiply_add_chains, model(kConstants + weights +
                                                                   "%p = Add(%v, %a)\n"
                                                                   "%y = Multiply(%p, %c)"));
    EXPECT_EQ(differs_from(test, model(weights + "%a = Const value={3,5} : f32[1,2,1,1]\n"
                                                 "%b = Const value={6,20} : f32[1,2,1,1]\n"
                                                 "%p = Multiply(%v, %a)\n%y = Add(%p, %b)")),
              "");
    EXPECT_LT(largest_difference(test), 1e-5);
}

struct Kept {
    const char* name;
    const char* body;
};

const Kept kKept[] = {
    {"MeanAndScaleOfAnInput", "%p = Add(%x, %a)\n%y = Multiply(%p, %c)"},
    {"ReadTwice", "%p = Multiply(%x, %a)\n%q = Multiply(%p, %c)\n%y = Add(%p, %q)"},
    {"ConstantEnlarges",
     "%e = Const value=fill(2) : f32[3,1,1,1]\n%p = Multiply(%x, %a)\n%y = Multiply(%p, %e)"},
    {"NotFinite", "%e = Const value={3e38} : f32[]\n%p = Multiply(%x, %a)\n%y = Multiply(%p, %e)"},
};

class FoldMultiplyAddChainsKeeps : public ::testing::TestWithParam<Kept> {};

TEST_P(FoldMultiplyAddChainsKeeps, WhatItMust) {
    const std::string text = model(std::string(kConstants) + GetParam().body);
    const PassTest test = run_pass(fold_multiply_add_chains, text);
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(differs_from(test, text), "");
}

INSTANTIATE_TEST_SUITE_P(All,
                         FoldMultiplyAddChainsKeeps,
                         ::testing::ValuesIn(kKept),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fuseq::testing
