// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of real numbers; expected values are computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_caffe2/caffe2_model.hpp"

namespace fuseq::test {
namespace {

std::vector<float> run(const Caffe2Model& model, const Tensor& x) {
    return to_floats(model.run("CPU", x).at(0));
}

TEST(Caffe2Float, ConvolutionNormalizationPoolingAndClassifier) {
    Caffe2Model m;
    m.input("x", {1, 1, 2, 2});
    m.floats("w", {2, 1, 1, 1}, {1, -1});
    m.floats("b", {2}, {0, 1});
    m.op("Conv", {"x", "w", "b"}, {"c"}).integer("kernel", 1);
    for (const auto& [name, values] : std::map<std::string, std::vector<float>>{
             {"scale", {2, 1}}, {"shift", {0, 1}}, {"mean", {1, 0}}, {"var", {4, 1}}}) {
        m.floats(name, {2}, values);
    }
    m.op("SpatialBN", {"c", "scale", "shift", "mean", "var"}, {"n"})
        .integer("is_test", 1)
        .real("epsilon", 0);
    m.op("Relu", {"n"}, {"n"});
    m.op("MaxPool", {"n"}, {"p"}).integer("kernel", 2).integer("stride", 2);
    m.floats("fw", {1, 2}, {10, 1});
    m.floats("fb", {1}, {0.5F});
    m.op("FC", {"p", "fw", "fb"}, {"y"});
    m.output("y");
    // Channel 0: x - 1 = {0, 1, 2, 3}; channel 1: 1 - x + 1 = {1, 0, -1, -2}.
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 1, 2, 2}, {1, 2, 3, 4})),
              (std::vector<float>{31.5F}));
}

TEST(Caffe2Float, GroupsAndChannelsLast) {
    Caffe2Model m;
    m.input("x", {1, 1, 2, 2});  // [batch, height, width, channels]
    m.floats("w", {2, 1, 1, 1}, {10, 100});
    m.op("Conv", {"x", "w"}, {"y"}).nhwc().integer("kernel", 1).integer("group", 2);
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 1, 2, 2}, {1, 2, 3, 4})),
              (std::vector<float>{10, 200, 30, 400}));
}

TEST(Caffe2Float, LegacyPaddingOfPoolings) {
    Caffe2Model m;
    m.input("x", {1, 1, 1, 4});
    m.op("AveragePool", {"x"}, {"y"})
        .integers("kernels", {1, 3})
        .integers("strides", {1, 2})
        .integer("legacy_pad", 3);
    m.output("y");
    // The second window has two elements inside.
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 1, 1, 4}, {3, 6, 9, 12})),
              (std::vector<float>{6, 10.5F}));
}

TEST(Caffe2Float, ArithmeticAndBroadcastByAxis) {
    Caffe2Model m;
    m.input("x", {1, 2, 2});
    m.floats("c", {2}, {10, 100});
    m.op("Mul", {"x", "c"}, {"a"}).integer("broadcast", 1).integer("axis", 1);
    m.op("Sum", {"a", "x", "x"}, {"s"});
    m.op("Sub", {"s", "c"}, {"y"});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 2, 2}, {1, 2, 3, 4})),
              (std::vector<float>{2, -76, 296, 308}));
}

TEST(Caffe2Float, FunctionsOfOneValue) {
    Caffe2Model m;
    m.input("x", {1, 3});
    m.op("LeakyRelu", {"x"}, {"a"}).real("alpha", 0.5F);
    m.op("Clip", {"a"}, {"b"}).real("min", -0.75F).real("max", 2);
    m.op("Dropout", {"b"}, {"y", "mask"}).integer("is_test", 1);
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 3}, {-1, -8, 4})),
              (std::vector<float>{-0.5F, -0.75F, 2}));
}

TEST(Caffe2Float, SoftmaxOfAllAfterTheAxis) {
    Caffe2Model m;
    m.input("x", {1, 2, 1, 1});
    m.op("Softmax", {"x"}, {"y"});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 2, 1, 1}, {3, 3})),
              (std::vector<float>{0.5F, 0.5F}));
}

// x / (1 + 3 / 3 * sum of squares)
TEST(Caffe2Float, LocalResponse) {
    Caffe2Model m;
    m.input("x", {1, 2, 1, 1});
    m.op("LRN", {"x"}, {"y"}).integer("size", 3).real("alpha", 3).real("beta", 1).real("bias", 1);
    m.output("y");
    EXPECT_THAT(run(m, Tensor::of<float>(Shape{1, 2, 1, 1}, {1, 2})),
                testing::ElementsAre(testing::FloatNear(1.0F / 6, 1e-6F),
                                     testing::FloatNear(2.0F / 6, 1e-6F)));
}

TEST(Caffe2Float, ShapesAndSlices) {
    Caffe2Model m;
    m.input("x", {1, 2, 1, 2});
    m.op("NCHW2NHWC", {"x"}, {"a"});
    m.op("Concat", {"a", "a"}, {"b", "sizes"}).integer("axis", 1);
    m.op("Slice", {"b"}, {"c"}).integers("starts", {0, 1}).integers("ends", {-1, -1});
    m.op("Reshape", {"c"}, {"y", "old"}).integers("shape", {0, -1});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 2, 1, 2}, {1, 2, 3, 4})),
              (std::vector<float>{1, 3, 2, 4}));
}

TEST(Caffe2Float, TransposedConvolution) {
    Caffe2Model m;
    m.input("x", {1, 1, 1, 2});
    m.floats("w", {1, 1, 1, 2}, {1, 10});
    m.floats("b", {1}, {0.5F});
    m.op("ConvTranspose", {"x", "w", "b"}, {"y"})
        .integers("kernels", {1, 2})
        .integers("strides", {1, 2});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 1, 1, 2}, {3, 4})),
              (std::vector<float>{3.5F, 30.5F, 4.5F, 40.5F}));
}

}  // namespace
}  // namespace fuseq::test
