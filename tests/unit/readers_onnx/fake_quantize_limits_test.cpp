// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/fake_quantize_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "ops/fake_quantize.hpp"

namespace fuseq::test {
namespace {

using onnx_reader::fake_quantize_limits;
using onnx_reader::Limits;

// What the definition of ONNX gives, by the runtime's order of operations.
float quantized_and_back(float x, float scale, int zero, int lowest, int highest) {
    const float q = std::nearbyint(x / scale) + static_cast<float>(zero);
    const float bounded =
        std::fmin(std::fmax(q, static_cast<float>(lowest)), static_cast<float>(highest));
    return (bounded - static_cast<float>(zero)) * scale;
}

// The low-precision passes derive scale and zero point from the limits: (high - low) / 255 in f32
// and -low / step, which they round where it is within 1e-4 of a whole number.
TEST(FakeQuantizeLimits, GiveBackScaleAndZeroPoint) {
    const unsigned seed = 18;
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> exponent(-12, 4);
    std::size_t other_scales = 0;
    constexpr int kRuns = 20000;
    for (int i = 0; i < kRuns; ++i) {
        const float scale = std::exp2(exponent(random));
        const auto zero = static_cast<std::int64_t>(random() % 256);
        const Limits limits = fake_quantize_limits(scale, -zero, 255 - zero);
        const double step = (static_cast<double>(limits.high) - limits.low) / 255;
        other_scales += static_cast<float>(step) == scale ? 0 : 1;
        EXPECT_NEAR(-limits.low / step, static_cast<double>(zero), 1e-4)
            << "seed " << seed << " run " << i;
        if (zero == 0) {
            EXPECT_EQ(limits.low, 0.0F);
        }
    }
    EXPECT_EQ(other_scales, 0U) << "of " << kRuns << ", seed " << seed;
}

// Away from ties the FakeQuantize gives the levels of the pair.
TEST(FakeQuantizeLimits, GiveTheLevelsOfTheDefinition) {
    const unsigned seed = 7;
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> position(-20, 280);
    for (int i = 0; i < 200000; ++i) {
        const float scale = std::exp2(static_cast<float>(random() % 12)) * 1.37e-3F;
        const int zero = static_cast<int>(random() % 256);
        const float steps = position(random) - static_cast<float>(zero);
        if (std::abs(steps - std::floor(steps) - 0.5F) < 1e-3F) {
            continue;  // a tie, or near one
        }
        const float x = steps * scale;
        const Limits limits = fake_quantize_limits(scale, -zero, 255 - zero);
        const double actual =
            fake_quantize(x, limits.low, limits.high, limits.low, limits.high, 256);
        const float expected = quantized_and_back(x, scale, zero, 0, 255);
        ASSERT_NEAR(actual / scale, expected / scale, 1e-4)
            << "x " << x << " scale " << scale << " zero " << zero << " seed " << seed;
    }
}

}  // namespace
}  // namespace fuseq::test
