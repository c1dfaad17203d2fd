// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
// QuantizedAdd, QuantizedSubtract, QuantizedMultiply, QuantizedDivide, QuantizedSquaredDifference,
// QuantizedReduceProduct, QuantizedConcat.
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kMethods[] = {"NATIVE",           "ONNX",           "TFLITE",
                                    "TFLITE_REFERENCE", "TFLITE_XNNPACK", "TFLITE_SINGLE_ROUNDING",
                                    "TFLITE_LEGACY"};

std::string pair(const std::string& method) {
    return "input_scales=0.5,1; input_zero_points=2,0; output_scale=1; output_zero_point=1; "
           "output_type=i8; method=" +
           method;
}

// 0.5 * 8 + 3 = 7, and 0.5 * 8 - 3 = 1.
TEST(QuantizedAdd, AddsRealValues) {
    const In a = in<std::int8_t>({1}, {10});
    const In b = in<std::int8_t>({1}, {3});
    for (const char* method : kMethods) {
        expect_tensor<std::int8_t>(run_op("QuantizedAdd", 1, pair(method), {a, b})[0], {1}, {8});
        expect_tensor<std::int8_t>(run_op("QuantizedSubtract", 1, pair(method), {a, b})[0], {1},
                                   {2});
    }
}

// 1.5 and -1.5 with a zero point of 1: ONNX Runtime rounds 2.5 and -0.5 to even.
TEST(QuantizedAdd, RoundsTiesByItsMethod) {
    const In a = in<std::int8_t>({2}, {5, -1});
    const In b = in<std::int8_t>({1}, {0});
    const auto run = [&](const std::string& method) {
        return run_op("QuantizedAdd", 1, pair(method), {a, b})[0];
    };
    expect_tensor<std::int8_t>(run("ONNX"), {2}, {2, 0});
    expect_tensor<std::int8_t>(run("NATIVE"), {2}, {2, 0});
    expect_tensor<std::int8_t>(run("TFLITE_XNNPACK"), {2}, {3, 0});
    expect_tensor<std::int8_t>(run("TFLITE_SINGLE_ROUNDING"), {2}, {3, 0});
}

// -5 and 2 / 4: TFLite's kernel for powers of two rounds 0.5 to 1 before it adds, the general one -4.5
// to -5. A scale within 0.07 % of a power of two counts as one.
TEST(QuantizedAdd, ShiftsWhereScalesArePowersOfTwo) {
    const In a = in<std::int16_t>({4}, {-5, 32000, -5, 5});
    const In b = in<std::int16_t>({4}, {2, 32000, -2, 6});
    const auto run = [&](const std::string& op, const std::string& method,
                         const std::string& more = "") {
        return run_op(op, 1,
                      "input_scales=0.00390625,0.00097656; output_scale=0.00390625; "
                      "output_type=i16; shifts=true; method=" +
                          method + more,
                      {a, b})[0];
    };
    for (const char* method : {"TFLITE", "TFLITE_XNNPACK", "TFLITE_SINGLE_ROUNDING"}) {
        expect_tensor<std::int16_t>(run("QuantizedAdd", method), {4}, {-4, 32767, -6, 7});
        expect_tensor<std::int16_t>(run("QuantizedSubtract", method), {4}, {-6, 24000, -4, 3});
    }
    expect_tensor<std::int16_t>(run("QuantizedAdd", "TFLITE", "; clamp_min=-4; clamp_max=100"), {4},
                                {-4, 100, -4, 7});
    expect_tensor<std::int16_t>(run("QuantizedAdd", "NATIVE"), {4}, {-5, 32767, -5, 6});
}

TEST(QuantizedAdd, RefusesShiftsOfOtherScales) {
    const auto error = [](const std::string& attributes, ElementType type = ElementType::i16) {
        return error_of("QuantizedAdd", 1, "shifts=true; method=TFLITE; " + attributes,
                        {open(type, "[4]"), open(type, "[4]")});
    };
    constexpr const char* kScales = "shifts takes scales that are powers of two, the larger one";
    EXPECT_THAT(error("input_scales=0.3,0.5; output_scale=0.5; output_type=i16"),
                HasSubstr(kScales));
    EXPECT_THAT(error("input_scales=0.25,0.5; output_scale=1; output_type=i16"),
                HasSubstr(kScales));
    EXPECT_THAT(error("input_scales=0.25,1; output_scale=0.25; output_type=i16"),
                HasSubstr(kScales));
    EXPECT_THAT(error("input_scales=0.25,0.5; output_scale=0.5; output_zero_point=1; "
                      "output_type=i16"),
                HasSubstr(kScales));
    EXPECT_THAT(error("input_scales=0.25,0.5; output_scale=0.5; output_type=i8", ElementType::i8),
                HasSubstr("shifts is of i16"));
}

// The sum is 75.5 but for what f32 loses. 76 is what ONNX Runtime 1.30 gave (qdq_add_mul).
TEST(QuantizedAdd, FusesOneProductOfTheZeroPointsAsOnnxRuntime) {
    const auto sum =
        run_op("QuantizedAdd", 1,
               "input_scales=0.0211,0.0437; input_zero_points=127,131; "
               "output_scale=0.051; output_zero_point=127; output_type=u8; method=ONNX",
               {in<std::uint8_t>({1}, {65}), in<std::uint8_t>({1}, {102})});
    expect_tensor<std::uint8_t>(sum[0], {1}, {76});
}

TEST(QuantizedAdd, BroadcastsAndTakesSixteenBits) {
    const auto sum = run_op(
        "QuantizedAdd", 1, "input_scales=1,1; output_scale=1; output_type=i16; method=TFLITE",
        {in<std::int16_t>({2, 1}, {1000, 30000}), in<std::int16_t>({2}, {-1, 30000})});
    expect_tensor<std::int16_t>(sum[0], {2, 2}, {999, 31000, 29999, 32767});
    EXPECT_THAT(error_of("QuantizedMultiply", 1,
                         "input_scales=1,1; output_scale=1; output_type=i8; method=CAFFE2",
                         {open(ElementType::i8, "[2]"), open(ElementType::i8, "[2]")}),
                HasSubstr("the method CAFFE2 gives no rule for QuantizedMultiply"));
}

// 3 * 0.5 with a zero point of 1.
TEST(QuantizedMultiply, RoundsTiesByItsMethod) {
    const auto run = [](const std::string& method) {
        return run_op("QuantizedMultiply", 1, pair(method),
                      {in<std::int8_t>({1, 1}, {5}), in<std::int8_t>({2}, {1, -2})})[0];
    };
    expect_tensor<std::int8_t>(run("ONNX"), {1, 2}, {2, -2});
    expect_tensor<std::int8_t>(run("TFLITE"), {1, 2}, {3, -2});
    expect_tensor<std::int8_t>(run("TFLITE_XNNPACK"), {1, 2}, {3, -2});
}

// (0.5 * 8 - 3)^2 = 1 and (0.5 * 8 + 2)^2 = 36, + 1.
TEST(QuantizedSquaredDifference, SquaresRealValues) {
    for (const char* method : kMethods) {
        expect_tensor<std::int8_t>(
            run_op("QuantizedSquaredDifference", 1, pair(method),
                   {in<std::int8_t>({1, 1}, {10}), in<std::int8_t>({2}, {3, -2})})[0],
            {1, 2}, {2, 37});
    }
    EXPECT_THAT(error_of("QuantizedSquaredDifference", 1,
                         "input_scales=1,1; output_scale=1; output_type=i16",
                         {open(ElementType::i16, "[2]"), open(ElementType::i16, "[2]")}),
                HasSubstr("output_type is i16, expected u8 or i8"));
}

// 0.5 * 8 / 3 = 1.33 and 0.5 * 8 / -2 = -2, + 1.
TEST(QuantizedDivide, DividesRealValues) {
    for (const char* method : kMethods) {
        expect_tensor<std::int8_t>(
            run_op("QuantizedDivide", 1, pair(method),
                   {in<std::int8_t>({1, 1}, {10}), in<std::int8_t>({2}, {3, -2})})[0],
            {1, 2}, {2, -1});
    }
    EXPECT_THAT(error_of("QuantizedDivide", 1, "input_scales=1,1; output_scale=1; output_type=i16",
                         {open(ElementType::i16, "[2]"), open(ElementType::i16, "[2]")}),
                HasSubstr("output_type is i16, expected u8 or i8"));
}

// 4 / 0, -4 / 0 and 0 / 0.
TEST(QuantizedDivide, ByZeroIsTheEndOfTheRange) {
    for (const char* method : kMethods) {
        expect_tensor<std::int8_t>(
            run_op("QuantizedDivide", 1, pair(method),
                   {in<std::int8_t>({3}, {10, -6, 2}), in<std::int8_t>({1}, {0})})[0],
            {3}, {127, -128, 1});
    }
}

// 0.5 / 9 and -0.5 / 9: shifts beyond the register, of which TFLite makes the ends of the range.
TEST(QuantizedDivide, OfSmallQuotientsIsTflites) {
    const auto run = [](const std::string& method) {
        return run_op("QuantizedDivide", 1, pair(method),
                      {in<std::int8_t>({2}, {3, 1}), in<std::int8_t>({1}, {9})})[0];
    };
    expect_tensor<std::int8_t>(run("NATIVE"), {2}, {1, 1});
    expect_tensor<std::int8_t>(run("TFLITE"), {2}, {127, -128});
}

// (0.5 * 6) * (0.5 * -4) * (0.5 * 2) = -6, + 1; and without the last factor.
TEST(QuantizedReduceProduct, MultipliesRealValues) {
    for (const char* method : kMethods) {
        const std::string attributes =
            "input_scales=0.5; input_zero_points=2; output_scale=1; "
            "output_zero_point=1; output_type=i8; axes=1; method=";
        const auto out = run_op("QuantizedReduceProduct", 1, attributes + method,
                                {in<std::int8_t>({2, 3}, {8, -2, 4, 4, 4, 4})});
        expect_tensor<std::int8_t>(out[0], {2}, {-5, 2});
    }
    EXPECT_THAT(error_of("QuantizedReduceProduct", 1,
                         "input_scales=1; output_scale=1; output_type=u8; axes=0",
                         {open(ElementType::u8, "[2]")}),
                HasSubstr("output_type is u8, expected i8 or i16"));
}

// 5 * 0.5 = 2.5 joins 10.
TEST(QuantizedConcat, RequantizesEachInput) {
    const auto run = [](const std::string& method) {
        return run_op(
            "QuantizedConcat", 1,
            "axis=1; input_scales=0.5,1; output_scale=1; output_type=i8; method=" + method,
            {in<std::int8_t>({2, 1}, {5, -5}), in<std::int8_t>({2, 1}, {10, 20})})[0];
    };
    expect_tensor<std::int8_t>(run("TFLITE"), {2, 2}, {3, 10, -3, 20});
    expect_tensor<std::int8_t>(run("ONNX"), {2, 2}, {2, 10, -2, 20});
    EXPECT_THAT(
        error_of("QuantizedConcat", 1, "axis=0; input_scales=1,1; output_scale=1; output_type=i8",
                 {open(ElementType::i8, "[1,2]"), open(ElementType::i8, "[1,3]")}),
        HasSubstr("inputs have the sizes 2 and 3 in dimension 1"));
}

}  // namespace
}  // namespace fuseq::test
