// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/weights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;

// Two output channels of two weights.
const ChannelOrder kOrder{.groups = 1, .depth = 1, .channels = 2, .inner = 2};

Tensor weights(const std::vector<float>& values) {
    return Tensor::of(Shape{2, values.size() / 2, 1, 1}, values);
}

TEST(ChooseWeightScales, OneAChannel) {
    const WeightScales scales = choose_weight_scales(weights({127, -1, 2, -12.8f}), kOrder, {});
    EXPECT_TRUE(scales.per_channel);
    EXPECT_FLOAT_EQ(scales.channels[0].scale, 1);
    EXPECT_FLOAT_EQ(scales.channels[1].scale, 0.1f);
    EXPECT_EQ(scales.channels[0].offset, 0);
}

TEST(ChooseWeightScales, OneInAll) {
    QuantizerOptions options;
    options.channelwise = false;
    const WeightScales scales =
        choose_weight_scales(weights({127, -1, 2, -12.8f}), kOrder, options);
    EXPECT_FALSE(scales.per_channel);
    EXPECT_FLOAT_EQ(scales.channels[1].scale, 1);
}

TEST(ChooseWeightScales, OfSevenBits) {
    QuantizerOptions options;
    options.weights_of_7_bits = true;
    const WeightScales scales = choose_weight_scales(weights({63, -1, 0, -64}), kOrder, options);
    EXPECT_FLOAT_EQ(scales.channels[0].scale, 1);
    EXPECT_FLOAT_EQ(scales.channels[1].scale, 1);
    const RoundedWeights rounded =
        round_weights(weights({63, -1, 0, -64}), kOrder, scales, QuantizationPrecision::kInt8);
    EXPECT_THAT(to_ints(rounded.integers), ElementsAre(63, -1, 0, -64));
}

// An asymmetric row: integer offset, as row-wise quantization has it.
TEST(ChooseWeightScales, WithOffsets) {
    QuantizerOptions options;
    options.weights_schema = QuantizationSchema::kAsymmetric;
    const Tensor w = weights({0, 255, -255, 0});
    const WeightScales scales = choose_weight_scales(w, kOrder, options);
    EXPECT_EQ(scales.channels[0].offset, -128);
    EXPECT_EQ(scales.channels[1].offset, 127);
    const RoundedWeights rounded = round_weights(w, kOrder, scales, QuantizationPrecision::kInt8);
    EXPECT_THAT(to_ints(rounded.integers), ElementsAre(-128, 127, -128, 127));
    EXPECT_THAT(to_floats(rounded.values), ElementsAre(0, 255, -255, 0));
}

TEST(RoundWeights, InSixteenBits) {
    QuantizerOptions options;
    options.weights_precision = QuantizationPrecision::kInt16;
    const Tensor w = weights({32767, -2, 3, -32768});
    const RoundedWeights rounded = round_weights(
        w, kOrder, choose_weight_scales(w, kOrder, options), QuantizationPrecision::kInt16);
    EXPECT_EQ(rounded.integers.get_element_type(), ElementType::i16);
    EXPECT_THAT(to_ints(rounded.integers), ElementsAre(32767, -2, 3, -32768));
}

// The squared error is computed here, from the definition.
TEST(ChooseWeightScales, ByLeastSquaredError) {
    std::mt19937 random(11);  // a fixed sample
    std::normal_distribution<float> normal;
    std::vector<float> values(2 * 256);
    for (float& value : values) {
        value = normal(random);
    }
    values[5] = 7;  // an outlier
    const ChannelOrder order{.groups = 1, .depth = 1, .channels = 2, .inner = 256};
    const auto error = [&](Calibration calibration) {
        QuantizerOptions options;
        options.weights_schema = QuantizationSchema::kSymmetric;
        options.weights_of_7_bits = true;
        options.weights_calibration = calibration;
        const Tensor w = weights(values);
        const RoundedWeights rounded = round_weights(
            w, order, choose_weight_scales(w, order, options), QuantizationPrecision::kInt8);
        const std::vector<float> after = to_floats(rounded.values);
        double sum = 0;
        for (std::size_t i = 0; i < 256; ++i) {
            sum += std::pow(static_cast<double>(values[i] - after[i]), 2);
        }
        return sum;
    };
    EXPECT_LE(error(Calibration::kMse), error(Calibration::kNone));
}

TEST(ChooseBiasScale, IsTheProductWhereTheBiasFits) {
    // Own scale: 100 / 536870911 = 1.9e-7.
    const BiasScale chosen = choose_bias_scale(100, 0.5f, 0.25f, QuantizationPrecision::kInt32);
    EXPECT_EQ(chosen.scale, 0.125f);
    EXPECT_FALSE(chosen.raised_weight_scale);
    EXPECT_EQ(choose_bias_scale(0, 1e-6f, 1e-6f, QuantizationPrecision::kInt32).scale,
              1e-6f * 1e-6f);
}

TEST(ChooseBiasScale, RaisesTheScaleOfTheWeightsForInt32) {
    // 1000 / (1e-4 * 1e-8) = 1e15 is no int32.
    const BiasScale chosen = choose_bias_scale(1000, 1e-4f, 1e-8f, QuantizationPrecision::kInt32);
    ASSERT_TRUE(chosen.raised_weight_scale);
    EXPECT_NEAR(*chosen.raised_weight_scale, 1000.0 / 536870911 / 1e-4, 1e-9);
    EXPECT_LE(1000.0 / chosen.scale, 536870911 * (1 + 1e-6));
    EXPECT_FLOAT_EQ(chosen.scale, 1e-4f * *chosen.raised_weight_scale);
}

// Batch norms leave such biases in channels that they have switched off.
TEST(ChooseBiasScale, OfNextToNothingRaisesNothing) {
    for (const float bias : {2.8e-41f, -5.6e-41f, 1e-30f}) {
        const BiasScale chosen =
            choose_bias_scale(bias, 0.034f, 0.1f, QuantizationPrecision::kInt32);
        EXPECT_FALSE(chosen.raised_weight_scale) << bias;
        EXPECT_FLOAT_EQ(chosen.scale, 0.0034f) << bias;
    }
}

TEST(ChooseBiasScale, IsItsOwnInFewerBits) {
    const BiasScale chosen = choose_bias_scale(127, 0.5f, 0.25f, QuantizationPrecision::kInt8);
    EXPECT_FLOAT_EQ(chosen.scale, 1);
    EXPECT_FALSE(chosen.raised_weight_scale);
    EXPECT_FLOAT_EQ(choose_bias_scale(-32768, 0.5f, 0.25f, QuantizationPrecision::kInt16).scale, 1);
}

}  // namespace
}  // namespace fuseq::quantizer
