// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/split_wide_fake_quantize.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

// Steps are powers of two and sums small: results of f32 are exact.
std::string convolution(const std::string& low,
                        const std::string& high,
                        const std::string& levels,
                        const std::string& weights = "i8") {
    return R"(model "m"
        %x = Parameter : f32[1,2,3,3]
        %l = Const value={)" +
           low + R"(} : f32[]
        %h = Const value={)" +
           high + R"(} : f32[]
        %q = FakeQuantize(%x, %l, %h, %l, %h) levels=)" +
           levels + R"(
        %w = Const value={1,-2,3,-4} : )" +
           weights + R"([2,2,1,1]
        %wf = Convert(%w) destination_type=f32
        %s = Const value={0.5} : f32[]
        %ws = Multiply(%wf, %s)
        %c = Convolution(%q, %ws) strides=[1,1] pads_begin=[1,1] pads_end=[1,1] dilations=[1,1]
        %r = Result(%c))";
}

std::size_t count(const PassTest& test, const char* type) {
    return test.after->find_all(type).size();
}

TEST(SplitWideFakeQuantize, MakesTwoLayersOfBytes) {
    // Steps of 1/256.
    for (const auto& [levels, high] :
         {std::pair{"257", "1"}, {"1025", "4"}, {"65536", "255.99609375"}}) {
        const PassTest test = run_pass(split_wide_fake_quantize, convolution("0", high, levels));
        EXPECT_TRUE(test.changed) << levels;
        EXPECT_EQ(count(test, "Convolution"), 2u) << levels;
        EXPECT_EQ(largest_difference(test), 0.0) << levels;
    }
}

TEST(SplitWideFakeQuantize, PassesConcatAndMaxPool) {
    const PassTest test = run_pass(split_wide_fake_quantize, R"(model "m"
        %x = Parameter : f32[1,1,4,4]
        %y = Parameter : f32[1,1,4,4]
        %l = Const value={0} : f32[]
        %h = Const value={255.99609375} : f32[]
        %a = FakeQuantize(%x, %l, %h, %l, %h) levels=65536
        %b = FakeQuantize(%y, %l, %h, %l, %h) levels=65536
        %p = MaxPool.1(%a) strides=[1,1] pads_begin=[1,1] pads_end=[1,1] kernel=[3,3]
        %q = Concat(%p, %b) axis=1
        %w = Const value={1,-2,3,-4} : i8[2,2,1,1]
        %wf = Convert(%w) destination_type=f32
        %s = Const value={0.5} : f32[]
        %ws = Multiply(%wf, %s)
        %c = Convolution(%q, %ws) strides=[1,1] pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]
        %z = Add(%c, %q)
        %r = Result(%z))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(count(test, "Convolution"), 2u);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(SplitWideFakeQuantize, MakesFourProductsOfTwoSourcesOf16Bits) {
    const PassTest test = run_pass(split_wide_fake_quantize, R"(model "m"
        %x = Parameter : f32[2,3]
        %y = Parameter : f32[3,2]
        %l = Const value={-128} : f32[]
        %h = Const value={127.99609375} : f32[]
        %a = FakeQuantize(%x, %l, %h, %l, %h) levels=65536
        %b = FakeQuantize(%y, %l, %h, %l, %h) levels=65536
        %c = MatMul(%a, %b)
        %r = Result(%c))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(count(test, "MatMul"), 4u);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(SplitWideFakeQuantize, TakesSymmetricRangesAsSignedHighBytes) {
    const PassTest test =
        run_pass(split_wide_fake_quantize, convolution("-128", "127.99609375", "65536"));
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(test.after->find("q/high")->port().type, ElementType::i8);
    EXPECT_EQ(test.after->find("q/low")->port().type, ElementType::u8);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(SplitWideFakeQuantize, KeepsFewLevelsAndFloatWeights) {
    EXPECT_FALSE(run_pass(split_wide_fake_quantize, convolution("0", "255", "256")).changed);
    const PassTest test =
        run_pass(split_wide_fake_quantize, convolution("0", "255", "65536", "i16"));
    EXPECT_FALSE(test.changed);
    EXPECT_TRUE(refusal_at(test.context, "c").starts_with("weights_not_quantized"))
        << refusal_at(test.context, "c");
}

}  // namespace
}  // namespace fuseq::testing
