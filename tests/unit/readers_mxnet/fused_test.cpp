// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Fused operators: real and quantized.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_mxnet/mxnet_model.hpp"

namespace fuseq::test {
namespace {

using Ints = std::vector<std::int64_t>;

// A pointwise convolution of two filters with batch normalization, ReLU and a sum, as asked for.
struct Parts {
    bool normalized = false;
    bool relu = false;
    bool summed = false;
};

nlohmann::json convolution_graph(const Parts& parts) {
    MxnetModel inner;
    for (const char* name : {"data", "weight", "bias"}) {
        inner.input(name, "");
    }
    inner.op("Convolution", "conv", {"data", "weight", "bias"},
             {{"kernel", "(1, 1)"}, {"num_filter", "2"}});
    std::string last = "conv";
    if (parts.normalized) {
        for (const char* name : {"gamma", "beta", "mean", "var"}) {
            inner.input(name, "");
        }
        inner.op("BatchNorm", "bn", {last, "gamma", "beta", "mean", "var"},
                 {{"eps", "0"}, {"fix_gamma", "False"}});
        last = "bn";
    }
    if (parts.summed) {
        inner.input("other", "");
        inner.op("elemwise_add", "sum", {last, "other"});
        last = "sum";
    }
    if (parts.relu) {
        inner.op("Activation", "relu", {last}, {{"act_type", "relu"}});
        last = "relu";
    }
    inner.output(last);
    return inner.graph();
}

// Data of scale 1; filters [127, 64] and [-254, 2] of scales 1 and 2, bias 10 and -4.
MxnetModel convolution(const Parts& parts, bool quantized) {
    MxnetModel m;
    m.input("x", "(1, 2, 1, 2)");
    m.op("_contrib_quantize_v2", "q", {"x"},
         {{"out_type", "int8"}, {"min_calib_range", "-127"}, {"max_calib_range", "127"}});
    m.floats("w", {2, 2, 1, 1}, {127, 64, -254, 2});
    m.floats("b", {2}, {10, -4});
    std::vector<std::string> inputs{quantized ? "q" : "x", "w", "b"};
    MxnetAttributes attributes{{"quantized", quantized ? "true" : "false"}};
    if (parts.normalized) {
        m.floats("gamma", {2}, {4, 1});
        m.floats("beta", {2}, {1, 0});
        m.floats("mean", {2}, {10, 0});
        m.floats("var", {2}, {4, 1});
        inputs.insert(inputs.end(), {"gamma", "beta", "mean", "var"});
        attributes.emplace_back("with_bn", "true");
    }
    if (parts.summed) {
        m.floats("other", {1, 2, 1, 2}, {100, -100, 2, 1});
        m.op("_contrib_quantize_v2", "oq", {"other"},
             {{"out_type", "int8"}, {"min_calib_range", "-127"}, {"max_calib_range", "127"}});
        inputs.push_back(quantized ? "oq" : "other");
        attributes.emplace_back("with_sum", "true");
    }
    if (quantized) {
        inputs.insert(inputs.end(), {"q:1", "q:2"});
        if (parts.summed) {
            inputs.insert(inputs.end(), {"oq:1", "oq:2"});
        }
        attributes.emplace_back("min_calib_range", "-508");
        attributes.emplace_back("max_calib_range", parts.relu ? "1020" : "508");
    }
    if (parts.relu) {
        attributes.emplace_back(parts.summed ? "with_postsum_relu" : "with_relu", "true");
    }
    m.op("_sg_mkldnn_conv", "y", inputs, attributes)["subgraphs"] = {convolution_graph(parts)};
    m.output("y");
    return m;
}

class MxnetFused : public testing::TestWithParam<const char*> {
protected:
    static Ints run(const MxnetModel& model) {
        return to_ints(
            model.run(GetParam(), Tensor::of<float>(Shape{1, 2, 1, 2}, {1, 3, 2, -5})).at(0));
    }
};

// Pixels (1, 2) and (3, -5): 127 + 128 + 10 = 265, 381 - 320 + 10 = 71; -254 + 4 - 4 = -254,
// -762 - 10 - 4 = -776; by 4.
TEST_P(MxnetFused, QuantizedConvolution) {
    EXPECT_EQ(run(convolution({}, true)), (Ints{66, 18, -64, -128}));
}

TEST_P(MxnetFused, QuantizedConvolutionWithReluGivesUnsignedBytes) {
    const MxnetModel m = convolution({.relu = true}, true);
    EXPECT_EQ(m.read()->outputs().at(0).type(), ElementType::u8);
    EXPECT_EQ(run(m), (Ints{66, 18, 0, 0}));
}

// Filter 0 times 4 / sqrt(4) = 2: 2 * (255 - 10 + 10) + 1 = 511, 2 * 61 + 1 = 123.
TEST_P(MxnetFused, QuantizedConvolutionWithBatchNormalization) {
    EXPECT_EQ(run(convolution({.normalized = true, .relu = true}, true)), (Ints{128, 31, 0, 0}));
}

// 265 + 100, 71 - 100, -254 + 2, -776 + 1; by 4, half to even.
TEST_P(MxnetFused, QuantizedConvolutionWithSum) {
    EXPECT_EQ(run(convolution({.summed = true}, true)), (Ints{91, -7, -63, -128}));
    EXPECT_EQ(run(convolution({.relu = true, .summed = true}, true)), (Ints{91, 0, 0, 0}));
}

TEST_P(MxnetFused, NotQuantizedIsItsSubgraph) {
    EXPECT_EQ(run(convolution({.relu = true, .summed = true}, false)), (Ints{365, 0, 0, 0}));
    EXPECT_EQ(run(convolution({.normalized = true}, false)), (Ints{511, 123, -254, -776}));
}

TEST_P(MxnetFused, QuantizedFullyConnected) {
    MxnetModel inner;
    for (const char* name : {"data", "weight", "bias"}) {
        inner.input(name, "");
    }
    inner.op("FullyConnected", "fc", {"data", "weight", "bias"}, {{"num_hidden", "2"}});
    inner.output("fc");
    MxnetModel m;
    m.input("x", "(1, 2, 1, 2)");
    m.op("_contrib_quantize_v2", "q", {"x"},
         {{"out_type", "int8"}, {"min_calib_range", "-127"}, {"max_calib_range", "127"}});
    m.bytes("w", {2, 4}, {1, 2, 3, 4, -1, 0, 0, 100});
    m.bytes("b", {2}, {5, -3});
    m.floats("low", {1}, {-127});
    m.floats("high", {1}, {127});
    const std::vector<std::string> inputs{"q",   "w",    "b",   "q:1", "q:2",
                                          "low", "high", "low", "high"};
    m.op("_sg_mkldnn_fully_connected", "y", inputs,
         {{"quantized", "true"},
          {"min_calib_range", "-254"},
          {"max_calib_range", "254"}})["subgraphs"] = {inner.graph()};
    m.op("_sg_mkldnn_fully_connected", "z", inputs,
         {{"quantized", "true"}, {"enable_float_output", "true"}})["subgraphs"] = {inner.graph()};
    m.output("y");
    m.output("z");
    const auto y = m.run(GetParam(), Tensor::of<float>(Shape{1, 2, 1, 2}, {1, 3, 2, -5}));
    // 1 + 6 + 6 - 20 + 5 = -2; -1 - 500 - 3 = -504.
    EXPECT_EQ(to_ints(y[0]), (Ints{-1, -128}));
    EXPECT_EQ(to_floats(y[1]), (std::vector<float>{-2, -504}));
}

INSTANTIATE_TEST_SUITE_P(Devices,
                         MxnetFused,
                         testing::Values("REFERENCE", "CPU"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace fuseq::test
