// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/quantize_wide_products.hpp"

#include <string>

#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

// Steps are powers of two and sums small: results of f32 are exact.
std::string model_of(const std::string& weights,
                     const std::string& layer,
                     const std::string& levels = "65536",
                     const std::string& low = "0",
                     const std::string& high = "255.99609375") {
    return R"(model "m"
        %x = Parameter : f32[1,4,4,4]
        %l = Const value={)" +
           low + R"(} : f32[]
        %h = Const value={)" +
           high + R"(} : f32[]
        %q = FakeQuantize(%x, %l, %h, %l, %h) levels=)" +
           levels + "\n" + weights + "\n" + layer + "\n%r = Result(%y)";
}

// 300 and -2000 need more than 8 bits.
std::string converted(const std::string& shape) {
    return R"(%w = Const value=random(1,-2000,2000) : i16)" + shape + R"(
        %wf = Convert(%w) destination_type=f32
        %s = Const value={0.5} : f32[]
        %k = Multiply(%wf, %s))";
}

constexpr const char* kWindows = " strides=[1,1] pads_begin=[1,0] pads_end=[0,1] dilations=[1,1]";

std::size_t count(const PassTest& test, const char* type) {
    return test.after->find_all(type).size();
}

TEST(QuantizeWideProducts, MakesIntegersOfConvolutions) {
    const std::string layer = std::string("%y = Convolution(%q, %k)") + kWindows;
    for (const std::string low : {"0", "-128"}) {
        const PassTest test = run_pass(quantize_wide_products,
                                       model_of(converted("[3,4,2,2]"), layer, "65536", low,
                                                low == "0" ? "255.99609375" : "127.99609375"));
        EXPECT_TRUE(test.changed);
        EXPECT_EQ(count(test, "QuantizedConvolution"), 1u);
        EXPECT_EQ(count(test, "Convolution"), 0u);
        EXPECT_EQ(largest_difference(test), 0.0) << low;
    }
}

TEST(QuantizeWideProducts, TakesGroupsAndMatricesBehindMovement) {
    const PassTest groups =
        run_pass(quantize_wide_products,
                 model_of(converted("[2,3,2,1,1]"),
                          "%p = MaxPool.1(%q) strides=[1,1] pads_begin=[0,0] pads_end=[0,0] "
                          "kernel=[2,2]\n%y = GroupConvolution(%p, %k) strides=[1,1] "
                          "pads_begin=[0,0] pads_end=[0,0] dilations=[1,1]"));
    EXPECT_EQ(count(groups, "QuantizedConvolution"), 1u);
    EXPECT_EQ(largest_difference(groups), 0.0);
    const PassTest matrix = run_pass(
        quantize_wide_products,
        model_of(converted("[5,16]"),
                 "%n = Const value={4,16} : i64[2]\n%f = Reshape(%q, %n) special_zero=false\n"
                 "%y = MatMul(%f, %k) transpose_b=true"));
    EXPECT_EQ(count(matrix, "QuantizedMatMul"), 1u);
    EXPECT_EQ(largest_difference(matrix), 0.0);
}

// Steps of 1/2 from -16384 to 16383.5, and of 1 from -32768 to 32767, one an output channel.
TEST(QuantizeWideProducts, TakesWeightsOfFakeQuantize) {
    const PassTest test = run_pass(
        quantize_wide_products, model_of(R"(
        %w = Const value={-16384,300.5,7,-9,32767,-32768,11,13} : f32[2,4,1,1]
        %wl = Const value={-16384,-32768} : f32[2,1,1,1]
        %wh = Const value={16383.5,32767} : f32[2,1,1,1]
        %k = FakeQuantize(%w, %wl, %wh, %wl, %wh) levels=65536)",
                                         "%y = Convolution(%q, %k) strides=[1,1] pads_begin=[0,0] "
                                         "pads_end=[0,0] dilations=[1,1]",
                                         "65536", "0", "65535"));
    ASSERT_EQ(count(test, "QuantizedConvolution"), 1u);
    const Node* layer = test.after->find_all("QuantizedConvolution")[0];
    const auto weights = layer->input_node(1)->constant().values<std::int16_t>();
    EXPECT_EQ(std::vector<int>(weights.begin(), weights.end()),
              (std::vector<int>{-32768, 601, 14, -18, 32767, -32768, 11, 13}));
    EXPECT_EQ(largest_difference(test), 0.0);
}

// What the whole pipeline leaves: no layer in float, though constants are folded in it.
TEST(QuantizeWideProducts, AreLeftByTheWholePipeline) {
    const PassTest test = run_transform(
        model_of(converted("[3,4,2,2]"), std::string("%y = Convolution(%q, %k)") + kWindows));
    EXPECT_EQ(count(test, "QuantizedConvolution"), 1u);
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(QuantizeWideProducts, RefusesWithReasons) {
    const auto refusal = [](const std::string& text) {
        const PassTest test = run_pass(quantize_wide_products, text);
        EXPECT_FALSE(test.changed);
        return refusal_at(test.context, "y").substr(0, refusal_at(test.context, "y").find(':'));
    };
    const std::string layer = std::string("%y = Convolution(%q, %k)") + kWindows;
    const std::string weights = converted("[3,4,2,2]");
    EXPECT_EQ(refusal(model_of(weights, layer, "65536", "-0.7", "127")), "zero_point");
    EXPECT_EQ(refusal(model_of("%s = Const value={1,2} : f32[2,1]\n%w = Const value={300,2,3,4,5,6,"
                               "7,8} : i16[2,4]\n%wf = Convert(%w) destination_type=f32\n"
                               "%k = Multiply(%wf, %s)",
                               "%n = Const value={4,4,2,2} : i64[4]\n%f = Reshape(%q, %n) "
                               "special_zero=false\n%i = Const value={32,2} : i64[2]\n"
                               "%g = Reshape(%f, %i) special_zero=false\n%y = MatMul(%g, %k)")),
              "weight_scale_axis");
    // Bytes are split_wide_fake_quantize's.
    EXPECT_EQ(refusal(model_of("%w = Const value=random(1,-100,100) : i8[3,4,2,2]\n"
                               "%k = Convert(%w) destination_type=f32",
                               layer)),
              "");
    EXPECT_EQ(refusal(model_of(weights, layer, "256")), "");
}

}  // namespace
}  // namespace fuseq::testing
