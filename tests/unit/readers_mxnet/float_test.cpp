// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators of real numbers; expected values are computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_mxnet/mxnet_model.hpp"

namespace fuseq::test {
namespace {

std::vector<float> run(const MxnetModel& model, const Tensor& x) {
    return to_floats(model.run("CPU", x).at(0));
}

TEST(MxnetFloat, ConvolutionNormalizationPoolingAndClassifier) {
    MxnetModel m;
    m.input("data", "(1, 1, 2, 2)");
    m.floats("w", {2, 1, 1, 1}, {1, -1});
    m.floats("b", {2}, {0, 1});
    m.op("Convolution", "c", {"data", "w", "b"}, {{"kernel", "(1, 1)"}, {"num_filter", "2"}});
    m.floats("gamma", {2}, {9, 9});
    m.floats("beta", {2}, {0, 1});
    m.floats("mean", {2}, {1, 0});
    m.floats("var", {2}, {4, 1});
    // fix_gamma, the default: gamma counts as 1.
    m.op("BatchNorm", "n", {"c", "gamma", "beta", "mean", "var"}, {{"eps", "0"}});
    m.op("Activation", "r", {"n"}, {{"act_type", "relu"}});
    m.op("Pooling", "p", {"r"}, {{"kernel", "(2, 2)"}, {"pool_type", "max"}, {"stride", "(2, 2)"}});
    m.op("Flatten", "f", {"p"});
    m.floats("fw", {1, 2}, {10, 1});
    m.floats("fb", {1}, {0.5F});
    m.op("FullyConnected", "y", {"f", "fw", "fb"}, {{"num_hidden", "1"}});
    m.output("y");
    // Channel 0: (x - 1) / 2 = {0, 0.5, 1, 1.5}; channel 1: 1 - x + 1 = {1, 0, -1, -2}.
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 1, 2, 2}, {1, 2, 3, 4})),
              (std::vector<float>{16.5F}));
}

TEST(MxnetFloat, GroupsWithoutBias) {
    MxnetModel m;
    m.input("x", "(1, 2, 1, 2)");
    m.floats("w", {2, 1, 1, 1}, {10, 100});
    m.op("Convolution", "y", {"x", "w"},
         {{"kernel", "(1, 1)"}, {"num_filter", "2"}, {"num_group", "2"}, {"no_bias", "True"}});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 2, 1, 2}, {1, 2, 3, 4})),
              (std::vector<float>{10, 20, 300, 400}));
}

// Padding counts by default; "full" takes a window that ends outside.
TEST(MxnetFloat, AveragePoolings) {
    MxnetModel m;
    m.input("x", "(1, 1, 1, 4)");
    m.op("Pooling", "y", {"x"},
         {{"pool_type", "avg"}, {"kernel", "(1, 3)"}, {"stride", "(1, 3)"}, {"pad", "(0, 1)"}});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 1, 1, 4}, {3, 6, 9, 12})),
              (std::vector<float>{3, 7}));
    MxnetModel full;
    full.input("x", "(1, 1, 1, 4)");
    full.op("Pooling", "y", {"x"},
            {{"kernel", "(1, 3)"}, {"stride", "(1, 2)"}, {"pooling_convention", "full"}});
    full.output("y");
    EXPECT_EQ(run(full, Tensor::of<float>(Shape{1, 1, 1, 4}, {3, 6, 9, 12})),
              (std::vector<float>{9, 12}));
}

TEST(MxnetFloat, ArithmeticWithTensorsAndNumbers) {
    MxnetModel m;
    m.input("x", "(1, 2)");
    m.op("_rminus_scalar", "a", {"x"}, {{"scalar", "10"}});
    m.op("elemwise_mul", "b", {"a", "x"});
    m.floats("c", {1, 1}, {0.5F});
    m.op("broadcast_add", "d", {"b", "c"});
    m.op("add_n", "y", {"d", "x", "x"});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 2}, {1, 4})), (std::vector<float>{11.5F, 32.5F}));
}

TEST(MxnetFloat, FunctionsOfOneValue) {
    MxnetModel m;
    m.input("x", "(1, 3)");
    m.op("LeakyReLU", "a", {"x"}, {{"act_type", "leaky"}, {"slope", "0.5"}});
    m.op("clip", "b", {"a"}, {{"a_min", "-0.75"}, {"a_max", "2"}});
    m.op("Dropout", "y", {"b"});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 3}, {-1, -8, 4})),
              (std::vector<float>{-0.5F, -0.75F, 2}));
}

// The label needs no value.
TEST(MxnetFloat, SoftmaxOutput) {
    MxnetModel m;
    m.input("x", "(1, 2)");
    m.input("softmax_label", "");
    m.op("SoftmaxOutput", "y", {"x", "softmax_label"});
    m.output("y");
    EXPECT_EQ(m.read()->inputs().size(), 1U);
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 2}, {3, 3})), (std::vector<float>{0.5F, 0.5F}));
}

// x / (1 + 3 / 3 * sum of squares)
TEST(MxnetFloat, LocalResponse) {
    MxnetModel m;
    m.input("x", "(1, 2, 1, 1)");
    m.op("LRN", "y", {"x"}, {{"nsize", "3"}, {"alpha", "3"}, {"beta", "1"}, {"knorm", "1"}});
    m.output("y");
    EXPECT_THAT(run(m, Tensor::of<float>(Shape{1, 2, 1, 1}, {1, 2})),
                testing::ElementsAre(testing::FloatNear(1.0F / 6, 1e-6F),
                                     testing::FloatNear(2.0F / 6, 1e-6F)));
}

TEST(MxnetFloat, ShapesAndMeans) {
    MxnetModel m;
    m.input("x", "(1, 2, 1, 2)");
    m.op("transpose", "a", {"x"}, {{"axes", "(0, 2, 3, 1)"}});
    m.op("Concat", "b", {"a", "a"}, {{"dim", "1"}, {"num_args", "2"}});
    m.op("slice_axis", "c", {"b"}, {{"axis", "1"}, {"begin", "1"}, {"end", "None"}});
    m.op("Reshape", "d", {"c"}, {{"shape", "(0, -1)"}});
    m.op("mean", "y", {"d"}, {{"axis", "(0,)"}});
    m.output("y");
    EXPECT_EQ(run(m, Tensor::of<float>(Shape{1, 2, 1, 2}, {1, 2, 3, 4})),
              (std::vector<float>{1, 3, 2, 4}));
}

}  // namespace
}  // namespace fuseq::test
