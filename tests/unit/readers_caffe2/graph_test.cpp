// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Names, files and shapes of inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/small_model.hpp"
#include "unit/readers_caffe2/caffe2_model.hpp"

namespace fuseq::test {
namespace {

using testing::Contains;
using testing::HasSubstr;

Caffe2Model biased_relu() {
    Caffe2Model m;
    m.input("data", {1, 3});
    m.floats("b", {3}, {1, 2, 3});
    m.op("Add", {"data", "b"}, {"sum"});
    m.op("Relu", {"sum"}, {"out"});
    m.output("out");
    return m;
}

std::vector<float> results_of(const std::shared_ptr<Model>& model) {
    Core core;
    InferRequest request = core.compile_model(model, "REFERENCE").create_infer_request();
    request.set_input_tensor(Tensor::of<float>(Shape{1, 3}, {-5, 0, 1}));
    request.infer();
    return to_floats(request.get_output_tensor());
}

TEST(Caffe2Graph, KeepsNames) {
    const auto model = biased_relu().read();
    EXPECT_EQ(model->get_friendly_name(), "net");
    EXPECT_EQ(model->input("data").partial_shape(), PartialShape::parse("[1,3]"));
    ASSERT_NE(model->find("sum"), nullptr);
    EXPECT_EQ(model->find("sum")->type(), "Add");
    EXPECT_THAT(model->output("out").get_names(), Contains("out"));
}

TEST(Caffe2Graph, IsReadFromTwoFilesFromOneNameAndFromMemory) {
    const Caffe2Model m = biased_relu();
    const TemporaryFolder folder;
    const std::string predict = m.predict.SerializeAsString();
    const std::string init = m.init.SerializeAsString();
    const std::string path = folder.write("my_predict_net.pb", predict);
    folder.write("my_init_net.pb", init);
    const std::string other = folder.write("weights.pb", init);
    folder.write("value_info.json", R"({"data": [1, [1, 3]]})");
    Core core;
    const std::vector<float> expected{0, 2, 4};
    EXPECT_EQ(results_of(core.read_model(path)), expected);
    EXPECT_EQ(results_of(core.read_model(path, other)), expected);
    Tensor weights(ElementType::u8, Shape{init.size()});
    std::copy(init.begin(), init.end(), weights.data<std::uint8_t>());
    EXPECT_EQ(results_of(core.read_model(predict, weights)), expected);
    EXPECT_NO_THROW(core.compile_model(path, "CPU"));
}

TEST(Caffe2Graph, SaysWhichSecondFileIsMissing) {
    const TemporaryFolder folder;
    const std::string predict = biased_relu().predict.SerializeAsString();
    Core core;
    EXPECT_THAT(
        message_of([&] { core.read_model(folder.write("predict_net.pb", predict)); }),
        testing::AllOf(HasSubstr("predict_net.pb"), HasSubstr("init_net.pb', does not exist")));
    EXPECT_THAT(message_of([&] { core.read_model(folder.write("net.pb", predict)); }),
                HasSubstr("has no \"predict\""));
    EXPECT_THAT(message_of([&] { core.read_model(predict, Tensor()); }),
                HasSubstr("needs the bytes of its init_net"));
}

TEST(Caffe2Graph, InputsOfUnknownShapeAreOpen) {
    Caffe2Model m = biased_relu();
    m.input_infos.clear();
    EXPECT_EQ(m.read()->input("data").partial_shape(), PartialShape::parse("[?,?]"));
    EXPECT_EQ(results_of(m.read()), (std::vector<float>{0, 2, 4}));
    Caffe2Model pool;
    pool.predict.add_external_input("data");
    pool.op("MaxPool", {"data"}, {"y"}).integer("kernel", 2);
    pool.output("y");
    Caffe2Model::add(pool.init, "ConstantFill", {}, {"unused"}).integers("shape", {1});
    EXPECT_EQ(pool.read()->input("data").partial_shape(), PartialShape::parse("[?,?,?,?]"));
}

// Exporters for phones fill the input with one zero.
TEST(Caffe2Graph, APlaceholderInInitNetIsAnInput) {
    Caffe2Model m = biased_relu();
    Caffe2Model::add(m.init, "ConstantFill", {}, {"data"}).integers("shape", {1});
    EXPECT_EQ(results_of(m.read()), (std::vector<float>{0, 2, 4}));
}

TEST(Caffe2Graph, OperatorsMayWriteInPlace) {
    Caffe2Model m = biased_relu();
    m.op("Relu", {"data"}, {"data"});
    m.op("Sum", {"data", "out"}, {"out"});
    EXPECT_EQ(results_of(m.read()), (std::vector<float>{0, 2, 5}));
}

// Bytes and zero points less 128: activations are i8 between u8 results.
TEST(Caffe2Graph, QuantizedTensorsAreI8) {
    Caffe2Model m;
    m.input("x", {1, 2});
    m.op("Int8Quantize", {"x"}, {"q"}).grid(1.0F, 5);
    m.bytes("c", {1, 2}, {0, 255}, 1.0F, 128);
    m.op("Int8Add", {"q", "c"}, {"s"}).grid(2.0F, 0);
    m.op("Int8Dequantize", {"s"}, {"y"});
    m.output("y");
    const auto model = m.read();
    ASSERT_NE(model->find("q"), nullptr);
    EXPECT_EQ(model->find("q")->output().type(), ElementType::i8);
    const std::string text = model->to_text();
    EXPECT_THAT(text, HasSubstr("zero_points=[-123]"));
    EXPECT_THAT(text, HasSubstr("{-128,127}"));
    EXPECT_THAT(text, HasSubstr("method=CAFFE2"));
}

}  // namespace
}  // namespace fuseq::test
