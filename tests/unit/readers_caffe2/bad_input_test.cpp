// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One error each that names file, operator, tensor and rule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/small_model.hpp"
#include "unit/readers_caffe2/caffe2_model.hpp"

namespace fuseq::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A convolution, quantized; `change` makes it a bad one.
std::string error_of(const std::function<void(Caffe2Model&)>& change) {
    Caffe2Model m;
    m.input("x", {1, 4, 4, 2});
    m.op("Int8Quantize", {"x"}, {"q"}).grid(0.5F, 128);
    m.bytes("w", {2, 1, 1, 2}, {1, 2, 3, 4}, 0.5F, 128);
    m.bias("b", {1, 2}, 0.25F);
    m.op("Int8Conv", {"q", "w", "b"}, {"y"}).nhwc().integer("kernel", 1).grid(1, 0);
    m.output("y");
    change(m);
    return message_of([&] { m.read(); });
}

caffe2_proto::Argument& argument(caffe2_proto::NetDef& net, int op, const std::string& name) {
    for (auto& one : *net.mutable_op(op)->mutable_arg()) {
        if (one.name() == name) {
            return one;
        }
    }
    throw std::runtime_error("no argument " + name);
}

TEST(Caffe2BadInput, TheModelOfTheseTestsIsGood) {
    EXPECT_EQ(error_of([](Caffe2Model&) {}), "no error");
}

TEST(Caffe2BadInput, FilesOfAnotherKind) {
    const auto error = [](const std::string& predict, const std::string& init) {
        return message_of([&] {
            caffe2_reader::import_model(
                predict, init, {.predict_file = "predict_net.pb", .init_file = "init_net.pb"});
        });
    };
    Caffe2Model m;
    m.op("Relu", {"x"}, {"y"});
    const std::string good = m.predict.SerializeAsString();
    EXPECT_THAT(error("", good), AllOf(HasSubstr("'predict_net.pb'"), HasSubstr("is empty")));
    EXPECT_THAT(error(good, ""), AllOf(HasSubstr("'init_net.pb'"), HasSubstr("is empty")));
    EXPECT_THAT(error("<net></net>", good), HasSubstr("is no NetDef of Caffe2"));
    EXPECT_THAT(error(good.substr(0, good.size() - 2), good), HasSubstr("cut off"));
    caffe2_proto::NetDef none;
    none.set_name("n");
    EXPECT_THAT(error(none.SerializeAsString(), good), HasSubstr("has no operators"));
    EXPECT_THAT(message_of([] { caffe2_reader::read_whole_file("/none/predict_net.pb"); }),
                AllOf(HasSubstr("/none/predict_net.pb"), HasSubstr("cannot be read")));
}

TEST(Caffe2BadInput, UnknownOperatorsAreListed) {
    EXPECT_THAT(error_of([](Caffe2Model& m) {
                    m.op("Int8RoIAlign", {"y"}, {"z"});
                    m.op("Gelu", {"y"}, {"u"});
                }),
                AllOf(HasSubstr("'predict_net.pb'"), HasSubstr("Gelu ('u'), Int8RoIAlign ('z')")));
}

TEST(Caffe2BadInput, ValuesThatNothingMakes) {
    EXPECT_THAT(error_of([](Caffe2Model& m) { m.predict.mutable_op(1)->set_input(0, "later"); }),
                AllOf(HasSubstr("'y' (Int8Conv)"), HasSubstr("reads 'later', which has no value"),
                      HasSubstr("a cycle")));
    EXPECT_THAT(error_of([](Caffe2Model& m) { m.predict.mutable_op(1)->set_input(0, "y"); }),
                HasSubstr("reads 'y', which has no value"));
    EXPECT_THAT(error_of([](Caffe2Model& m) { m.output("nothing"); }),
                AllOf(HasSubstr("'nothing'"), HasSubstr("no operator makes it")));
    EXPECT_THAT(error_of([](Caffe2Model& m) { m.predict.clear_external_output(); }),
                HasSubstr("has no external_output"));
}

TEST(Caffe2BadInput, GridsThatAreNone) {
    for (const float scale : {0.0F, -1.0F, std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity()}) {
        EXPECT_THAT(
            error_of([&](Caffe2Model& m) { argument(m.predict, 1, "Y_scale").set_f(scale); }),
            AllOf(HasSubstr("'y' (Int8Conv)"), HasSubstr("Y_scale is "),
                  HasSubstr("expected a finite value above 0")));
    }
    EXPECT_THAT(error_of([](Caffe2Model& m) { argument(m.predict, 0, "Y_zero_point").set_i(256); }),
                AllOf(HasSubstr("'q' (Int8Quantize)"), HasSubstr("Y_zero_point is 256")));
    EXPECT_THAT(error_of([](Caffe2Model& m) { m.op("Int8Relu", {"y"}, {"r"}).grid(0.5F, 0); }),
                AllOf(HasSubstr("'r' (Int8Relu)"), HasSubstr("those of 'y' are 1 and 0")));
    EXPECT_THAT(error_of([](Caffe2Model& m) { m.op("Int8Sigmoid", {"y"}, {"r"}).grid(0.5F, 0); }),
                HasSubstr("expected 1/256 and 0"));
}

TEST(Caffe2BadInput, ParametersOfWrongLength) {
    EXPECT_THAT(error_of([](Caffe2Model& m) { argument(m.init, 0, "values").set_s("abc"); }),
                AllOf(HasSubstr("'init_net.pb'"), HasSubstr("'w' (Int8GivenTensorFill)"),
                      HasSubstr("has 3 values, the shape [2,1,1,2] takes 4")));
    EXPECT_THAT(error_of([](Caffe2Model& m) {
                    argument(m.init, 1, "values").add_ints(7);
                    argument(m.init, 1, "shape").set_ints(0, 3);
                }),
                AllOf(HasSubstr("'y' (Int8Conv)"), HasSubstr("the bias, 'b', has shape [3]"),
                      HasSubstr("2 output channels")));
    EXPECT_THAT(error_of([](Caffe2Model& m) { argument(m.init, 0, "shape").set_ints(0, -2); }),
                HasSubstr("has a dimension of -2"));
}

TEST(Caffe2BadInput, OperandsOfAnotherKind) {
    EXPECT_THAT(error_of([](Caffe2Model& m) { m.predict.mutable_op(1)->set_input(0, "x"); }),
                AllOf(HasSubstr("input 0, 'x', is not quantized")));
    EXPECT_THAT(error_of([](Caffe2Model& m) { m.op("Relu", {"y"}, {"r"}); }),
                HasSubstr("input 0, 'y', is quantized, the operator takes real numbers"));
    EXPECT_THAT(error_of([](Caffe2Model& m) { argument(m.predict, 1, "order").set_s("NCHW"); }),
                HasSubstr("order is 'NCHW', Int8 convolutions take NHWC"));
    EXPECT_THAT(error_of([](Caffe2Model& m) { argument(m.predict, 1, "kernel").set_i(3); }),
                HasSubstr("the kernel is 3x3, the weights, 'w', have 1x1"));
    EXPECT_THAT(
        error_of([](Caffe2Model& m) { m.predict.mutable_op(1)->mutable_input()->RemoveLast(); }),
        HasSubstr("has 2 inputs, expected data, weights and bias"));
}

TEST(Caffe2BadInput, ValueInfoThatIsNone) {
    const auto error = [](const std::string& text) {
        return message_of(
            [&] { caffe2_reader::parse_value_info(text, {.file = "value_info.json"}); });
    };
    EXPECT_THAT(error("{"), AllOf(HasSubstr("value_info.json"), HasSubstr("no JSON object")));
    EXPECT_THAT(error(R"({"x": 3})"), HasSubstr("input 'x' is not [data type, [dimensions]]"));
    EXPECT_THAT(error(R"({"x": [12, [1]]})"), HasSubstr("the data type 12 is not supported"));
    EXPECT_THAT(error(R"({"x": [1, [-7]]})"), HasSubstr("a dimension is -7"));
}

}  // namespace
}  // namespace fuseq::test
