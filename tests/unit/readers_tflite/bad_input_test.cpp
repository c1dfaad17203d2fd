// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One error each that names file, operator, tensor and rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "readers/tflite/model_file.hpp"
#include "unit/readers_tflite/tflite_case.hpp"

namespace fuseq::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

// Two operators: h = |x|, y = |h|.
json two_abs() {
    return json::parse(R"({"version": 3,
        "operator_codes": [{"deprecated_builtin_code": 101, "builtin_code": 101}],
        "buffers": [{}],
        "subgraphs": [{
            "tensors": [{"name": "x", "shape": [2, 3]}, {"name": "h", "shape": [2, 3]},
                        {"name": "y", "shape": [2, 3]}],
            "inputs": [0], "outputs": [2],
            "operators": [{"opcode_index": 0, "inputs": [0], "outputs": [1]},
                          {"opcode_index": 0, "inputs": [1], "outputs": [2]}]}]})");
}

json& first_graph(json& model) {
    return model["subgraphs"][0];
}

std::string error_of(const json& model) {
    return error_text([&] { read_tflite(tflite_bytes(model), "m.tflite"); });
}

TEST(TfliteBadInput, TheModelOfTheseTestsIsGood) {
    EXPECT_EQ(error_of(two_abs()), "");
}

TEST(TfliteBadInput, FilesOfAnotherKind) {
    const auto error = [](const std::string& bytes) {
        return error_text([&] { read_tflite(bytes, "m.tflite"); });
    };
    EXPECT_THAT(error(""), AllOf(HasSubstr("m.tflite"), HasSubstr("is empty")));
    EXPECT_THAT(error("<net name=\"x\"></net>"), HasSubstr("is no TFLite model"));
    EXPECT_THAT(error(std::string(64, '\xff')), HasSubstr("is no TFLite model"));
    EXPECT_THAT(error(std::string("\x10\0\0\0TFL3", 8)), HasSubstr("is damaged or cut off"));
    EXPECT_THAT(error_text([] { tflite_reader::read_whole_file("/none/m.tflite"); }),
                AllOf(HasSubstr("/none/m.tflite"), HasSubstr("cannot be read")));
}

TEST(TfliteBadInput, FilesCutOffAnywhere) {
    const std::string bytes = tflite_bytes(two_abs());
    std::size_t refused = 0;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const std::string text =
            error_text([&] { read_tflite(bytes.substr(0, size), "m.tflite"); });
        refused += text.empty() ? 0 : 1;
        EXPECT_TRUE(text.empty() || text.find("m.tflite") != std::string::npos) << text;
    }
    // Padding at the end may be missing.
    EXPECT_GE(refused + 8, bytes.size());
}

TEST(TfliteBadInput, AnotherVersionOfTheFormat) {
    json model = two_abs();
    model["version"] = 2;
    EXPECT_THAT(error_of(model), HasSubstr("is of version 2 of the format"));
}

TEST(TfliteBadInput, UnknownOperatorsAreListedTogether) {
    json model = two_abs();
    model["operator_codes"] = json::parse(R"([
        {"deprecated_builtin_code": 32, "builtin_code": 32, "custom_code": "FlexErf"},
        {"deprecated_builtin_code": 15, "builtin_code": 15}])");
    first_graph(model)["operators"][1]["opcode_index"] = 1;
    EXPECT_THAT(error_of(model),
                AllOf(HasSubstr("m.tflite"), HasSubstr("custom operator 'FlexErf' (0)"),
                      HasSubstr("LSH_PROJECTION (1)")));
}

TEST(TfliteBadInput, NewerVersionsAndNumbersThatDoNotExist) {
    json model = two_abs();
    model["operator_codes"][0]["version"] = 99;
    EXPECT_THAT(error_of(model), HasSubstr("ABS version 99, known up to"));
    model["operator_codes"][0] = {{"builtin_code", 9999}};
    EXPECT_THAT(error_of(model), HasSubstr("has an operator with the number 9999"));
    model["operator_codes"][0] = {{"deprecated_builtin_code", -3}, {"builtin_code", -3}};
    EXPECT_THAT(error_of(model), HasSubstr("has an operator with the number -3"));
}

TEST(TfliteBadInput, IndicesThatAreNotThere) {
    json model = two_abs();
    first_graph(model)["operators"][1]["inputs"] = {7};
    EXPECT_THAT(error_of(model), AllOf(HasSubstr("(ABS)"), HasSubstr("an input names tensor 7")));
    model = two_abs();
    first_graph(model)["operators"][1]["outputs"] = {-4};
    EXPECT_THAT(error_of(model), HasSubstr("an output names tensor -4"));
    model = two_abs();
    first_graph(model)["outputs"] = {3};
    EXPECT_THAT(error_of(model), HasSubstr("an output names tensor 3"));
    model = two_abs();
    first_graph(model)["operators"][1]["opcode_index"] = 5;
    EXPECT_THAT(error_of(model), HasSubstr("operator 1 names operator code 5"));
    model = two_abs();
    first_graph(model)["tensors"][0]["buffer"] = 9;
    EXPECT_THAT(error_of(model), AllOf(HasSubstr("'x' (tensor)"), HasSubstr("names buffer 9")));
}

TEST(TfliteBadInput, GraphsThatDoNotFitTogether) {
    json model = two_abs();
    first_graph(model)["operators"][0]["inputs"] = {2};
    EXPECT_THAT(error_of(model), AllOf(HasSubstr("reads tensor 'y'"), HasSubstr("a cycle")));
    model = two_abs();
    first_graph(model)["operators"][1]["outputs"] = {1};
    EXPECT_THAT(error_of(model), AllOf(HasSubstr("'h' (ABS)"), HasSubstr("has a value already")));
    model = two_abs();
    first_graph(model)["operators"][1]["outputs"] = json::array();
    EXPECT_THAT(error_of(model), HasSubstr("has no outputs"));
    model = two_abs();
    first_graph(model)["operators"].erase(1);
    EXPECT_THAT(error_of(model),
                AllOf(HasSubstr("'y' (tensor)"), HasSubstr("no operator makes it")));
    model = two_abs();
    first_graph(model)["tensors"][2]["type"] = "INT32";
    EXPECT_THAT(error_of(model), HasSubstr("tensor 'y', is i32, the operator makes f32"));
    model = two_abs();
    first_graph(model)["tensors"][0]["type"] = "STRING";
    EXPECT_THAT(error_of(model), HasSubstr("is an input of type STRING, which is not supported"));
    model = two_abs();
    model["subgraphs"] = json::array();
    EXPECT_THAT(error_of(model), HasSubstr("has no graph"));
}

TEST(TfliteBadInput, ConstantsOfAnotherSize) {
    json model = two_abs();
    model["buffers"].push_back({{"data", {1, 2, 3}}});
    first_graph(model)["tensors"][0]["buffer"] = 1;
    first_graph(model)["inputs"] = json::array();
    EXPECT_THAT(error_of(model), AllOf(HasSubstr("'x' (tensor)"), HasSubstr("has 3 bytes of data"),
                                       HasSubstr("take 24")));
    model["buffers"][1] = {{"offset", 1 << 20}, {"size", 24}};
    EXPECT_THAT(error_of(model), HasSubstr("do not lie in the file"));
}

std::string error_with(const json& quantization, const std::string& type = "INT8") {
    json model = two_abs();
    first_graph(model)["tensors"][0]["type"] = type;
    first_graph(model)["tensors"][0]["quantization"] = quantization;
    return error_of(model);
}

TEST(TfliteBadInput, QuantizationsThatDoNotFit) {
    EXPECT_THAT(error_with({{"scale", {0}}, {"zero_point", {0}}}),
                AllOf(HasSubstr("'x' (tensor)"), HasSubstr("scale 0 is 0")));
    EXPECT_THAT(error_with({{"scale", {-1}}, {"zero_point", {0}}}), HasSubstr("scale 0 is -1"));
    EXPECT_THAT(error_with({{"scale", {1, 1, 1}}, {"zero_point", {0, 0, 0}}}),
                HasSubstr("has 3 scales, dimension 0 has the size 2"));
    EXPECT_THAT(error_with({{"scale", {1, 1}}, {"zero_point", {0, 0, 0}}}),
                HasSubstr("has 2 scales and 3 zero points"));
    EXPECT_THAT(error_with({{"scale", {1, 1}}, {"zero_point", {0}}, {"quantized_dimension", 2}}),
                HasSubstr("quantized dimension is 2, the rank is 2"));
    EXPECT_THAT(error_with({{"scale", {1}}, {"zero_point", {128}}}),
                HasSubstr("zero point 0 is 128, which is outside of i8"));
    EXPECT_THAT(error_with({{"scale", {1}}, {"zero_point", {-1}}}, "UINT8"),
                HasSubstr("zero point 0 is -1, which is outside of u8"));
}

// The model of a case, with its first operator changed.
template <class Change>
std::string error_of_case(const std::string& name, Change change) {
    for (TfliteCase& one : tflite_cases()) {
        if (one.name == name) {
            change(first_graph(one.model)["operators"][0], first_graph(one.model)["tensors"]);
            return error_of(one.model);
        }
    }
    return "there is no case " + name;
}

TEST(TfliteBadInput, SvdfOfIntegersAsTfliteHasItNot) {
    const auto error = [](auto change) { return error_of_case("svdf_s8", change); };
    EXPECT_EQ(error([](json&, json&) {}), "");
    EXPECT_THAT(
        error([](json& op, json&) { op["builtin_options"]["fused_activation_function"] = "NONE"; }),
        HasSubstr("fused activation 0 of integers is not supported, only RELU"));
    EXPECT_THAT(error([](json& op, json&) { op["builtin_options"]["rank"] = 5; }),
                HasSubstr("rank is 5, there are 12 filters"));
    EXPECT_THAT(error([](json&, json& tensors) { tensors[1]["quantization"]["zero_point"] = {1}; }),
                HasSubstr("tensor 't1' has zero point 1, expected 0"));
    EXPECT_THAT(error([](json&, json& tensors) { tensors[4].erase("quantization"); }),
                HasSubstr("tensor 't4' has no scale, or several"));
    EXPECT_THAT(error([](json&, json& tensors) { tensors[4]["type"] = "INT8"; }),
                HasSubstr("tensor 't4' is i8, expected i16 as the input is i8"));
}

TEST(TfliteBadInput, CustomOptionsThatAreNone) {
    const auto error = [](auto change) { return error_of_case("detection_4_classes", change); };
    EXPECT_EQ(error([](json&, json&) {}), "");
    EXPECT_THAT(
        error([](json& op, json&) { op.erase("custom_options"); }),
        AllOf(HasSubstr("(TFLite_Detection_PostProcess)"), HasSubstr("has no custom options")));
    EXPECT_THAT(error([](json& op, json&) {
                    op["custom_options"] = {1, 2, 3};
                }),
                HasSubstr("its custom options, 3 bytes, are no map of a FlexBuffer, or damaged"));
    EXPECT_THAT(error([](json& op, json&) {
                    std::string bytes;
                    for (const json& byte : op["custom_options"]) {
                        bytes += static_cast<char>(byte.get<int>());
                    }
                    op["custom_options"][bytes.find("y_scale")] = 'z';
                }),
                HasSubstr("custom option y_scale is missing"));
}

// A custom operator that has the name of another one is still unknown.
TEST(TfliteBadInput, CustomOperatorsOfABuiltinName) {
    json model = two_abs();
    model["operator_codes"][0] = {
        {"deprecated_builtin_code", 32}, {"builtin_code", 32}, {"custom_code", "ABS"}};
    EXPECT_THAT(error_of(model), HasSubstr("custom operator 'ABS' (0, 1)"));
}

// x * w + b as a fully connected layer of i8: the bias must stand in the scale of the product.
TEST(TfliteBadInput, ABiasOfAnotherScale) {
    const auto error_with_scale = [](double scale) {
        json model = json::parse(R"({"version": 3,
            "operator_codes": [{"deprecated_builtin_code": 9, "builtin_code": 9, "version": 4}],
            "buffers": [{}, {"data": [1, 2]}, {"data": [1, 0, 0, 0]}],
            "subgraphs": [{
                "tensors": [
                    {"name": "x", "shape": [1, 2], "type": "INT8", "quantization": {"scale": [0.5], "zero_point": [0]}},
                    {"name": "w", "shape": [1, 2], "type": "INT8", "buffer": 1, "quantization": {"scale": [0.25], "zero_point": [0]}},
                    {"name": "b", "shape": [1], "type": "INT32", "buffer": 2, "quantization": {"scale": [0.125], "zero_point": [0]}},
                    {"name": "y", "shape": [1, 1], "type": "INT8", "quantization": {"scale": [1], "zero_point": [0]}}],
                "inputs": [0], "outputs": [3],
                "operators": [{"opcode_index": 0, "inputs": [0, 1, 2], "outputs": [3]}]}]})");
        first_graph(model)["tensors"][2]["quantization"]["scale"] = {scale};
        return error_of(model);
    };
    EXPECT_EQ(error_with_scale(0.125), "");
    EXPECT_EQ(error_with_scale(0.14), "");  // off by 0.015 of the output's scale
    EXPECT_THAT(error_with_scale(0.15), AllOf(HasSubstr("'y' (FULLY_CONNECTED)"),
                                              HasSubstr("the bias, tensor 'b', has the scale 0.15"),
                                              HasSubstr("0.02 are allowed")));
}

// JSON has no such numbers: the bytes of a scale of 1 are overwritten.
TEST(TfliteBadInput, ScalesThatAreNoNumbers) {
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        json model = two_abs();
        const float marker = 1.2345678F;
        first_graph(model)["tensors"][0]["quantization"] = {{"scale", {marker}},
                                                            {"zero_point", {0}}};
        std::string bytes = tflite_bytes(model);
        const std::string search(reinterpret_cast<const char*>(&marker), sizeof marker);
        const std::size_t at = bytes.find(search);
        ASSERT_NE(at, std::string::npos);
        bytes.replace(at, sizeof bad, reinterpret_cast<const char*>(&bad), sizeof bad);
        EXPECT_THAT(error_text([&] { read_tflite(bytes); }),
                    HasSubstr("expected a finite value above 0"));
    }
}

json recorded_model(const std::string& name) {
    for (TfliteCase& one : tflite_cases()) {
        if (one.name == name) {
            return std::move(one.model);
        }
    }
    throw std::runtime_error("no case " + name);
}

// The recorded case with one input of its operator set to tensor 0.
json with_input(const std::string& name, std::size_t input) {
    json model = recorded_model(name);
    first_graph(model)["operators"][0]["inputs"][input] = 0;
    return model;
}

// What TFLite does with peepholes where a projection has more values than there are cells reads
// beyond the weights.
TEST(TfliteBadInput, PeepholesOfALstmWithAWideProjection) {
    json model = with_input("lstm_s8_peepholes_projection", 0);
    json& graph = first_graph(model);
    const std::size_t state = graph["operators"][0]["inputs"][18];
    graph["operators"][0]["inputs"][0] = graph["inputs"][0];
    graph["tensors"][state]["shape"] = {2, 12};
    EXPECT_THAT(error_of(model), HasSubstr("peepholes with a projection to 12 values of 9 cells"));
}

TEST(TfliteBadInput, OptionsOfMediaPipesDeconvolution) {
    json model = recorded_model("transpose_bias_1_22_22");
    json& op = first_graph(model)["operators"][0];
    op["custom_options"][0] = 3;
    EXPECT_THAT(error_of(model), HasSubstr("padding is 3, expected 1 or 2"));
    op["custom_options"][0] = 1;
    op["custom_options"][4] = 0;
    EXPECT_THAT(error_of(model), HasSubstr("the strides are 2 and 0, expected 1 to 256"));
    op["custom_options"][4] = 9;
    EXPECT_THAT(error_of(model), HasSubstr("in dimension 2"));
    op["custom_options"] = {1, 0, 0, 0};
    EXPECT_THAT(error_of(model), HasSubstr("has 4 bytes of options"));
}

// Other operators that are read in part.
TEST(TfliteBadInput, FormsOfScatteringThatAreNotRead) {
    json model = with_input("sparse_to_dense_list", 0);
    first_graph(model)["tensors"][0]["shape"] = json::array();
    EXPECT_THAT(error_of(model), HasSubstr("the list of places has rank 0, expected 1 or 2"));
    EXPECT_THAT(error_of(with_input("rnn_both_apart", 9)),
                HasSubstr("has an auxiliary input (9 to 11), which is not supported"));
    model = with_input("conv_3d_transpose_valid", 0);
    first_graph(model)["operators"][0]["inputs"][0] = 1;
    EXPECT_THAT(error_of(model), HasSubstr("the shape of the result has"));
    model = recorded_model("conv_3d_transpose_valid");
    first_graph(model)["operators"][0]["builtin_options"]["dilation_h_factor"] = 2;
    EXPECT_THAT(error_of(model), HasSubstr("dilations are not supported"));
    model = recorded_model("unsorted_segment_sum_rows");
    first_graph(model)["tensors"][0]["type"] = "INT64";
    EXPECT_THAT(error_of(model), HasSubstr("the data are i64, expected f32 or i32"));
}

TEST(TfliteBadInput, FormsOfLstmThatAreNotRead) {
    EXPECT_THAT(error_of(with_input("lstm_s8_0", 9)),
                HasSubstr("peepholes: 1 inputs of 3 are given"));
    EXPECT_THAT(error_of(with_input("lstm_s8_coupled", 20)),
                HasSubstr("input 20 is given, and coupled gates have none"));
    EXPECT_THAT(error_of(with_input("lstm_s8_peepholes", 17)),
                HasSubstr("a bias of the projection is given, and no projection"));
    EXPECT_THAT(
        error_of(with_input("lstm_both_apart", 42)),
        HasSubstr("input 42: the weights of the auxiliary input are not those of all gates"));
    json model = recorded_model("lstm_both_second_input_beside");
    const std::size_t second = first_graph(model)["operators"][0]["inputs"][39];
    first_graph(model)["tensors"][second]["shape"] = {2, 4, 7};
    EXPECT_THAT(error_of(model), HasSubstr("the auxiliary input has shape [2,4,7]"));
    model = recorded_model("lstm_s8_step_all");
    json& intermediates = first_graph(model)["operators"][0]["intermediates"];
    for (int i = 0; i < 7; ++i) {
        intermediates.push_back(intermediates[0]);
    }
    EXPECT_THAT(error_of(model), HasSubstr("has 12 intermediate tensors, expected 5"));
    EXPECT_THAT(error_of(with_input("lstm_peepholes", 17)),
                HasSubstr("a bias of the projection is given, and no projection"));
}

}  // namespace
}  // namespace fuseq::test
