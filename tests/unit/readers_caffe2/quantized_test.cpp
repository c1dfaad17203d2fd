// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Quantized operators on random bytes, on both devices, against the formulas of Caffe2's kernels,
// written here one element at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <iostream>
#include <random>

#include "unit/readers_caffe2/caffe2_model.hpp"

namespace fuseq::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint8_t byte_of(std::int64_t value) {
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>(value, 0, 255));
}

// QNNPACK's scalar requantization: the mantissa of the f32 multiplier as 31 bits, a product that is
// rounded half up, a shift that is rounded half away.
std::int64_t qnnpack(std::int64_t sum, float multiplier) {
    const auto bits = std::bit_cast<std::uint32_t>(multiplier);
    const auto mantissa = static_cast<std::int64_t>(((bits & 0x7FFFFFU) | 0x800000U) << 7U);
    const int shift = 126 - static_cast<int>(bits >> 23U);
    const std::int64_t product = (sum * mantissa + (std::int64_t{1} << 30)) >> 31;
    const std::int64_t mask = (std::int64_t{1} << shift) - 1;
    const std::int64_t remainder = (product & mask) - (sum < 0 ? 1 : 0);
    return (product >> shift) + (remainder > (mask >> 1) ? 1 : 0);
}

class Caffe2Quantized : public testing::TestWithParam<const char*> {
protected:
    Caffe2Quantized() : seed_(std::random_device{}()), random_(seed_) {
        std::cout << "seed " << seed_ << '\n';
    }

    Bytes random_bytes(std::size_t count) {
        Bytes made(count);
        for (std::uint8_t& byte : made) {
            byte = static_cast<std::uint8_t>(random_() % 256);
        }
        return made;
    }
    // A model whose input, quantized, is the tensor "q" with these bytes.
    void source(const std::vector<std::int64_t>& shape, float scale, std::int64_t zero_point) {
        model.input("x", shape);
        model.op("Int8Quantize", {"x"}, {"q"}).grid(scale, zero_point);
        shape_.assign(shape.begin(), shape.end());
        scale_ = scale;
        zero_point_ = zero_point;
        bytes = random_bytes(shape_size(shape_));
    }
    // Output 0.
    Bytes run() {
        std::vector<float> reals;
        for (const std::uint8_t byte : bytes) {
            reals.push_back(scale_ * static_cast<float>(byte - zero_point_));
        }
        const Tensor result = model.run(GetParam(), Tensor::of<float>(shape_, reals)).at(0);
        EXPECT_EQ(result.get_element_type(), ElementType::u8);
        const std::vector<std::int64_t> values = to_ints(result);
        return {values.begin(), values.end()};
    }

    Caffe2Model model;
    Bytes bytes;

private:
    Shape shape_;
    float scale_ = 1;
    std::int64_t zero_point_ = 0;
    std::uint64_t seed_;
    std::mt19937_64 random_;
};

TEST_P(Caffe2Quantized, QuantizeRoundsHalfToEvenAndSaturates) {
    model.input("x", {1, 6});
    model.op("Int8Quantize", {"x"}, {"y"}).grid(2.0F, 3);
    model.output("y");
    const Tensor x = Tensor::of<float>(Shape{1, 6}, {1, 3, 5, -1, -100, 1000});
    EXPECT_EQ(to_ints(model.run(GetParam(), x)[0]),
              (std::vector<std::int64_t>{3, 5, 5, 3, 0, 255}));
}

TEST_P(Caffe2Quantized, DequantizeGivesRealValues) {
    model.input("x", {1, 3});
    model.op("Int8Quantize", {"x"}, {"q"}).grid(0.5F, 128);
    model.op("Int8Dequantize", {"q"}, {"y"});
    model.output("y");
    const Tensor x = Tensor::of<float>(Shape{1, 3}, {-1.5F, 0.2F, 100});
    EXPECT_EQ(to_floats(model.run(GetParam(), x)[0]), (std::vector<float>{-1.5F, 0, 63.5F}));
}

// [1, 5, 6, 4] with 3x3 filters, stride 2, padding 1.
TEST_P(Caffe2Quantized, ConvolutionIsQnnpacks) {
    constexpr std::int64_t kH = 5;
    constexpr std::int64_t kW = 6;
    constexpr std::int64_t kC = 4;
    constexpr std::int64_t kM = 3;
    const float si = 0.043F;
    const float sw = 0.0117F;
    const float so = 0.31F;
    for (const bool relu : {false, true}) {
        model = {};
        source({1, kH, kW, kC}, si, 119);
        const Bytes weights = random_bytes(kM * 9 * kC);
        const std::vector<std::int64_t> bias{-900, 40, 12345};
        model.bytes("w", {kM, 3, 3, kC}, weights, sw, 131);
        model.bias("b", bias, si * sw);
        model.op(relu ? "Int8ConvRelu" : "Int8Conv", {"q", "w", "b"}, {"y"})
            .nhwc()
            .integer("kernel", 3)
            .integer("stride", 2)
            .integer("pad", 1)
            .grid(so, 100);
        model.output("y");
        const float multiplier = si * sw / so;
        Bytes expected;
        for (std::int64_t oy = 0; oy < 3; ++oy) {
            for (std::int64_t ox = 0; ox < 3; ++ox) {
                for (std::int64_t m = 0; m < kM; ++m) {
                    std::int64_t sum = bias[static_cast<std::size_t>(m)];
                    for (std::int64_t t = 0; t < 9 * kC; ++t) {
                        const std::int64_t y = oy * 2 - 1 + t / (3 * kC);
                        const std::int64_t x = ox * 2 - 1 + t / kC % 3;
                        if (y >= 0 && y < kH && x >= 0 && x < kW) {
                            const std::int64_t at = (y * kW + x) * kC + t % kC;
                            sum += (bytes[static_cast<std::size_t>(at)] - 119) *
                                   (weights[static_cast<std::size_t>(m * 9 * kC + t)] - 131);
                        }
                    }
                    const std::uint8_t result = byte_of(qnnpack(sum, multiplier) + 100);
                    expected.push_back(relu ? std::max<std::uint8_t>(result, 100) : result);
                }
            }
        }
        EXPECT_EQ(run(), expected);
    }
}

TEST_P(Caffe2Quantized, DepthwiseConvolutionIsQnnpacks) {
    source({1, 4, 4, 8}, 0.05F, 128);
    const Bytes weights = random_bytes(8 * 9);
    model.bytes("w", {8, 3, 3, 1}, weights, 0.02F, 120);
    model.bias("b", std::vector<std::int64_t>(8, 17), 0.001F);
    model.op("Int8Conv", {"q", "w", "b"}, {"y"})
        .nhwc()
        .integers("kernels", {3, 3})
        .integer("group", 8)
        .grid(0.11F, 90);
    model.output("y");
    Bytes expected;
    for (std::size_t at = 0; at < 4; ++at) {
        for (std::size_t c = 0; c < 8; ++c) {
            std::int64_t sum = 17;
            for (std::size_t t = 0; t < 9; ++t) {
                const std::size_t pixel = (at / 2 + t / 3) * 4 + at % 2 + t % 3;
                sum += (bytes[pixel * 8 + c] - 128) * (weights[c * 9 + t] - 120);
            }
            expected.push_back(byte_of(qnnpack(sum, 0.05F * 0.02F / 0.11F) + 90));
        }
    }
    EXPECT_EQ(run(), expected);
}

// [1, 3, 4, 2] with 3x3 filters, stride 2, padding 1 and one more row and column.
TEST_P(Caffe2Quantized, TransposedConvolutionIsQnnpacks) {
    constexpr std::int64_t kH = 3;
    constexpr std::int64_t kW = 4;
    constexpr std::int64_t kC = 2;
    constexpr std::int64_t kM = 3;
    const float si = 0.043F;
    const float sw = 0.0117F;
    const float so = 0.08F;
    source({1, kH, kW, kC}, si, 119);
    const Bytes weights = random_bytes(kC * 9 * kM);
    const std::vector<std::int64_t> bias{-900, 40, 2345};
    model.bytes("w", {kC, 3, 3, kM}, weights, sw, 131);
    model.bias("b", bias, si * sw);
    model.op("Int8ConvTranspose", {"q", "w", "b"}, {"y"})
        .nhwc()
        .integer("kernel", 3)
        .integer("stride", 2)
        .integer("pad", 1)
        .integer("adj", 1)
        .grid(so, 100);
    model.output("y");
    Bytes expected;
    for (std::int64_t oy = 0; oy < 2 * kH; ++oy) {
        for (std::int64_t ox = 0; ox < 2 * kW; ++ox) {
            for (std::int64_t m = 0; m < kM; ++m) {
                std::int64_t sum = bias[static_cast<std::size_t>(m)];
                for (std::int64_t t = 0; t < 9 * kH * kW * kC; ++t) {
                    const std::int64_t at = t / 9;  // of the data
                    const std::int64_t y = at / kC / kW;
                    const std::int64_t x = at / kC % kW;
                    const std::int64_t c = at % kC;
                    if (y * 2 - 1 + t % 9 / 3 == oy && x * 2 - 1 + t % 3 == ox) {
                        const std::int64_t filter = (c * 9 + t % 9) * kM + m;
                        sum += (bytes[static_cast<std::size_t>(at)] - 119) *
                               (weights[static_cast<std::size_t>(filter)] - 131);
                    }
                }
                expected.push_back(byte_of(qnnpack(sum, si * sw / so) + 100));
            }
        }
    }
    EXPECT_EQ(run(), expected);
}

TEST_P(Caffe2Quantized, FullyConnectedIsQnnpacks) {
    source({2, 2, 2, 5}, 0.03F, 77);
    const Bytes weights = random_bytes(std::size_t{4} * 20);
    const std::vector<std::int64_t> bias{5, -7, 3000, 0};
    model.bytes("w", {4, 20}, weights, 0.01F, 111);
    model.bias("b", bias, 0.0003F);
    model.op("Int8FC", {"q", "w", "b"}, {"y"}).grid(0.2F, 130);
    model.output("y");
    Bytes expected;
    for (std::size_t row = 0; row < 2; ++row) {
        for (std::size_t n = 0; n < 4; ++n) {
            std::int64_t sum = bias[n];
            for (std::size_t k = 0; k < 20; ++k) {
                sum += (bytes[row * 20 + k] - 77) * (weights[n * 20 + k] - 111);
            }
            expected.push_back(byte_of(qnnpack(sum, 0.03F * 0.01F / 0.2F) + 130));
        }
    }
    EXPECT_EQ(run(), expected);
}

// Less than one step away from the exact sum, and exact where both scales are the result's.
TEST_P(Caffe2Quantized, AddRoundsTheSum) {
    source({1, 3, 3, 4}, 0.5F, 100);
    const Bytes other = random_bytes(36);
    model.bytes("c", {1, 3, 3, 4}, other, 0.5F, 30);
    model.op("Int8Add", {"q", "c"}, {"y"}).grid(0.5F, 90);
    model.output("y");
    Bytes expected;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        expected.push_back(byte_of(bytes[i] - 100 + other[i] - 30 + 90));
    }
    EXPECT_EQ(run(), expected);
}

TEST_P(Caffe2Quantized, SumOfUnequalScalesWithRelu) {
    source({1, 3, 3, 4}, 0.25F, 100);
    const Bytes other = random_bytes(36);
    model.bytes("c", {1, 3, 3, 4}, other, 0.5F, 30);
    model.op("Int8SumRelu", {"q", "c"}, {"y"}).grid(0.25F, 40);
    model.output("y");
    Bytes expected;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        expected.push_back(
            std::max<std::uint8_t>(byte_of(bytes[i] - 100 + 2 * (other[i] - 30) + 40), 40));
    }
    EXPECT_EQ(run(), expected);
}

// Windows of four, and of two and one at the edges: ties are rounded up.
TEST_P(Caffe2Quantized, AveragePoolIsTheMeanOfBytes) {
    source({1, 3, 3, 2}, 0.5F, 140);
    model.op("Int8AveragePool", {"q"}, {"y"})
        .nhwc()
        .integer("kernel", 2)
        .integer("stride", 2)
        .integer("pad", 1)
        .grid(0.5F, 140);
    model.output("y");
    Bytes expected;
    for (int at = 0; at < 4; ++at) {
        for (int c = 0; c < 2; ++c) {
            int sum = 0;
            int count = 0;
            for (int t = 0; t < 4; ++t) {
                const int y = at / 2 * 2 - 1 + t / 2;
                const int x = at % 2 * 2 - 1 + t % 2;
                if (y >= 0 && x >= 0 && y < 3 && x < 3) {
                    sum += bytes[static_cast<std::size_t>((y * 3 + x) * 2 + c)];
                    ++count;
                }
            }
            expected.push_back(static_cast<std::uint8_t>((sum + count / 2) / count));
        }
    }
    EXPECT_EQ(run(), expected);
}

TEST_P(Caffe2Quantized, GlobalAveragePoolAndMaxPool) {
    source({1, 2, 3, 1}, 0.5F, 10);
    model.op("Int8AveragePool", {"q"}, {"mean"}).nhwc().integer("global_pooling", 1).grid(0.5F, 10);
    model.op("Int8MaxPool", {"q"}, {"y"}).nhwc().integer("kernel", 2).grid(0.5F, 10);
    model.op("Int8Concat", {"mean", "mean"}, {"twice"}).nhwc().grid(0.5F, 10);
    model.output("y");
    model.output("twice");
    bytes = {1, 9, 255, 4, 3, 8};
    EXPECT_EQ(run(), (Bytes{9, 255}));
    const Tensor x = Tensor::of<float>(Shape{1, 2, 3, 1}, {-4.5F, -0.5F, 122.5F, -3, -3.5F, -1});
    EXPECT_EQ(to_ints(model.run(GetParam(), x)[1]), (std::vector<std::int64_t>{47, 47}));
}

TEST_P(Caffe2Quantized, ReluIsAMaximum) {
    source({1, 20}, 0.1F, 99);
    model.op("Int8Relu", {"q"}, {"y"}).grid(0.1F, 99);
    model.output("y");
    Bytes expected = bytes;
    for (std::uint8_t& byte : expected) {
        byte = std::max<std::uint8_t>(byte, 99);
    }
    EXPECT_EQ(run(), expected);
}

TEST_P(Caffe2Quantized, LeakyReluIsQnnpacks) {
    source({1, 200}, 0.1F, 99);
    model.op("Int8LeakyRelu", {"q"}, {"y"}).real("alpha", 0.3F).grid(0.07F, 50);
    model.output("y");
    Bytes expected;
    for (const std::uint8_t byte : bytes) {
        const float x = 0.1F / 0.07F * static_cast<float>(byte - 99);
        expected.push_back(byte_of(std::llrint(x < 0 ? x * 0.3F : x) + 50));
    }
    EXPECT_EQ(run(), expected);
}

TEST_P(Caffe2Quantized, SigmoidIs256Shares) {
    source({1, 200}, 0.05F, 120);
    model.op("Int8Sigmoid", {"q"}, {"y"}).grid(1.0F / 256, 0);
    model.output("y");
    Bytes expected;
    for (const std::uint8_t byte : bytes) {
        const float x = 0.05F * static_cast<float>(byte - 120);
        expected.push_back(byte_of(std::llrint(256.0F / (1.0F + std::exp(-x)))));
    }
    EXPECT_EQ(run(), expected);
}

TEST_P(Caffe2Quantized, SoftmaxIsQnnpacks) {
    source({3, 10}, 0.04F, 7);
    model.op("Int8Softmax", {"q"}, {"y"}).grid(1.0F / 256, 0);
    model.output("y");
    Bytes expected;
    for (std::size_t row = 0; row < 3; ++row) {
        const auto* from = bytes.data() + row * 10;
        const int top = *std::max_element(from, from + 10);
        std::vector<std::uint64_t> t;
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < 10; ++i) {
            const double share = std::exp((from[i] - top) * static_cast<double>(0.04F));
            t.push_back(static_cast<std::uint64_t>(std::llrint(8388607.0 * share)));
            sum += t.back();
        }
        for (const std::uint64_t one : t) {
            expected.push_back(byte_of(static_cast<std::int64_t>((one * 256 + sum / 2) / sum)));
        }
    }
    EXPECT_EQ(run(), expected);
}

TEST_P(Caffe2Quantized, MovesBytes) {
    source({1, 2, 2, 4}, 0.5F, 3);
    const auto step = [&](const char* type, const char* from, const char* to) {
        return model.op(type, {from}, {to}).grid(0.5F, 3);
    };
    step("Int8ChannelShuffle", "q", "a").nhwc().integer("group", 2);
    step("Int8ResizeNearest", "a", "b").real("height_scale", 0.5F).real("width_scale", 1.5F);
    step("Int8Slice", "b", "c").integers("starts", {0, 0, 1, 0}).integers("ends", {-1, -1, -1, 2});
    step("Int8Transpose", "c", "d").integers("axes", {0, 3, 1, 2});
    step("Int8Reshape", "d", "e").integers("shape", {-1, 2});
    step("Int8Flatten", "e", "y");
    model.output("y");
    bytes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    // Shuffled: channels 0, 2, 1, 3. Row 0, columns 0, 0, 1; of these 1 and 2, channels 0 and 1.
    EXPECT_EQ(run(), (Bytes{0, 4, 2, 6}));
}

INSTANTIATE_TEST_SUITE_P(Devices,
                         Caffe2Quantized,
                         testing::Values("REFERENCE", "CPU"),
                         [](const auto& device) { return std::string(device.param); });

}  // namespace
}  // namespace fuseq::test
