// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/drop_repeated_fake_quantize.hpp"

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string twice(const std::string& second_high,
                  const std::string& between,
                  const std::string& output_high = "2.55") {
    return R"(model "m"
        %x = Parameter : f32[1,2,4,4]
        %l = Const value={-0.1} : f32[]
        %h = Const value={2.55} : f32[1,1,1,1]
        %g = Const value={)" +
           second_high + "} : f32[]\n%o = Const value={" + output_high + R"(} : f32[]
        %a = FakeQuantize(%x, %l, %h, %l, %o) levels=256
        )" +
           between +
           R"(
        %c = FakeQuantize(%b, %l, %g, %l, %o) levels=256
        %y = ReLU(%c)
        %r = Result(%y))";
}

const char* const kPool = "%b = MaxPool.1(%a) strides=[2,2] kernel=[2,2]";

TEST(DropRepeatedFakeQuantize, DropsTheSecond) {
    const PassTest test = run_pass(drop_repeated_fake_quantize, twice("2.55", kPool));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("c"), nullptr);
    EXPECT_EQ(test.after->find("b")->origins, (std::vector<std::string>{"b", "c"}));
    EXPECT_LT(largest_difference(test), 1e-6);
}

TEST(DropRepeatedFakeQuantize, KeepsWhatQuantizesAnew) {
    EXPECT_FALSE(run_pass(drop_repeated_fake_quantize, twice("2.5", kPool)).changed);
    EXPECT_FALSE(run_pass(drop_repeated_fake_quantize, twice("2.55", kPool, "5.1")).changed);
    EXPECT_FALSE(run_pass(drop_repeated_fake_quantize, twice("2.55", "%b = ReLU(%a)")).changed);
}

TEST(DropRepeatedFakeQuantize, KeepsNamedLayers) {
    PassOptions options;
    options.keep_float = {"c"};
    EXPECT_FALSE(run_pass(drop_repeated_fake_quantize, twice("2.55", kPool), options).changed);
}

}  // namespace
}  // namespace fuseq::testing
