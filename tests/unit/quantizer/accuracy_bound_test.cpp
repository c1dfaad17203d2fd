// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers by the damage they do, and the bound that returns the worst of them to float.
#include "quantizer/accuracy_bound.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "fuseq/core.hpp"
#include "support/small_model.hpp"

namespace fuseq {
namespace {

using test::message_of;
using testing::HasSubstr;

// Three products; the weights of the second have one large value in every row, so that eight bits
// are too few for the rest.
std::shared_ptr<Model> fragile() {
    const auto model = Model::from_text(R"(model "fragile"
        %x = Parameter : f32[1,64]
        %w1 = Const value=random(1) : f32[64,64]
        %fc1 = MatMul(%x, %w1) transpose_a=false transpose_b=true
        %r1 = ReLU(%fc1)
        %w2 = Const value=random(2) : f32[64,64]
        %fc2 = MatMul(%r1, %w2) transpose_a=false transpose_b=true
        %r2 = ReLU(%fc2)
        %w3 = Const value=random(3) : f32[64,64]
        %fc3 = MatMul(%r2, %w3) transpose_a=false transpose_b=true
        %out = Result(%fc3))");
    Tensor weights = model->find("w2")->constant().to(ElementType::f32);
    Tensor first = model->find("w1")->constant().to(ElementType::f32);
    for (std::size_t row = 0; row < 64; ++row) {
        weights.data<float>()[row * 64] = 60;
        first.data<float>()[row] *= 1e-2f;  // what it is multiplied by is small
    }
    model->find("fc2")->set_input(1, model->add_constant("peaks", weights)->output());
    model->find("fc1")->set_input(1, model->add_constant("small", first)->output());
    return model;
}

std::vector<Tensor> input(std::size_t index) {
    std::mt19937 random(static_cast<unsigned>(index));  // the same data in every run
    std::normal_distribution<float> normal;
    Tensor tensor(ElementType::f32, {1, 64});
    for (float& value : tensor.values<float>()) {
        value = normal(random);
    }
    return {tensor};
}

QuantizedModel bounded(DropMetric metric, double value, std::size_t count = 18) {
    QuantizerOptions options;
    options.equalization = false;
    options.channel_scales = false;
    options.max_drop = DropBound{metric, value, {}};
    Quantizer quantizer(fragile(), options);
    quantizer.profile(count, input);
    return quantizer.quantize(count, input);
}

TEST(AccuracyBound, ReturnsTheWorstLayerFirst) {
    const QuantizedModel loose = bounded(DropMetric::kSqnr, -100);
    ASSERT_EQ(loose.ranking.size(), 3U);
    EXPECT_EQ(loose.ranking[0].layer, "fc2");
    EXPECT_LT(loose.ranking[0].sqnr + 3, loose.ranking[1].sqnr);
    EXPECT_FALSE(loose.ranking[0].returned_to_float);
    EXPECT_TRUE(loose.kept.empty());

    const QuantizedModel tight = bounded(DropMetric::kSqnr, loose.drop + 3);
    EXPECT_TRUE(tight.ranking[0].returned_to_float);
    EXPECT_FALSE(tight.ranking[2].returned_to_float);
    EXPECT_THAT(tight.kept, testing::Contains("fc2"));
    EXPECT_GE(tight.drop, loose.drop + 3);
}

// Both operands of the product are integers and so is its result: once every FakeQuantize has a
// given input, nothing reads those of the operands.
TEST(AccuracyBound, RanksLayersAroundAProduct) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[1,4,4,4]
        %w1 = Const value=random(1) : f32[4,4,1,1]
        %c1 = Convolution(%x, %w1) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %w2 = Const value=random(2) : f32[4,4,1,1]
        %c2 = Convolution(%x, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %product = Multiply(%c1, %c2)
        %w3 = Const value=random(3) : f32[2,4,1,1]
        %c3 = Convolution(%product, %w3) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %out = Result(%c3))");
    QuantizerOptions options;
    options.max_drop = DropBound{DropMetric::kSqnr, -100, {}};
    const auto images = [](std::size_t i) {
        Tensor image(ElementType::f32, {1, 4, 4, 4});
        for (std::size_t k = 0; k < image.get_size(); ++k) {
            image.data<float>()[k] = static_cast<float>((k * 5 + i * 3) % 13) - 6;
        }
        return std::vector<Tensor>{image};
    };
    Quantizer quantizer(model, options);
    quantizer.profile(9, images);
    const QuantizedModel result = quantizer.quantize(9, images);
    ASSERT_EQ(result.ranking.size(), 3U);
    for (const LayerDamage& layer : result.ranking) {
        EXPECT_GT(layer.sqnr, 20) << layer.layer;
        EXPECT_LT(layer.sqnr, 80) << layer.layer;
    }
}

// A product of two computed tensors, as in attention, can return too: with all layers in float the
// model is the float one.
TEST(AccuracyBound, ProductsOfComputedTensorsReturn) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[4,16]
        %scores = MatMul(%x, %x) transpose_a=false transpose_b=true
        %out = Result(%scores))");
    QuantizerOptions options;
    options.max_drop = DropBound{DropMetric::kSqnr, 150, {}};
    const auto rows = [](std::size_t i) {
        Tensor tensor(ElementType::f32, {4, 16});
        for (std::size_t k = 0; k < tensor.get_size(); ++k) {
            tensor.data<float>()[k] = static_cast<float>((k * 7 + i * 3) % 31) / 7 - 2;
        }
        return std::vector<Tensor>{tensor};
    };
    Quantizer quantizer(model, options);
    quantizer.profile(9, rows);
    const QuantizedModel result = quantizer.quantize(9, rows);
    ASSERT_EQ(result.ranking.size(), 1U);
    EXPECT_TRUE(result.ranking[0].returned_to_float);
    EXPECT_EQ(result.activations, 0U);
}

TEST(AccuracyBound, EverythingReturnsWhereNothingElseHolds) {
    const QuantizedModel exact = bounded(DropMetric::kSqnr, 100);
    EXPECT_EQ(exact.kept.size(), 3U);
    EXPECT_EQ(exact.activations, 0U);
}

TEST(AccuracyBound, MeasuresWithAMetricOfOnesOwn) {
    QuantizerOptions options;
    // Greater is better: one for each product in float.
    const auto own = [](const std::shared_ptr<const Model>& model) {
        double floats = 0;
        for (const Node* product : model->find_all("MatMul")) {
            floats += product->input_node(1)->is_constant() ? 1 : 0;
        }
        return floats;
    };
    options.max_drop = DropBound{DropMetric::kOwn, 1, own};
    Quantizer quantizer(fragile(), options);
    quantizer.profile(18, input);
    const QuantizedModel result = quantizer.quantize(18, input);
    EXPECT_EQ(result.kept.size(), 2U);
    EXPECT_EQ(result.drop, 1);
}

TEST(AccuracyBound, RefusesWhatCannotBeMeasured) {
    EXPECT_THAT(message_of([&] { bounded(DropMetric::kSqnr, 300); }),
                HasSubstr("does not hold even with all 3 layers in float"));
    EXPECT_THAT(message_of([&] { bounded(DropMetric::kSqnr, 20, 4); }),
                HasSubstr("-max_drop needs at least 6 inputs, not 4"));
    EXPECT_THAT(message_of([&] { bounded(DropMetric::kOwn, 0); }), HasSubstr("there is none"));
    QuantizerOptions options;
    options.max_drop = DropBound{};
    Quantizer quantizer(fragile(), options);
    quantizer.profile(3, input);
    EXPECT_THAT(message_of([&] { quantizer.quantize(); }), HasSubstr("is measured on data"));
}

}  // namespace
}  // namespace fuseq
