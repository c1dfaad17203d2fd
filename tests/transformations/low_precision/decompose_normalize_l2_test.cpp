// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/decompose_normalize_l2.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string normalized(const std::string& shape, const std::string& axes, const char* mode) {
    return R"(model "m"
        %x = Parameter : f32[)" +
           shape + R"(]
        %a = Const value={)" +
           axes + R"(} : i64[)" + (axes.find(',') == std::string::npos ? "1" : "2") + R"(]
        %y = NormalizeL2(%x, %a) eps=0.01 eps_mode=)" +
           mode + "\n%r = Result(%y)";
}

TEST(DecomposeNormalizeL2, TakesChannelsApart) {
    for (const char* mode : {"add", "max"}) {
        for (const char* axis : {"1", "-3"}) {
            const PassTest test =
                run_pass(decompose_normalize_l2, normalized("2,5,3,4", axis, mode));
            EXPECT_TRUE(test.changed);
            EXPECT_TRUE(test.after->find_all("NormalizeL2").empty());
            EXPECT_EQ(test.after->find("y")->type(), "Multiply");
            EXPECT_LT(largest_difference(test), 1e-6) << mode;
        }
    }
}

TEST(DecomposeNormalizeL2, LeavesOtherAxesAndRanks) {
    const auto changed = [](const std::string& text) {
        return run_pass(decompose_normalize_l2, text).changed;
    };
    EXPECT_FALSE(changed(normalized("2,5,3,4", "2", "add")));
    EXPECT_FALSE(changed(normalized("2,5,3,4", "1,2", "add")));
    EXPECT_FALSE(changed(normalized("2,5", "1", "add")));
}

}  // namespace
}  // namespace fuseq::testing
