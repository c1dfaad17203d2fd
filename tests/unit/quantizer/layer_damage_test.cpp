// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/layer_damage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quantizer/lowering.hpp"
#include "quantizer/profiler.hpp"

namespace fuseq::quantizer {
namespace {

std::vector<Tensor> image(std::size_t i) {
    Tensor tensor(ElementType::f32, {1, 4, 4, 4});
    for (std::size_t k = 0; k < tensor.get_size(); ++k) {
        tensor.data<float>()[k] = static_cast<float>((k * 5 + i * 3) % 13);
    }
    return {tensor};
}

std::vector<LayerDamage> ranking(const char* text, const QuantizerOptions& options) {
    const std::shared_ptr<Model> lowered = lower(*Model::from_text(text), {});
    Profile profile;
    profile.histogram_bins = 64;
    Profiler(*lowered, "CPU", 1).run(profile, 4, image, {});
    return rank_layers({lowered, {}, profile, options, {}, {}}, {0, 1, 2, 3}, image);
}

constexpr const char* kTwoConvolutions = R"(
    %x = Parameter : f32[1,4,4,4]
    %w1 = Const value=random(1) : f32[4,4,1,1]
    %c1 = Convolution(%x, %w1) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
    %w2 = Const value=random(2) : f32[2,4,1,1]
    %c2 = Convolution(%c1, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
    %out = Result(%c2))";

// Bias correction gives both a bias, and the second one reads what comes after the first one's.
TEST(RankLayers, WithBiasesThatTheFloatModelDoesNotHave) {
    const std::vector<LayerDamage> layers = ranking(kTwoConvolutions, {});
    ASSERT_EQ(layers.size(), 2U);
    for (const LayerDamage& layer : layers) {
        EXPECT_GT(layer.sqnr, 30) << layer.layer;
        EXPECT_LT(layer.sqnr, 70) << layer.layer;
    }
}

// Weights that are integers times a power of two, and inputs that are integers: no layer does
// any damage but by the range of what it reads.
TEST(RankLayers, SeesNoDamageWhereThereIsNone) {
    QuantizerOptions options;
    options.schema = QuantizationSchema::kSymmetricWithPower2Scale;
    options.weights_schema = QuantizationSchema::kSymmetricWithPower2Scale;
    const std::vector<LayerDamage> layers = ranking(R"(
        %x = Parameter : f32[1,4,4,4]
        %w = Const value={1,-2,3,-4} : f32[1,4,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %out = Result(%c))",
                                                    options);
    ASSERT_EQ(layers.size(), 1U);
    EXPECT_EQ(layers[0].sqnr, 200);
}

}  // namespace
}  // namespace fuseq::quantizer
