// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/residual_cnn.hpp"

#include <algorithm>
#include <cmath>

#include "generate_model/calibration.hpp"
#include "generate_model/quantized_network.hpp"

namespace fuseq::samples {
namespace {

constexpr std::size_t kChannels = 32;
constexpr std::size_t kWideChannels = 64;
constexpr std::size_t kClasses = 10;
constexpr int kCalibrationImages = 8;

using Spelling = WeightSpelling;

// Without ranges: the float network, with the values before each FakeQuantize as outputs.
std::shared_ptr<Model> build(std::uint64_t seed, const Ranges* ranges) {
    QuantizedNetwork net("residual_cnn", seed, ranges);
    Output x = net.input("image", {1, 3, kImageSize, kImageSize});
    x = net.normalize(x, {123.0f, 117.0f, 104.0f}, {1 / 58.0f, 1 / 57.0f, 1 / 57.5f});
    x = net.activation("fq_image", x, ActivationKind::kAsymmetric);
    x = net.convolution("conv1", x, {3, kChannels, 3, 2}, Spelling::kFloat);
    const Output trunk = net.activation("fq1", net.relu("relu1", x), ActivationKind::kUnsigned);

    // expand, depthwise, project, and back onto the trunk
    x = net.convolution("expand", trunk, {kChannels, kChannels, 1}, Spelling::kI8Multiply);
    x = net.activation("fq_expand", net.relu("relu_expand", x), ActivationKind::kUnsigned, true);
    x = net.convolution("depthwise", x, {kChannels, kChannels, 3, 1, true},
                        Spelling::kU8FakeQuantize);
    x = net.activation("fq_depthwise", net.relu("relu_depthwise", x), ActivationKind::kUnsigned);
    x = net.convolution("project", x, {kChannels, kChannels, 1}, Spelling::kI8SubtractMultiply);
    x = net.activation("fq_project", x, ActivationKind::kSigned);
    x = net.relu("relu_sum", net.add("sum", x, trunk));
    x = net.activation("fq_sum", x, ActivationKind::kUnsigned);

    x = net.max_pool("pool", x, 2);
    x = net.convolution("widen", x, {kChannels, kWideChannels, 1}, Spelling::kFloat);
    x = net.activation("fq_widen", net.relu("relu_widen", x), ActivationKind::kUnsigned);
    x = net.activation("fq_mean", net.global_mean("mean_over_space", x), ActivationKind::kUnsigned);
    x = net.linear("classifier", x, kWideChannels, kClasses);
    net.softmax_output("scores", x);
    return net.take();
}

}  // namespace

Tensor synthetic_image(std::uint64_t seed) {
    constexpr int kBlobs = 6;
    constexpr float kNoise = 12.0f;
    Random random(seed);
    Tensor image(ElementType::f32, {1, 3, kImageSize, kImageSize});
    float* pixel = image.data<float>();
    for (std::size_t channel = 0; channel < 3; ++channel) {
        float x[kBlobs], y[kBlobs], radius[kBlobs], level[kBlobs];
        for (int b = 0; b < kBlobs; ++b) {
            x[b] = random.uniform(0, kImageSize);
            y[b] = random.uniform(0, kImageSize);
            radius[b] = random.uniform(4, 24);
            level[b] = random.uniform(-120, 120);
        }
        const float ground = random.uniform(60, 190);
        for (std::size_t i = 0; i < kImageSize * kImageSize; ++i) {
            const std::size_t line = i / kImageSize;
            const auto row = static_cast<float>(line);
            const auto column = static_cast<float>(i - line * kImageSize);
            float value = ground + random.uniform(-kNoise, kNoise);
            for (int b = 0; b < kBlobs; ++b) {
                const float dx = (column - x[b]) / radius[b];
                const float dy = (row - y[b]) / radius[b];
                value += level[b] * std::max(0.0f, 1 - dx * dx - dy * dy);
            }
            *pixel++ = std::nearbyint(std::clamp(value, 0.0f, 255.0f));
        }
    }
    return image;
}

Picture synthetic_picture(std::uint64_t seed) {
    const Tensor planes = synthetic_image(seed);
    Picture picture(kImageSize, kImageSize);
    const auto byte = [&, values = planes.data<float>()](std::size_t channel, std::size_t i) {
        return static_cast<std::uint8_t>(values[channel * picture.pixels.size() + i]);
    };
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
        picture.pixels[i] = {byte(0, i), byte(1, i), byte(2, i)};
    }
    return picture;
}

std::shared_ptr<Model> residual_cnn(std::uint64_t seed) {
    std::vector<std::vector<Tensor>> images;
    images.reserve(kCalibrationImages);
    for (int i = 0; i < kCalibrationImages; ++i) {
        images.push_back({synthetic_image(seed + static_cast<std::uint64_t>(i))});
    }
    const Ranges ranges = observe(*build(seed, nullptr), images);
    return build(seed, &ranges);
}

}  // namespace fuseq::samples
