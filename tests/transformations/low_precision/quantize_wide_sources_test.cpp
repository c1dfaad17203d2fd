// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/quantize_wide_sources.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kWindows = " strides=[1,1] pads_begin=[1,0] pads_end=[0,1] dilations=[1,1]";

// Steps are powers of two and sums small: results of f32 are exact.
std::string model_of(const std::string& weights,
                     const std::string& layer,
                     const std::string& low = "0",
                     const std::string& high = "255.99609375",
                     const std::string& limits = "[]") {
    return R"(model "m"
        %x = Parameter : f32[1,4,4,4]
        %l = Const value={)" +
           low + "} : f32" + limits + R"(
        %h = Const value={)" +
           high + "} : f32" + limits + R"(
        %q = FakeQuantize(%x, %l, %h, %l, %h) levels=65536
        %w = Const value=)" +
           weights + R"(
        %wf = Convert(%w) destination_type=f32
        %s = Const value={0.5} : f32[]
        %k = Multiply(%wf, %s)
        )" +
           layer + "\n%r = Result(%y)";
}

// Whether the layer of that type reads u16, and all numbers stay.
bool reads_u16(const std::string& text, const char* type) {
    const PassTest test = run_pass(quantize_wide_sources, text);
    const std::vector<Node*> layers = test.after->find_all(type);
    EXPECT_EQ(layers.size(), 1u);
    EXPECT_EQ(largest_difference(test), 0.0) << text;
    const bool taken = layers[0]->input(0).type() == ElementType::u16;
    EXPECT_EQ(test.changed, taken);
    return taken;
}

TEST(QuantizeWideSources, TakesConvolutions) {
    const std::string layer = std::string("%y = Convolution(%q, %k)") + kWindows;
    EXPECT_TRUE(reads_u16(model_of("random(1,-128,127) : i8[3,4,2,2]", layer), "Convolution"));
    EXPECT_TRUE(
        reads_u16(model_of("random(1,-128,127) : i8[3,4,2,2]", layer, "-128", "127.99609375"),
                  "Convolution"));
}

// A scale and a zero point a channel: 0, 16384, 32768 and 49152.
TEST(QuantizeWideSources, TakesDepthwiseWithARangeAChannel) {
    const std::string layer = std::string("%y = GroupConvolution(%q, %k)") + kWindows;
    EXPECT_TRUE(
        reads_u16(model_of("random(2,-128,127) : i8[4,1,1,2,2]", layer, "0,-64,-128,-192",
                           "255.99609375,191.99609375,127.99609375,63.99609375", "[1,4,1,1]"),
                  "GroupConvolution"));
}

TEST(QuantizeWideSources, TakesMatricesBehindMovement) {
    EXPECT_TRUE(reads_u16(
        model_of("random(3,-128,127) : i8[5,16]",
                 "%n = Const value={4,16} : i64[2]\n%f = Reshape(%q, %n) special_zero=false\n"
                 "%y = MatMul(%f, %k) transpose_b=true"),
        "MatMul"));
    EXPECT_TRUE(reads_u16(model_of("random(3,-128,127) : i8[4,7]",
                                   "%p = MaxPool.1(%q) strides=[1,1] pads_begin=[0,0] "
                                   "pads_end=[0,1] kernel=[2,2]\n%y = MatMul(%p, %k)",
                                   "-128", "127.99609375"),
                          "MatMul"));
}

TEST(QuantizeWideSources, LeavesWhatHasNoKernel) {
    const std::string windows = " strides=[1,1] pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]";
    EXPECT_FALSE(reads_u16(
        model_of("random(1,-128,127) : i8[2,3,2,1,1]", "%y = GroupConvolution(%q, %k)" + windows),
        "GroupConvolution"));
    // A range a channel before a sum over channels.
    EXPECT_FALSE(reads_u16(
        model_of("random(1,-128,127) : i8[3,4,1,1]", "%y = Convolution(%q, %k)" + windows,
                 "0,0,0,0", "255.99609375,127.998046875,255.99609375,255.99609375", "[1,4,1,1]"),
        "Convolution"));
}

// 65535 * 127 * 258 is the last that 32 bits hold; of both signs, 258 of either.
TEST(QuantizeWideSources, LeavesSumsBeyond32Bits) {
    const auto taken = [](const std::string& depth, const std::string& weights) {
        const PassTest test = run_pass(quantize_wide_sources, R"(model "m"
            %x = Parameter : f32[1,)" + depth + R"(]
            %l = Const value={0} : f32[]
            %h = Const value={65535} : f32[]
            %q = FakeQuantize(%x, %l, %h, %l, %h) levels=65536
            %w = Const value=)" + weights + " : i8[" + depth + R"(,1]
            %wf = Convert(%w) destination_type=f32
            %s = Const value={0.5} : f32[]
            %k = Multiply(%wf, %s)
            %y = MatMul(%q, %k)
            %r = Result(%y))");
        return test.changed;
    };
    EXPECT_TRUE(taken("258", "fill(127)"));
    EXPECT_FALSE(taken("259", "fill(127)"));
    EXPECT_FALSE(taken("259", "fill(-127)"));
}

}  // namespace
}  // namespace fuseq::testing
