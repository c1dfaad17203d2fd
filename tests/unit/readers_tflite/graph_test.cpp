// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a graph becomes: order of dimensions, names, weights, the reader as the runtime finds it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/small_model.hpp"
#include "unit/readers_tflite/tflite_case.hpp"

namespace fuseq::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json tensor(const std::string& name, const json& shape, const std::string& type = "FLOAT32") {
    return {{"name", name}, {"shape", shape}, {"type", type}, {"buffer", 0}};
}

json floats(const std::string& name, const json& shape, const std::vector<float>& values) {
    json made = tensor(name, shape);
    made["values"] = values;
    return made;
}

json node(int code, const json& inputs, const json& outputs) {
    return {{"builtin", code}, {"inputs", inputs}, {"outputs", outputs}};
}

// Tensors with "values" become constants of f32, operators get codes of their own.
json graph(json tensors, json operators, const json& inputs, const json& outputs) {
    json buffers = json::array({json::object()});
    for (json& one : tensors) {
        if (one.contains("values")) {
            const auto values = one["values"].get<std::vector<float>>();
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(values.data());
            buffers.push_back({{"data", std::vector<int>(bytes, bytes + 4 * values.size())}});
            one["buffer"] = buffers.size() - 1;
            one.erase("values");
        }
    }
    json codes = json::array();
    for (json& one : operators) {
        codes.push_back(
            {{"builtin_code", one["builtin"]}, {"deprecated_builtin_code", one["builtin"]}});
        one.erase("builtin");
        one["opcode_index"] = codes.size() - 1;
    }
    return {{"version", 3},
            {"operator_codes", codes},
            {"buffers", buffers},
            {"subgraphs", json::array({{{"tensors", tensors},
                                        {"operators", operators},
                                        {"inputs", inputs},
                                        {"outputs", outputs}}})}};
}

constexpr int kConv2d = 3;
constexpr int kRelu = 19;
constexpr int kReshape = 22;
constexpr int kAbs = 101;
constexpr int kMean = 40;

json convolution(int input, int weights, int output) {
    json made = node(kConv2d, {input, weights}, {output});
    made["builtin_options_type"] = "Conv2DOptions";
    made["builtin_options"] = {{"padding", "SAME"}, {"stride_w", 1}, {"stride_h", 1}};
    return made;
}

TEST(TfliteGraph, NoTransposeIsLeftBetweenConvolutions) {
    const json model =
        graph({tensor("x", {1, 4, 4, 1}), floats("w", {1, 1, 1, 1}, {2}), tensor("a", {1, 4, 4, 1}),
               tensor("b", {1, 4, 4, 1}), tensor("y", {1, 4, 4, 1})},
              {convolution(0, 1, 2), node(kAbs, {2}, {3}), convolution(3, 1, 4)}, {0}, {4});
    const auto read = read_tflite(tflite_bytes(model));
    // One of the input, one of the output; weights of one element have one too, which is folded.
    std::size_t of_values = 0;
    for (const Node* transpose : read->find_all("Transpose")) {
        of_values += transpose->input_node(0)->is_constant() ? 0 : 1;
    }
    EXPECT_EQ(of_values, 2U) << read->to_text();
    EXPECT_EQ(read->output("y").shape(), (Shape{1, 4, 4, 1}));
}

TEST(TfliteGraph, NamesOfTensorsAreNamesOfPorts) {
    const json model = graph({tensor("in:0", {2}), tensor("mid", {2}), tensor("out:0", {2})},
                             {node(kAbs, {0}, {1}), node(kRelu, {1}, {2})}, {0}, {2});
    const auto read = read_tflite(tflite_bytes(model));
    EXPECT_EQ(read->input("in:0"), read->input(0));
    EXPECT_EQ(read->output("out:0"), read->output(0));
    EXPECT_EQ(read->add_output("mid").node->name(), "mid");
}

TEST(TfliteGraph, TensorsWithoutNamesAreCalledByTheirNumbers) {
    const json model = graph({tensor("", {2}), tensor("", {2})}, {node(kAbs, {0}, {1})}, {0}, {1});
    const auto read = read_tflite(tflite_bytes(model));
    EXPECT_EQ(read->parameters()[0]->name(), "t0");
    EXPECT_EQ(read->output("t1"), read->output(0));
}

// The shape of a scalar has no elements, and no bytes.
TEST(TfliteGraph, ConstantsWithoutElements) {
    const json model =
        graph({tensor("x", {1, 1}), tensor("shape", {0}, "INT32"), tensor("y", json::array())},
              {node(kReshape, {0, 1}, {2})}, {0}, {2});
    EXPECT_EQ(read_tflite(tflite_bytes(model))->output(0).shape(), Shape{});
}

TEST(TfliteGraph, AnInputThatIsAnOutputToo) {
    const json model = graph({tensor("x", {2})}, json::array(), {0}, {0});
    EXPECT_EQ(read_tflite(tflite_bytes(model))->outputs().size(), 1U);
}

TEST(TfliteGraph, TheRuntimeFindsTheReaderByNameAndByBytes) {
    const std::string bytes =
        tflite_bytes(graph({tensor("x", {2}), tensor("y", {2})}, {node(kAbs, {0}, {1})}, {0}, {1}));
    const TemporaryFolder folder;
    folder.write("m.tflite", bytes);
    const Core core;
    EXPECT_EQ(core.read_model(folder.path("m.tflite"))->find_all("Abs").size(), 1U);
    EXPECT_EQ(core.read_model(bytes, Tensor())->find_all("Abs").size(), 1U);
}

// An error of the Model's own inference comes with the file and the operator.
TEST(TfliteGraph, ErrorsOfInferenceNameTheOperator) {
    const json model = graph({tensor("x", {2, 3}), tensor("z", {4}), tensor("y", {2, 3})},
                             {node(0, {0, 1}, {2})}, {0, 1}, {2});
    const std::string text = error_text([&] { read_tflite(tflite_bytes(model), "add.tflite"); });
    EXPECT_THAT(text, HasSubstr("add.tflite"));
    EXPECT_THAT(text, HasSubstr("'y' (ADD)"));
}

// The recorded cases of the family "free" say what they compute.
TEST(TfliteGraph, AFreeBatchIsThatOfTheFileUntilReshape) {
    json x = tensor("x", {1, 2, 3});
    x["shape_signature"] = {-1, 2, 3};
    json y = tensor("y", {1, 6});
    y["shape_signature"] = {-1, 6};
    const auto read =
        read_tflite(tflite_bytes(graph({x, y}, {node(kReshape, {0}, {1})}, {0}, {1})));
    EXPECT_EQ(read->output(0).shape(), (Shape{1, 6}));
    read->reshape(PartialShape{4, 2, 3});
    EXPECT_EQ(read->output(0).shape(), (Shape{4, 6}));
    read->reshape(PartialShape{Dimension::dynamic(), 2, 3});
    EXPECT_TRUE(read->output(0).partial_shape()[0].is_dynamic());
}

TEST(TfliteGraph, AFreeBatchThatTheGraphFixesIsRefusedByReshape) {
    json x = tensor("x", {1, 2, 3});
    x["shape_signature"] = {-1, 2, 3};
    const json model = graph({x, tensor("y", {1, 6})}, {node(kReshape, {0}, {1})}, {0}, {1});
    const auto read = read_tflite(tflite_bytes(model));
    EXPECT_THAT(error_text([&] {
                    read->reshape(PartialShape{4, 2, 3});
                }),
                testing::AllOf(HasSubstr("'y' (Reshape)"), HasSubstr("[4,2,3]")));
    EXPECT_EQ(read->output(0).shape(), (Shape{1, 6}));
}

TEST(TfliteGraph, OptionsOfAnotherOperatorAreRefused) {
    json reduce = node(kMean, {0, 1}, {2});
    reduce["builtin_options_type"] = "SoftmaxOptions";
    reduce["builtin_options"] = {{"beta", 1}};
    const json model = graph({tensor("x", {2, 3}), floats("axes", {1}, {1}), tensor("y", {2})},
                             {reduce}, {0}, {2});
    EXPECT_THAT(error_text([&] { read_tflite(tflite_bytes(model)); }),
                HasSubstr("has options of the kind SoftmaxOptions"));
}

}  // namespace
}  // namespace fuseq::test
