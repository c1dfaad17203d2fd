// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantized operators on both devices, on ranges whose scales are powers of two, so that what is
// expected can be computed exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>

#include "unit/readers_mxnet/mxnet_model.hpp"

namespace fuseq::test {
namespace {

using Ints = std::vector<std::int64_t>;

// Half to even, saturated to i8.
std::int64_t rounded(double value) {
    return std::clamp<std::int64_t>(std::llrint(value), -128, 127);
}

class MxnetQuantized : public testing::TestWithParam<const char*> {
protected:
    MxnetQuantized() : seed_(std::random_device{}()), random_(seed_) {
        std::cout << "seed " << seed_ << '\n';
    }
    std::vector<std::int8_t> random_bytes(std::size_t count) {
        std::vector<std::int8_t> values(count);
        for (std::int8_t& value : values) {
            value = static_cast<std::int8_t>(static_cast<int>(random_() % 255) - 127);
        }
        return values;
    }
    static Tensor reals(const Shape& shape, const std::vector<std::int8_t>& values, float scale) {
        std::vector<float> scaled;
        scaled.reserve(values.size());
        for (const std::int8_t value : values) {
            scaled.push_back(static_cast<float>(value) * scale);
        }
        return Tensor::of<float>(shape, scaled);
    }

private:
    std::uint64_t seed_;
    std::mt19937_64 random_;
};

TEST_P(MxnetQuantized, QuantizeByCalibratedAndByStatedRanges) {
    MxnetModel m;
    m.input("x", "(1, 5)");
    m.op("_contrib_quantize_v2", "i", {"x"},
         {{"out_type", "int8"}, {"min_calib_range", "-127"}, {"max_calib_range", "64.0"}});
    m.op("_contrib_quantize_v2", "u", {"x"},
         {{"out_type", "auto"}, {"min_calib_range", "0"}, {"max_calib_range", "127.5"}});
    m.floats("low", {1}, {-1});
    m.floats("high", {1}, {254});
    m.op("_contrib_quantize", "a", {"x", "low", "high"}, {{"out_type", "uint8"}});
    m.op("_contrib_dequantize", "back", {"a", "a:1", "a:2"}, {{"out_type", "float32"}});
    for (const char* name : {"i", "u", "a", "back", "i:1", "i:2"}) {
        m.output(name);
    }
    const auto y = m.run(GetParam(), Tensor::of<float>(Shape{1, 5}, {0.5F, 1.5F, -7, 1000, 0.25F}));
    EXPECT_EQ(y[0].get_element_type(), ElementType::i8);
    EXPECT_EQ(to_ints(y[0]), (Ints{0, 2, -7, 127, 0}));
    EXPECT_EQ(y[1].get_element_type(), ElementType::u8);
    EXPECT_EQ(to_ints(y[1]), (Ints{1, 3, 0, 255, 0}));
    // Scale 1, zero point 1.
    EXPECT_EQ(to_ints(y[2]), (Ints{2, 2, 0, 255, 1}));
    EXPECT_EQ(to_floats(y[3]), (std::vector<float>{1, 1, -1, 254, 0}));
    EXPECT_EQ(to_floats(y[4]), std::vector<float>{-127});
    EXPECT_EQ(to_floats(y[5]), std::vector<float>{127});
}

// Scales 1 / 8, 1 / 4 and 2: sums are rounded by 1 / 64.
TEST_P(MxnetQuantized, ConvolutionAndRequantize) {
    const auto x = random_bytes(2UL * 4 * 4);
    const auto w = random_bytes(3UL * 2 * 9);
    const std::vector<std::int8_t> bias{-100, 0, 55};
    MxnetModel m;
    m.input("x", "(1, 2, 4, 4)");
    m.op("_contrib_quantize_v2", "q", {"x"},
         {{"out_type", "int8"}, {"min_calib_range", "-15.875"}, {"max_calib_range", "15.875"}});
    m.bytes("w", {3, 2, 3, 3}, w);
    m.floats("w_min", {1}, {-31.75F});
    m.floats("w_max", {1}, {31.75F});
    m.bytes("b", {3}, bias);
    m.floats("b_min", {1}, {-127});
    m.floats("b_max", {1}, {127});
    m.op("_contrib_quantized_conv", "c",
         {"q", "w", "b", "q:1", "q:2", "w_min", "w_max", "b_min", "b_max"},
         {{"kernel", "(3, 3)"}, {"pad", "(1, 1)"}, {"stride", "(2, 2)"}, {"num_filter", "3"}});
    m.op("_contrib_requantize", "r", {"c", "c:1", "c:2"},
         {{"min_calib_range", "-254"}, {"max_calib_range", "250"}});
    m.op("_contrib_quantized_act", "a", {"r", "r:1", "r:2"}, {{"act_type", "relu"}});
    m.output("r");
    m.output("a");
    Ints expected;
    for (int c = 0; c < 3; ++c) {
        for (int at = 0; at < 4; ++at) {
            std::int64_t sum = bias[static_cast<std::size_t>(c)] * 32;  // of scale 1 / 32
            for (int t = 0; t < 18; ++t) {
                const int row = at / 2 * 2 - 1 + t % 9 / 3;
                const int column = at % 2 * 2 - 1 + t % 3;
                if (row >= 0 && column >= 0 && row < 4 && column < 4) {
                    const int from = t / 9 * 16 + row * 4 + column;
                    sum +=
                        x[static_cast<std::size_t>(from)] * w[static_cast<std::size_t>(c * 18 + t)];
                }
            }
            expected.push_back(rounded(static_cast<double>(sum) / 64));
        }
    }
    const auto y = m.run(GetParam(), reals({1, 2, 4, 4}, x, 0.125F));
    EXPECT_EQ(to_ints(y[0]), expected);
    for (std::int64_t& value : expected) {
        value = std::max<std::int64_t>(value, 0);
    }
    EXPECT_EQ(to_ints(y[1]), expected);
}

TEST_P(MxnetQuantized, FullyConnectedGivesSumsOf32Bits) {
    const auto x = random_bytes(6);
    const auto w = random_bytes(2UL * 6);
    MxnetModel m;
    m.input("x", "(1, 2, 3)");
    m.op("_contrib_quantize_v2", "q", {"x"},
         {{"out_type", "int8"}, {"min_calib_range", "-127"}, {"max_calib_range", "127"}});
    m.bytes("w", {2, 6}, w);
    m.floats("w_min", {1}, {-63.5F});
    m.floats("w_max", {1}, {63.5F});
    m.op("_contrib_quantized_flatten", "f", {"q", "q:1", "q:2"});
    m.op("_contrib_quantized_fully_connected", "c", {"f", "w", "f:1", "f:2", "w_min", "w_max"},
         {{"num_hidden", "2"}, {"no_bias", "True"}});
    m.op("_contrib_dequantize", "y", {"c", "c:1", "c:2"});
    m.output("c");
    m.output("y");
    Ints expected;
    for (std::size_t n = 0; n < 2; ++n) {
        std::int64_t sum = 0;
        for (std::size_t k = 0; k < 6; ++k) {
            sum += x[k] * w[n * 6 + k];
        }
        expected.push_back(sum);
    }
    const auto y = m.run(GetParam(), reals({1, 2, 3}, x, 1));
    EXPECT_EQ(y[0].get_element_type(), ElementType::i32);
    EXPECT_EQ(to_ints(y[0]), expected);
    for (std::size_t n = 0; n < 2; ++n) {
        EXPECT_FLOAT_EQ(to_floats(y[1])[n], static_cast<float>(expected[n]) * 0.5F);
    }
}

// Scale 1: means of {1, 2, 3, 5, ...}, half to even; the maximum; on one grid.
TEST_P(MxnetQuantized, Poolings) {
    MxnetModel m;
    m.input("x", "(1, 1, 2, 4)");
    m.op("_contrib_quantize_v2", "q", {"x"},
         {{"out_type", "int8"}, {"min_calib_range", "-127"}, {"max_calib_range", "127"}});
    const auto pool = [&](const char* name, const MxnetAttributes& attributes) {
        m.op("_contrib_quantized_pooling", name, {"q", "q:1", "q:2"}, attributes);
        m.output(name);
    };
    pool("mean", {{"pool_type", "avg"}, {"kernel", "(2, 2)"}, {"stride", "(2, 2)"}});
    pool("top", {{"pool_type", "max"}, {"kernel", "(2, 2)"}, {"stride", "(2, 2)"}});
    pool("all", {{"pool_type", "avg"}, {"global_pool", "True"}, {"kernel", "(1, 1)"}});
    const auto y =
        m.run(GetParam(), Tensor::of<float>(Shape{1, 1, 2, 4}, {1, 2, -7, -8, 3, 4, -6, -9}));
    EXPECT_EQ(to_ints(y[0]), (Ints{2, -8}));  // 2.5, -7.5
    EXPECT_EQ(to_ints(y[1]), (Ints{4, -6}));
    EXPECT_EQ(to_ints(y[2]), (Ints{-2}));  // -20 / 8
}

// Scales 1 and 2 into 2.
TEST_P(MxnetQuantized, ConcatOnTheLargestRangeAndSums) {
    MxnetModel m;
    m.input("x", "(1, 4)");
    m.op("_contrib_quantize_v2", "p", {"x"},
         {{"out_type", "int8"}, {"min_calib_range", "-127"}, {"max_calib_range", "127"}});
    m.op("_contrib_quantize_v2", "q", {"x"},
         {{"out_type", "int8"}, {"min_calib_range", "-254"}, {"max_calib_range", "254"}});
    m.op("_contrib_quantized_concat", "c", {"p", "q", "p:1", "p:2", "q:1", "q:2"},
         {{"num_args", "2"}, {"dim", "1"}});
    m.op("_contrib_quantized_elemwise_add", "s", {"p", "q", "p:1", "p:2", "q:1", "q:2"},
         {{"min_calib_range", "-508"}, {"max_calib_range", "508"}});
    m.output("c");
    m.output("s");
    const auto y = m.run(GetParam(), Tensor::of<float>(Shape{1, 4}, {1, 3, -100, 127}));
    // p: 1, 3, -100, 127; q: 0 (half to even), 2, -50, 64.
    EXPECT_EQ(to_ints(y[0]), (Ints{0, 2, -50, 64, 0, 2, -50, 64}));
    // (p + 2 q) / 4: 0.25, 1.75, -50, 63.75.
    EXPECT_EQ(to_ints(y[1]), (Ints{0, 2, -50, 64}));
}

INSTANTIATE_TEST_SUITE_P(Devices,
                         MxnetQuantized,
                         testing::Values("REFERENCE", "CPU"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace fuseq::test
