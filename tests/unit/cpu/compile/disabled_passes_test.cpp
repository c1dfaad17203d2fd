// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/disabled_passes.hpp"

#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

// Why the pass may not be disabled; empty: it may.
std::string refusal(const std::string& pass) {
    try {
        check_may_disable(pass);
    } catch (const Error& error) {
        EXPECT_EQ(error.info().stage, "property");
        return error.info().rule;
    }
    return "";
}

TEST(DisabledPasses, OfAllListsOverTheModelAndThePlan) {
    for (const char* pass : {"fold_constants", "quantize_convolution", "expand_constants",
                             "split_weight_zero_points", "tile_groups", "prefetch_weights"}) {
        EXPECT_EQ(refusal(pass), "");
    }
}

TEST(DisabledPasses, AnUnknownNameIsAnErrorWithTheNearestOne) {
    EXPECT_EQ(refusal("fold_constant"),
              "FUSEQ_DISABLE: there is no pass 'fold_constant'; did you mean 'fold_constants'?");
    EXPECT_EQ(refusal("tilegroups"),
              "FUSEQ_DISABLE: there is no pass 'tilegroups'; did you mean 'tile_groups'?");
    EXPECT_EQ(refusal("prefetch_the_next_weights"),
              "FUSEQ_DISABLE: there is no pass 'prefetch_the_next_weights'; did you mean "
              "'prefetch_next_weights'?");
}

TEST(DisabledPasses, WhatIsNeededSaysWhy) {
    EXPECT_EQ(refusal("arena"),
              "FUSEQ_DISABLE: pass 'arena' cannot be disabled: no tensor would have memory");
    EXPECT_EQ(
        refusal("cover_deconvolutions"),
        "FUSEQ_DISABLE: pass 'cover_deconvolutions' cannot be disabled: oneDNN computes wrong "
        "numbers where no tap of a deconvolution reaches a result");
}

}  // namespace
}  // namespace fuseq::cpu
