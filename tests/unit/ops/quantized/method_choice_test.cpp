// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/rules/method_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "ops/quantized/quantized_attributes.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

std::shared_ptr<Model> two_layers() {
    return Model::from_text(
        "%x = Parameter.1() element_type=f32 shape=[2] : f32[2]\n"
        "%q = Quantize.1(%x) method=ONNX scales=[1] output_type=i8 : i8[2]\n"
        "%r = Requantize.1(%q) method=TFLITE input_scales=[1] output_scale=2 output_type=i8 "
        ": i8[2]\n"
        "%out = Result.1(%r)\n");
}

std::string error_of_choice(const std::string& all, const std::vector<std::string>& layers) {
    try {
        const MethodChoice choice = parse_method_choice(all, layers);
        const auto model = two_layers();
        check_method_layers(*model, choice);
        apply_method_choice(*model, choice);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::vector<std::string> rules_with(const std::string& all,
                                    const std::vector<std::string>& layers) {
    const auto model = two_layers();
    apply_method_choice(*model, parse_method_choice(all, layers));
    std::vector<std::string> rules;
    for (const LayerRule& rule : layer_rules(*model)) {
        rules.push_back(rule.layer + " " + rule.operation + " " + rule.rule);
    }
    return rules;
}

TEST(MethodChoice, LeavesTheMethodsOfTheModel) {
    EXPECT_THAT(rules_with("", {}), testing::ElementsAre("q Quantize ONNX: real, half even",
                                                         "r Requantize TFLITE: D2"));
}

TEST(MethodChoice, OfALayerGoesBeforeThatOfAll) {
    EXPECT_THAT(rules_with("TFLITE_SINGLE_ROUNDING", {"q:NATIVE"}),
                testing::ElementsAre("q Quantize NATIVE: real, zero point first",
                                     "r Requantize TFLITE_SINGLE_ROUNDING: D1"));
}

TEST(MethodChoice, RefusesUnknownNames) {
    EXPECT_THAT(error_of_choice("TF", {}), HasSubstr("'TF' is no quantize method; known: NATIVE"));
    EXPECT_THAT(error_of_choice("", {"q"}), HasSubstr("'q' is not <layer>:<method>"));
    EXPECT_THAT(error_of_choice("", {"q:TF"}), HasSubstr("'TF' is no quantize method"));
    EXPECT_THAT(error_of_choice("", {"x:ONNX"}),
                HasSubstr("QUANTIZE_METHOD_LAYERS: there is no layer 'x' that a method rounds"));
    EXPECT_EQ(error_of_choice("CAFFE2", {"r:ONNX"}), "");
}

TEST(MethodChoice, RefusesAMethodWithoutARule) {
    const auto model = Model::from_text(
        "%x = Parameter.1() element_type=i8 shape=[2] : i8[2]\n"
        "%y = QuantizedLeakyRelu.1(%x) input_scales=[1] output_scale=2 output_type=i8 alpha=0.1 "
        ": i8[2]\n"
        "%out = Result.1(%y)\n");
    try {
        apply_method_choice(*model, parse_method_choice("CAFFE2", {}));
        FAIL() << "no Error";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("layer 'y': the method CAFFE2 gives no rule for QuantizedLeakyRelu"));
    }
}

}  // namespace
}  // namespace fuseq::test
