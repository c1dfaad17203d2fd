// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/cpu/split_quantized_products.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/interpreter.hpp"
#include "ops/quantized/requantize_sums.hpp"
#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr const char* kMethods[] = {"NATIVE", "ONNX", "TFLITE", "TFLITE_REFERENCE",
                                    "TFLITE_SINGLE_ROUNDING"};

// The same integers before and after; whether anything was split.
bool splits(const std::string& text, const PassOptions& options = {}) {
    const PassTest test = run_pass(split_quantized_products, "model \"m\"\n" + text, options);
    const std::vector<Tensor> inputs = random_inputs(*test.before, 5);
    const Tensor want = Interpreter(*test.before).run(inputs)[0];
    const Tensor got = Interpreter(*test.after).run(inputs)[0];
    EXPECT_TRUE(same_bytes(got, want)) << text;
    EXPECT_EQ(test.changed, !test.after->find_all("RequantizeSums").empty());
    return test.changed;
}

std::string convolution(const std::string& more,
                        const std::string& src = "u8[1,4,5,6]",
                        const std::string& weights = "i8[6,4,3,3]",
                        const std::string& range = "-20,20") {
    return "%x = Parameter : " + src + "\n%w = Const value=random(1," + range + ") : " + weights +
           "\n%b = Const value=random(2,-900,900) : i32[6]\n"
           "%y = QuantizedConvolution(%x, %w, %b) input_scales=[0.02] output_scale=0.11 "
           "output_zero_point=7 output_type=u8 weight_scales=[0.01,0.02,0.03,0.04,0.05,0.06] "
           "strides=[1,1] pads_begin=[1,1] pads_end=[1,1] " +
           more + "\n%r = Result(%y)\n";
}

TEST(SplitQuantizedProducts, ConvolutionsOfEveryMethod) {
    for (const std::string method : kMethods) {
        EXPECT_TRUE(splits(convolution("input_zero_points=[120] method=" + method))) << method;
    }
}

TEST(SplitQuantizedProducts, ChannelsLastAndGroups) {
    EXPECT_TRUE(splits(convolution("channels_last=true method=TFLITE", "i8[2,5,6,4]")));
    EXPECT_TRUE(
        splits(convolution("groups=2 method=ONNX clamp_min=7", "i8[1,4,5,6]", "i8[6,2,3,3]")));
    EXPECT_TRUE(splits(convolution("groups=6 depthwise=true method=TFLITE channels_last=true",
                                   "i8[1,5,6,6]", "i8[6,1,3,3]")));
}

TEST(SplitQuantizedProducts, WeightsLessTheirZeroPoints) {
    EXPECT_TRUE(splits(convolution("weight_zero_points=[100] method=TFLITE", "u8[1,4,5,6]",
                                   "u8[6,4,3,3]", "90,110")));
    // 255 - 100 is no i8: less 128, and one more channel of ones.
    EXPECT_TRUE(splits(convolution("weight_zero_points=[100] input_zero_points=[3] method=TFLITE",
                                   "u8[1,4,5,6]", "u8[6,4,3,3]", "0,255")));
    EXPECT_TRUE(splits(convolution("weight_zero_points=[1,2,3,4,5,200] method=ONNX", "u8[1,4,5,6]",
                                   "u8[6,4,3,3]", "0,255")));
    // In groups: two convolutions.
    EXPECT_TRUE(
        splits(convolution("groups=6 depthwise=true weight_zero_points=[9] "
                           "input_zero_points=[77] method=TFLITE",
                           "u8[1,6,5,6]", "u8[6,1,3,3]", "0,255")));
}

// A kernel that takes zero points of weights needs no channel of ones; in groups none is asked.
TEST(SplitQuantizedProducts, WeightsLessZeroPointsThatAKernelTakes) {
    int asked = 0;
    PassOptions options;
    options.device.takes_weight_zero_points = [&](const Node& node) {
        ++asked;
        EXPECT_EQ(node.input(3).type(), ElementType::f32);
        return true;
    };
    const std::string zero_points = "weight_zero_points=[1,2,3,4,5,200] method=ONNX";
    const std::string text = convolution(zero_points, "u8[1,4,5,6]", "u8[6,4,3,3]", "0,255");
    const PassTest test = run_pass(split_quantized_products, "model \"m\"\n" + text, options);
    ASSERT_EQ(test.after->find_all("Convolution").size(), 1U);
    const Node* sums = test.after->find_all("Convolution")[0];
    EXPECT_EQ(sums->input(1).shape(), (Shape{6, 4, 3, 3}));
    // Less 128, and the rest of each.
    EXPECT_EQ(to_floats(sums->input_node(3)->constant()),
              (std::vector<float>{-127, -126, -125, -124, -123, 72}));
    EXPECT_EQ(asked, 1);
    EXPECT_TRUE(splits(text, options));
    EXPECT_TRUE(splits(convolution("groups=6 depthwise=true weight_zero_points=[9] method=TFLITE",
                                   "u8[1,6,5,6]", "u8[6,1,3,3]", "0,255"),
                       options));
    EXPECT_EQ(asked, 2);
    options.device.takes_weight_zero_points = [](const Node&) { return false; };
    EXPECT_TRUE(splits(text, options));
}

// Each weight at the end of the source's range where it adds most, and least; padding adds nothing.
TEST(SplitQuantizedProducts, SaysHowFarSumsReach) {
    const PassTest test = run_pass(split_quantized_products, R"(model "m"
%x = Parameter : u8[1,2,3,3]
%w = Const value={1,-2,100,0} : i8[2,2,1,1]
%y = QuantizedConvolution(%x, %w) input_scales=[0.02] input_zero_points=[10] output_scale=0.1 output_type=u8 weight_scales=[0.01] strides=[1,1] method=ONNX
%r = Result(%y))");
    ASSERT_EQ(test.after->find_all("RequantizeSums").size(), 1U);
    const auto& attrs = test.after->find_all("RequantizeSums")[0]->attrs<RequantizeSumsAttrs>();
    EXPECT_EQ(attrs.sum_min, (std::vector<std::int64_t>{-10 - 490, -1000}));
    EXPECT_EQ(attrs.sum_max, (std::vector<std::int64_t>{245 + 20, 24500}));
}

// 64 * 9 * 127 * 255 is beyond 2^24.
TEST(SplitQuantizedProducts, LeavesSumsThatF32DoesNotHold) {
    EXPECT_FALSE(splits(convolution("method=ONNX", "u8[1,64,3,3]", "i8[6,64,3,3]", "120,127")));
    EXPECT_TRUE(splits(convolution("method=ONNX", "u8[1,64,3,3]", "i8[6,64,3,3]", "-9,9")));
}

// A bias is added to the sums as integers, so that it may be beyond 2^24.
TEST(SplitQuantizedProducts, TakesBiasesThatF32DoesNotHold) {
    const auto with_bias = [](const std::string& range) {
        std::string text = convolution("method=TFLITE");
        return splits(text.replace(text.find("2,-900,900"), 10, "2," + range));
    };
    EXPECT_TRUE(with_bias("-90000001,90000001"));
    EXPECT_TRUE(with_bias("1100000000,1100000001"));
    EXPECT_FALSE(with_bias("2140000000,2140000001"));
}

TEST(SplitQuantizedProducts, MatrixProducts) {
    const auto product = [](const std::string& weights, const std::string& more) {
        return splits("%x = Parameter : u8[3,8]\n%w = Const value=random(1,-30,30) : i8[" +
                      weights +
                      "]\n%b = Const value=random(2,-900,900) : i32[5]\n"
                      "%y = QuantizedMatMul(%x, %w, %b) input_scales=[0.02] "
                      "input_zero_points=[3] output_scale=0.11 output_type=i8 "
                      "weight_scales=[0.01] method=TFLITE " +
                      more + "\n%r = Result(%y)\n");
    };
    EXPECT_TRUE(product("8,5", ""));
    EXPECT_TRUE(product("5,8", "transpose_b=true alpha=0.5"));
    // -30 - 110 is no i8.
    EXPECT_TRUE(product("8,5", "weight_zero_points=[110]"));
    EXPECT_TRUE(product("5,8", "transpose_b=true weight_zero_points=[110]"));
}

}  // namespace
}  // namespace fuseq::testing
