// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/share_fake_quantize.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string pair(const std::string& second_high, const std::string& second_levels = "256") {
    return R"(model "m"
        %x = Parameter : f32[1,2,4,4]
        %l = Const value={0} : f32[]
        %h = Const value={2.55} : f32[]
        %g = Const value={)" +
           second_high + R"(} : f32[]
        %a = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %b = FakeQuantize(%x, %l, %g, %l, %g) levels=)" +
           second_levels + R"(
        %y = Add(%a, %b)
        %r = Result(%y))";
}

TEST(ShareFakeQuantize, MakesOneOfEqualOnes) {
    const PassTest test = run_pass(share_fake_quantize, pair("2.55"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("b"), nullptr);
    EXPECT_EQ(test.after->find("a")->origins, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(ShareFakeQuantize, KeepsDifferentOnes) {
    EXPECT_FALSE(run_pass(share_fake_quantize, pair("2.5")).changed);
    EXPECT_FALSE(run_pass(share_fake_quantize, pair("2.55", "255")).changed);
    PassOptions options;
    options.keep_float = {"b"};
    EXPECT_FALSE(run_pass(share_fake_quantize, pair("2.55"), options).changed);
}

}  // namespace
}  // namespace fuseq::testing
