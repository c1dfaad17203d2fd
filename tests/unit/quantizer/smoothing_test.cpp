// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Smoothing: the feed-forward part of a transformer whose normalization leaves two of 32 channels 60
// times as large as the others, as large language models have them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "fuseq/core.hpp"
#include "fuseq/quantizer.hpp"

namespace fuseq {
namespace {

constexpr std::size_t kChannels = 32;
constexpr std::size_t kHidden = 64;
constexpr float kOutlier = 60;

bool is_outlier(std::size_t channel) {
    return channel == 3 || channel == 17;
}

std::shared_ptr<Model> feed_forward() {
    const auto model = Model::from_text(R"(model "feed_forward"
        %x = Parameter : f32[1,16,32]
        %axes = Const value={-1} : i64[1]
        %n = MVN.6(%x, %axes) normalize_variance=true eps=1e-5 eps_mode=inside_sqrt
        %gamma = Const value=random(1,0.5,1.5) : f32[32]
        %m = Multiply(%n, %gamma)
        %beta = Const value=random(2) : f32[32]
        %a = Add(%m, %beta)
        %w1 = Const value=random(3) : f32[32,64]
        %up = MatMul(%a, %w1)
        %g = Gelu.7(%up)
        %w2 = Const value=random(4) : f32[64,32]
        %down = MatMul(%g, %w2)
        %r = Result(%down))");
    Tensor gamma = model->find("gamma")->constant().to(ElementType::f32);
    Tensor weights = model->find("w1")->constant().to(ElementType::f32);
    for (std::size_t c = 0; c < kChannels; ++c) {
        if (is_outlier(c)) {
            gamma.data<float>()[c] *= kOutlier;
        }
        for (std::size_t h = 0; h < kHidden; ++h) {
            weights.data<float>()[c * kHidden + h] *= is_outlier(c) ? 0.3f / kOutlier : 0.3f;
        }
    }
    model->find("m")->set_input(1, model->add_constant("outliers", gamma)->output());
    model->find("up")->set_input(1, model->add_constant("weights", weights)->output());
    model->remove_dead_nodes();
    return model;
}

std::vector<Tensor> input(std::size_t index) {
    std::mt19937 random(static_cast<unsigned>(index));  // the same data in every run
    std::normal_distribution<float> normal;
    Tensor tensor(ElementType::f32, {1, 16, kChannels});
    for (float& value : tensor.values<float>()) {
        value = normal(random);
    }
    return {tensor};
}

std::vector<float> outputs(const std::shared_ptr<const Model>& model) {
    InferRequest request = Core().compile_model(model, "CPU").create_infer_request();
    std::vector<float> all;
    for (std::size_t index = 100; index < 104; ++index) {
        request.set_input_tensor(input(index)[0]);
        request.infer();
        const std::vector<float> values = to_floats(request.get_output_tensor());
        all.insert(all.end(), values.begin(), values.end());
    }
    return all;
}

double sqnr(bool smooth) {
    QuantizerOptions options;
    options.equalization = smooth;
    options.channel_scales = false;
    Quantizer quantizer(feed_forward(), options);
    quantizer.profile(12, input);
    const std::vector<float> got = outputs(quantizer.quantize(12, input).model);
    const std::vector<float> exact = outputs(feed_forward());
    double signal = 0;
    double noise = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        signal += std::pow(static_cast<double>(exact[i]), 2);
        noise += std::pow(static_cast<double>(exact[i]) - static_cast<double>(got[i]), 2);
    }
    return 10 * std::log10(signal / noise);
}

// Other inputs than those of the calibration.
TEST(Smoothing, BringsOutliersOfATransformerIntoRange) {
    const double without = sqnr(false);
    const double with = sqnr(true);
    EXPECT_LT(without, 20);
    EXPECT_GT(with, 30) << "without smoothing " << without;
}

}  // namespace
}  // namespace fuseq
