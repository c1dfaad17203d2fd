// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers of 16-bit activations on CPU against sums in 64 bits. Steps and scales are 1, so that
// inputs are the integers.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "transformations/support/constants.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

constexpr float kSigned = -32768;

std::string model_text(const std::string& shape,
                       const std::string& weights,
                       const std::string& layer,
                       float low) {
    return "model \"m\"\n%x = Parameter : f32[" + shape + "]\n%l = Const value={" +
           std::to_string(low) + "} : f32[]\n%h = Const value={" + std::to_string(low + 65535) +
           "} : f32[]\n%q = FakeQuantize(%x, %l, %h, %l, %h) levels=65536\n%w = Const value=" +
           weights + "\n%wf = Convert(%w) destination_type=f32\n%c = " + layer +
           "\n%r = Result(%c)\n";
}

// Integers of the range; the ends often.
Tensor integers(const Shape& shape, float low, unsigned seed) {
    Tensor tensor(ElementType::f32, shape);
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> values(0, 65535);
    for (std::size_t i = 0; i < tensor.get_size(); ++i) {
        const int value = values(random);
        const int extreme = value % 4 == 0 ? 65535 : value % 4 == 1 ? 0 : value;
        tensor.data<float>()[i] = low + static_cast<float>(extreme);
    }
    return tensor;
}

struct Run {
    Tensor input, weights, output;
};

// layers: 1, or 2 of bytes where sums leave 32 bits.
Run run(const std::string& text, const Shape& shape, float low, unsigned seed, int layers = 1) {
    const std::shared_ptr<const Model> model(Model::from_text(text));
    const Tensor input = integers(shape, low, seed);
    const DeviceRun cpu = run_on("CPU", model, {input});
    EXPECT_EQ(cpu.report["totals"]["anchors_float"], 0);
    EXPECT_EQ(cpu.report["totals"]["anchors_int8"], layers);
    return {input, *known_constant(model->find("w")->output()), cpu.outputs[0]};
}

// Sums are exact, and three operations in f32 follow. `largest`: what the sum of all magnitudes is.
void expect_sum(float got, std::int64_t want, double largest) {
    const double tolerance =
        largest < 16777216.0 ? 0.0 : largest * 0x1p-24 + std::abs(want) * 0x1p-22;
    EXPECT_NEAR(got, static_cast<double>(want), tolerance);
}

void check_matmul(
    std::size_t depth, const std::string& values, float low, unsigned seed, int layers = 1) {
    SCOPED_TRACE("depth " + std::to_string(depth) + " low " + std::to_string(low) + " seed " +
                 std::to_string(seed));
    constexpr std::size_t kRows = 3, kColumns = 5;
    const std::string k = std::to_string(depth);
    const Run r = run(model_text("3," + k, values + " : i8[" + k + ",5]", "MatMul(%q, %wf)", low),
                      {kRows, depth}, low, seed, layers);
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kColumns; ++j) {
            std::int64_t sum = 0, magnitude = 0;
            for (std::size_t d = 0; d < depth; ++d) {
                const std::int64_t product =
                    static_cast<std::int64_t>(r.input.data<float>()[i * depth + d]) *
                    r.weights.data<std::int8_t>()[d * kColumns + j];
                sum += product;
                magnitude += std::abs(product);
            }
            expect_sum(r.output.data<float>()[i * kColumns + j], sum,
                       static_cast<double>(magnitude));
        }
    }
}

TEST(WideIntegers, MatrixProducts) {
    for (const float low : {0.0f, kSigned, -1000.0f}) {
        check_matmul(1, "random(5,-128,127)", low, 1);
        check_matmul(67, "random(6,-128,127)", low, 2);
    }
}

// Products of 16 bits would need 40 bits for such sums.
TEST(WideIntegers, SumsBeyond32Bits) {
    check_matmul(40000, "fill(127)", 0, 3, 2);
    check_matmul(20000, "fill(-128)", kSigned, 4, 2);
    check_matmul(30000, "random(7,-128,127)", kSigned, 5, 2);
}

void check_convolution(bool depthwise, float low, unsigned seed) {
    SCOPED_TRACE("low " + std::to_string(low) + " seed " + std::to_string(seed));
    constexpr std::int64_t kChannels = 16, kSize = 5;
    const std::string window = " strides=[1,1] pads_begin=[1,1] pads_end=[1,1] dilations=[1,1]";
    const Run r =
        run(model_text(
                "1,16,5,5",
                std::string("random(9,-128,127) : i8[16,") + (depthwise ? "1,1,3,3]" : "16,3,3]"),
                (depthwise ? "GroupConvolution" : "Convolution") + ("(%q, %wf)" + window), low),
            {1, kChannels, kSize, kSize}, low, seed);
    for (std::int64_t o = 0; o < kChannels; ++o) {
        for (std::int64_t at = 0; at < kSize * kSize; ++at) {
            std::int64_t sum = 0, magnitude = 0;
            for (std::int64_t i = 0; i < (depthwise ? 1 : kChannels); ++i) {
                for (std::int64_t tap = 0; tap < 9; ++tap) {
                    const std::int64_t y = at / kSize + tap / 3 - 1, x = at % kSize + tap % 3 - 1;
                    if (y < 0 || y >= kSize || x < 0 || x >= kSize) {
                        continue;
                    }
                    const std::int64_t c = depthwise ? o : i;
                    const std::int64_t product =
                        static_cast<std::int64_t>(
                            r.input.data<float>()[(c * kSize + y) * kSize + x]) *
                        r.weights
                            .data<std::int8_t>()[(depthwise ? o : o * kChannels + i) * 9 + tap];
                    sum += product;
                    magnitude += std::abs(product);
                }
            }
            expect_sum(r.output.data<float>()[o * kSize * kSize + at], sum,
                       static_cast<double>(magnitude));
        }
    }
}

TEST(WideIntegers, Convolutions) {
    for (const float low : {0.0f, kSigned}) {
        check_convolution(false, low, 11);
        check_convolution(true, low, 12);
    }
}

}  // namespace
}  // namespace fuseq::test
