// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/rules/methods.hpp"

#include "ops/quantized/quantized_attributes.hpp"
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kGrids = "input_scales=1; output_scale=1; output_type=i8; method=";

std::string convolution_rule(const std::string& method, ElementType src, const std::string& more) {
    const OpModel model =
        make_op("QuantizedConvolution", 1, kGrids + method + "; strides=1,1; " + more,
                {open(src, "[1,2,4,4]"),
                 open(ElementType::i8,
                      more.find("groups") == std::string::npos ? "[2,2,3,3]" : "[2,1,3,3]")});
    return rule_text(*model.node);
}

// SEEDS.md, section 2.
TEST(QuantizeMethods, GiveConvolutionsTheirRules) {
    const std::string one = "weight_scales=1";
    const std::string two = "weight_scales=1,2";
    const auto rule = [&](const std::string& method, const std::string& scales,
                          ElementType src = ElementType::i8) {
        return convolution_rule(method, src, scales);
    };
    EXPECT_EQ(rule("TFLITE", two), "TFLITE: D2-up");
    EXPECT_EQ(rule("TFLITE", one, ElementType::u8), "TFLITE: D2-up (f32 product)");
    EXPECT_EQ(rule("TFLITE", two, ElementType::i16), "TFLITE: M16");
    EXPECT_EQ(rule("TFLITE_REFERENCE", two), "TFLITE_REFERENCE: D2");
    EXPECT_EQ(rule("TFLITE_XNNPACK", two), "TFLITE_XNNPACK: F32");
    EXPECT_EQ(rule("TFLITE_XNNPACK", one, ElementType::u8), "TFLITE_XNNPACK: D2-up (f32 product)");
    EXPECT_EQ(rule("TFLITE_SINGLE_ROUNDING", two), "TFLITE_SINGLE_ROUNDING: D1");
    EXPECT_EQ(rule("ONNX", two), "ONNX: F32");
    EXPECT_EQ(rule("ONNX_FUSED", two), "ONNX_FUSED: F32");
    EXPECT_EQ(rule("CAFFE2", two), "CAFFE2: D2 (f32 multiplier)");
    EXPECT_EQ(rule("NATIVE", two), "NATIVE: F32, zero point first");
}

// TFLite's delegate takes deconvolutions with one scale alone, and no PReLU.
TEST(QuantizeMethods, GiveWhatXnnpackLeavesTheRulesOfTflite) {
    const auto deconvolution = [](const char* scales, ElementType type) {
        const OpModel model =
            make_op("QuantizedDeconvolution", 1,
                    std::string(kGrids) + "TFLITE_XNNPACK; strides=1,1; weight_scales=" + scales,
                    {open(type, "[1,2,4,4]"), open(ElementType::i8, "[2,2,3,3]")});
        return rule_text(*model.node);
    };
    EXPECT_EQ(deconvolution("1", ElementType::i8), "TFLITE_XNNPACK: F32");
    EXPECT_EQ(deconvolution("1,2", ElementType::i8), "TFLITE_XNNPACK: D2");
    EXPECT_EQ(deconvolution("1", ElementType::u8), "TFLITE_XNNPACK: D2 (f32 product)");
    const auto product = [](const char* more) {
        const OpModel model =
            make_op("QuantizedMultiply", 1,
                    std::string("input_scales=1,1; output_scale=1; output_type=i8; "
                                "method=TFLITE_XNNPACK") +
                        more,
                    {open(ElementType::i8, "[2]"), open(ElementType::i8, "[2]")});
        return rule_text(*model.node);
    };
    EXPECT_EQ(product(""), "TFLITE_XNNPACK: F32");
    EXPECT_EQ(product("; slope=true"), "TFLITE_XNNPACK: D2 (f32 multiplier)");
}

// Seed 000, the table of A7.
TEST(QuantizeMethods, KnowTheTableOfTheOldTflite) {
    const auto legacy = [](const std::string& more) {
        return convolution_rule("TFLITE_LEGACY", ElementType::i8, more);
    };
    EXPECT_EQ(legacy("weight_scales=1"), "TFLITE_LEGACY: D2 (f32 product)");
    EXPECT_EQ(legacy("weight_scales=1,2"), "TFLITE_LEGACY: D1");
    EXPECT_EQ(legacy("weight_scales=1; groups=2; depthwise=true"),
              "TFLITE_LEGACY: D2 (f32 multiplier)");
    EXPECT_EQ(legacy("weight_scales=1,2; groups=2; depthwise=true"), "TFLITE_LEGACY: D2");
    const OpModel pointwise =
        make_op("QuantizedConvolution", 1,
                std::string(kGrids) + "TFLITE_LEGACY; strides=1,1; weight_scales=1",
                {open(ElementType::i8, "[1,2,4,4]"), open(ElementType::i8, "[2,2,1,1]")});
    EXPECT_EQ(rule_text(*pointwise.node), "TFLITE_LEGACY: D2 (f32 multiplier)");
}

TEST(QuantizeMethods, DepthwiseOfTfliteHasARuleOfItsOwn) {
    EXPECT_EQ(
        convolution_rule("TFLITE", ElementType::i8, "weight_scales=1,2; groups=2; depthwise=true"),
        "TFLITE: D2");
}

// Sums of 32 bits where the bias has them; of deconvolutions and products also without one.
TEST(QuantizeMethods, KnowSumsOf32BitsOfWideSources) {
    const auto rule = [](const std::string& type, const std::string& method,
                         std::vector<In> inputs) {
        const bool spatial = type != "QuantizedMatMul";
        return rule_text(*make_op(type, 1,
                                  "input_scales=1; output_scale=1; output_type=i16; "
                                  "weight_scales=1; method=" +
                                      method + (spatial ? "; strides=1,1" : ""),
                                  inputs)
                              .node);
    };
    const In image = open(ElementType::i16, "[1,2,4,4]");
    const In filter = open(ElementType::i8, "[2,2,3,3]");
    const In rows = open(ElementType::i16, "[4,2]");
    const In matrix = open(ElementType::i8, "[2,2]");
    const In narrow = open(ElementType::i32, "[2]");
    const In wide = open(ElementType::i64, "[2]");
    EXPECT_EQ(rule("QuantizedConvolution", "TFLITE", {image, filter, wide}), "TFLITE: M16");
    EXPECT_EQ(rule("QuantizedConvolution", "TFLITE", {image, filter}), "TFLITE: M16");
    EXPECT_EQ(rule("QuantizedConvolution", "TFLITE", {image, filter, narrow}), "TFLITE: D1");
    EXPECT_EQ(rule("QuantizedConvolution", "TFLITE_REFERENCE", {image, filter, narrow}),
              "TFLITE_REFERENCE: D2");
    EXPECT_EQ(rule("QuantizedConvolution", "ONNX", {image, filter, narrow}), "ONNX: F32");
    EXPECT_EQ(rule("QuantizedDeconvolution", "TFLITE", {image, filter, wide}), "TFLITE: M16");
    EXPECT_EQ(rule("QuantizedDeconvolution", "TFLITE", {image, filter}), "TFLITE: D2");
    EXPECT_EQ(rule("QuantizedDeconvolution", "TFLITE", {image, filter, narrow}), "TFLITE: D2");
    EXPECT_EQ(rule("QuantizedDeconvolution", "TFLITE_LEGACY", {image, filter}),
              "TFLITE_LEGACY: M16");
    EXPECT_EQ(rule("QuantizedMatMul", "TFLITE", {rows, matrix, wide}), "TFLITE: M16 (f32 product)");
    EXPECT_EQ(rule("QuantizedMatMul", "TFLITE", {rows, matrix}), "TFLITE: D1 (f32 product)");
    EXPECT_EQ(rule("QuantizedMatMul", "TFLITE", {rows, matrix, narrow}),
              "TFLITE: D1 (f32 product)");
    EXPECT_EQ(rule("QuantizedMatMul", "TFLITE", {rows, open(ElementType::i16, "[2,2]")}),
              "TFLITE: M16 (f32 product)");
}

// XNNPACK has a kernel for bytes alone.
TEST(QuantizeMethods, MeansOfImagesOf16BitsAreTflites) {
    const auto rule = [](const std::string& method, ElementType src) {
        return rule_text(*make_op("QuantizedMean", 1,
                                  "input_scales=1; output_scale=1; axes=1,2; keep_dims=true; "
                                  "image=true; output_type=" +
                                      std::string(to_string(src)) + "; method=" + method,
                                  {open(src, "[1,4,4,2]")})
                              .node);
    };
    EXPECT_EQ(rule("TFLITE_XNNPACK", ElementType::i16), "TFLITE_XNNPACK: D2, then the mean");
    EXPECT_EQ(rule("TFLITE_XNNPACK", ElementType::i8), "TFLITE_XNNPACK: F32");
    EXPECT_EQ(rule("TFLITE", ElementType::i16), "TFLITE: D2, then the mean");
    EXPECT_EQ(rule("ONNX", ElementType::i16), "ONNX: F32");
    EXPECT_EQ(rule("TFLITE_LEGACY", ElementType::i16), "TFLITE_LEGACY: D1");
}

TEST(QuantizeMethods, FunctionsOf16BitsHaveRulesOfTheirOwn) {
    const auto rule = [](const std::string& type, const std::string& method, ElementType src) {
        return rule_text(
            *make_op(type, 1,
                     "input_scales=1; output_scale=0.000030517578125; "
                     "output_type=i16; " +
                         std::string(type == "QuantizedTable" ? "function=tanh; " : "") +
                         "method=" + method,
                     {open(src, "[4]")})
                 .node);
    };
    EXPECT_EQ(rule("QuantizedSoftmax", "TFLITE", ElementType::i16), "TFLITE: D2 (f32 product)");
    EXPECT_EQ(rule("QuantizedSoftmax", "TFLITE_SINGLE_ROUNDING", ElementType::i16),
              "TFLITE_SINGLE_ROUNDING: D1 (f32 product)");
    EXPECT_EQ(rule("QuantizedSoftmax", "TFLITE", ElementType::i8), "TFLITE: f32 table");
    EXPECT_EQ(rule("QuantizedSoftmax", "ONNX", ElementType::i16), "ONNX: real, half even");
    EXPECT_EQ(rule("QuantizedTable", "TFLITE", ElementType::i16),
              "TFLITE: table of sigmoids or fixed point");
    EXPECT_EQ(rule("QuantizedTable", "TFLITE_REFERENCE", ElementType::i16),
              "TFLITE_REFERENCE: table of sigmoids");
    EXPECT_EQ(rule("QuantizedTable", "TFLITE_LEGACY", ElementType::i16),
              "TFLITE_LEGACY: real, half away");
}

TEST(QuantizeMethods, AreKnownByName) {
    EXPECT_EQ(parse_quantize_method("TFLITE_XNNPACK"), QuantizeMethod::kTfliteXnnpack);
    EXPECT_EQ(to_string(QuantizeMethod::kCaffe2), "CAFFE2");
    try {
        parse_quantize_method("tflite9");
        FAIL() << "no Error";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("'tflite9' is no quantize method; known: NATIVE, ONNX, "
                                            "ONNX_FUSED, TFLITE, TFLITE_REFERENCE"));
    }
}

TEST(QuantizeMethods, OtherOperationsHaveNoRule) {
    const OpModel relu = make_op("ReLU", 1, "", {open(ElementType::f32, "[1]")});
    EXPECT_EQ(rule_of(*relu.node), nullptr);
    EXPECT_EQ(rule_text(*relu.node), "");
}

}  // namespace
}  // namespace fuseq::test
