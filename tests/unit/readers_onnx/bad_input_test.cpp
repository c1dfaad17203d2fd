// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One error each that names file, operator, tensor and rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "readers/onnx/model_file.hpp"
#include "support/small_model.hpp"
#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using ::onnx::TensorProto;
using testing::AllOf;
using testing::HasSubstr;

std::string parse_error(const std::string& bytes) {
    return error_text([&] { onnx_reader::parse_model(bytes, {.file = "m.onnx"}); });
}

TEST(OnnxBadInput, FilesOfAnotherKind) {
    EXPECT_THAT(parse_error(""), AllOf(HasSubstr("m.onnx"), HasSubstr("is empty")));
    EXPECT_THAT(parse_error("<net name=\"x\"></net>"), HasSubstr("is no ONNX model"));
    EXPECT_THAT(parse_error(std::string(64, '\xff')), HasSubstr("is no ONNX model"));
    EXPECT_THAT(error_text([] { onnx_reader::read_whole_file("/none/m.onnx"); }),
                AllOf(HasSubstr("/none/m.onnx"), HasSubstr("cannot be read")));
}

TEST(OnnxBadInput, FilesCutOffAnywhere) {
    OnnxModel m;
    m.input("x", {2});
    m.floats("w", {2}, {1, 2});
    m.node("Add", {"x", "w"}, {"y"}, "add");
    m.output("y");
    const std::string bytes = m.bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        // A cut between two fields is a whole message, which then lacks something else.
        const std::string text = error_text([&] {
            const auto proto = onnx_reader::parse_model(bytes.substr(0, size), {.file = "m.onnx"});
            onnx_reader::import_model(*proto, {.file = "m.onnx", .folder = {}, .on_warning = {}});
        });
        EXPECT_THAT(text, HasSubstr("m.onnx")) << size;
    }
}

TEST(OnnxBadInput, UnknownOperatorsAreListedTogether) {
    OnnxModel m;
    m.input("x", {2});
    m.node("Foo", {"x"}, {"a"}, "first");
    m.node("Relu", {"a"}, {"b"});
    m.node("Bar", {"b"}, {"c"}, "second");
    m.node("Foo", {"c"}, {"y"}, "third");
    m.output("y");
    EXPECT_THAT(error_text([&] { m.read(); }),
                AllOf(HasSubstr("m.onnx"), HasSubstr("Foo-13 ('first', 'third')"),
                      HasSubstr("Bar-13 ('second')")));
}

TEST(OnnxBadInput, OperatorSetsThatAreNotRead) {
    for (const int opset : {0, 24}) {
        OnnxModel m(opset);
        m.input("x", {2});
        m.node("Relu", {"x"}, {"y"});
        m.output("y");
        EXPECT_THAT(error_text([&] { m.read(); }),
                    HasSubstr("operator set " + std::to_string(opset)));
    }
}

TEST(OnnxBadInput, GraphsThatDoNotFitTogether) {
    {
        OnnxModel m;
        m.input("x", {2});
        m.node("Add", {"x", "b"}, {"a"}, "one");
        m.node("Neg", {"a"}, {"b"}, "two");
        m.output("b");
        EXPECT_THAT(error_text([&] { m.read(); }),
                    AllOf(HasSubstr("cycle"), HasSubstr("'one', 'two'")));
    }
    {
        OnnxModel m;
        m.input("x", {2});
        m.node("Add", {"x", "nobody"}, {"y"}, "sum");
        m.output("y");
        EXPECT_THAT(
            error_text([&] { m.read(); }),
            AllOf(HasSubstr("'sum' (Add)"), HasSubstr("input 'nobody' is defined nowhere")));
    }
    {
        OnnxModel m;
        m.input("x", {2});
        m.node("Neg", {"x"}, {"y"}, "one");
        m.node("Relu", {"x"}, {"y"}, "two");
        m.output("y");
        EXPECT_THAT(error_text([&] { m.read(); }),
                    AllOf(HasSubstr("'two' (Relu)"), HasSubstr("'y' is defined a second time")));
    }
    {
        OnnxModel m;
        m.input("x", {2});
        m.node("Neg", {"x"}, {"y"});
        m.output("z");
        EXPECT_THAT(error_text([&] { m.read(); }), HasSubstr("output 'z' of the graph"));
    }
}

TEST(OnnxBadInput, ShapesThatDoNotFit) {
    OnnxModel m;
    m.input("a", {2, 3});
    m.input("b", {4, 5});
    m.node("MatMul", {"a", "b"}, {"y"}, "product");
    m.output("y");
    EXPECT_THAT(error_text([&] { m.read(); }),
                AllOf(HasSubstr("m.onnx"), HasSubstr("'product' (MatMul)"), HasSubstr("output 'y'"),
                      HasSubstr("do not match")));
}

TEST(OnnxBadInput, ZeroPointsOfAnAxisThatIsNotThere) {
    OnnxModel m;
    m.input("a", {}, TensorProto::UINT8);
    m.input("b", {4, 2}, TensorProto::UINT8);
    m.input("zero", {4}, TensorProto::UINT8);
    m.node("MatMulInteger", {"a", "b", "zero"}, {"y"}, "product");
    m.output("y");
    EXPECT_THAT(
        error_text([&] { m.read(); }),
        AllOf(HasSubstr("'product' (MatMulInteger)"),
              HasSubstr("a zero point of shape [4] belongs to an axis that data of rank 0")));
}

TEST(OnnxBadInput, VectorsOfChannelsOfFlatData) {
    OnnxModel m;
    m.input("x", {4});
    for (const char* name : {"scale", "bias"}) {
        m.floats(name, {4}, {1, 1, 1, 1});
    }
    m.node("InstanceNormalization", {"x", "scale", "bias"}, {"y"}, "norm");
    m.output("y");
    EXPECT_THAT(error_text([&] { m.read(); }), HasSubstr("'norm' (InstanceNormalization)"));
}

// A graph may leave out the shape of an input; found by fuzzing.
TEST(OnnxBadInput, PeepholesOfAWeightWithoutShape) {
    OnnxModel m;
    m.input("x", {1, 2, 4});
    m.input("w", {1, 12, 4})->mutable_type()->mutable_tensor_type()->clear_shape();
    m.input("r", {1, 12, 3});
    m.input("p", {1, 9});
    m.node("LSTM", {"x", "w", "r", "", "", "", "", "p"}, {"y"}, "memory");
    m.output("y");
    EXPECT_THAT(error_text([&] { m.read(); }),
                AllOf(HasSubstr("m.onnx"), HasSubstr("'memory' (LSTM)"), HasSubstr("W has shape"),
                      HasSubstr("expected three dimensions with peepholes")));
}

TEST(OnnxBadInput, AttributesOfAnotherKind) {
    OnnxModel m;
    m.input("x", {2, 3});
    auto* node = m.node("Softmax", {"x"}, {"y"}, "soft");
    attribute(node, "axis", ::onnx::AttributeProto::FLOAT)->set_f(1);
    m.output("y");
    EXPECT_THAT(error_text([&] { m.read(); }),
                AllOf(HasSubstr("'soft' (Softmax)"),
                      HasSubstr("attribute axis is of kind FLOAT, expected INT")));
}

class BadScales : public testing::Test {
protected:
    static std::string error_with(std::vector<float> scales, std::vector<std::int64_t> dims) {
        OnnxModel m;
        m.input("x", {1, 3, 4, 4});
        m.floats("s", dims, scales);
        m.node("QuantizeLinear", {"x", "s"}, {"q"}, "quantize");
        m.output("q");
        return error_text([&] { m.read(); });
    }
};

TEST_F(BadScales, AreRefused) {
    EXPECT_THAT(error_with({0}, {}), AllOf(HasSubstr("'quantize'"), HasSubstr("scale 0 is 0")));
    EXPECT_THAT(error_with({-1}, {}), HasSubstr("scale 0 is -1"));
    EXPECT_THAT(error_with({std::numeric_limits<float>::infinity()}, {}), HasSubstr("is inf"));
    EXPECT_THAT(error_with({std::numeric_limits<float>::quiet_NaN()}, {}), HasSubstr("nan"));
    EXPECT_THAT(error_with({1, 1}, {2}), HasSubstr("scale has 2 values, axis 1 has the size 3"));
    EXPECT_EQ(error_with({1, 1, 1}, {3}), "");
}

TEST(OnnxBadInput, ExternalDataOutsideOfTheFolderOrTheFile) {
    const TemporaryFolder folder;
    folder.write("w.bin", "12345678");
    const auto error_of = [&](const std::string& location, const std::string& offset) {
        OnnxModel m;
        m.input("x", {2});
        auto* w = m.floats("w", {2}, {});
        w->set_data_location(TensorProto::EXTERNAL);
        const auto set = [&](const char* key, const std::string& value) {
            auto* entry = w->add_external_data();
            entry->set_key(key);
            entry->set_value(value);
        };
        set("location", location);
        set("offset", offset);
        m.node("Add", {"x", "w"}, {"y"});
        m.output("y");
        return error_text([&] {
            onnx_reader::import_model(
                m.proto, {.file = "m.onnx", .folder = folder.path(""), .on_warning = {}});
        });
    };
    EXPECT_EQ(error_of("w.bin", "0"), "");
    EXPECT_THAT(error_of("w.bin", "1"), AllOf(HasSubstr("tensor 'w'"), HasSubstr("do not lie in")));
    EXPECT_THAT(error_of("w.bin", "18446744073709551615"), HasSubstr("do not lie in"));
    EXPECT_THAT(error_of("w.bin", "-1"), HasSubstr("offset is '-1'"));
    EXPECT_THAT(error_of("../w.bin", "0"), HasSubstr("not within the folder"));
    EXPECT_THAT(error_of("/etc/passwd", "0"), HasSubstr("not within the folder"));
    EXPECT_THAT(error_of("none.bin", "0"), HasSubstr("there is no file 'none.bin'"));
    std::filesystem::create_symlink("/etc/passwd", folder.path("link.bin"));
    EXPECT_THAT(error_of("link.bin", "0"), HasSubstr("link out of the folder"));
}

}  // namespace
}  // namespace fuseq::test
