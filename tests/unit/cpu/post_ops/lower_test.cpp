// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/lower.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "ops/fake_quantize.hpp"

namespace fuseq::post_ops {
namespace {

using ::testing::HasSubstr;

std::string text_of(const Lowered& lowered) {
    return lowered ? to_text(Chain{*lowered.ops, ElementType::f32}) : "refused: " + lowered.refused;
}

TEST(LowerFakeQuantize, ClipsAfterTheRound) {
    EXPECT_EQ(text_of(lower_fake_quantize({{0.0}, {6.375}, {0.0}, {6.375}, 256})),
              "scale(40) shift(0) round clip(0,255) scale(0.025) shift(0) -> f32");
    EXPECT_EQ(text_of(lower_fake_quantize({{-4.0}, {3.96875}, {-128.0}, {127.0}, 256})),
              "scale(32) shift(128) round clip(0,255) scale(1) shift(-128) -> f32");
    EXPECT_EQ(
        text_of(lower_fake_quantize({{-1.0, -2.0}, {1.0, 2.0}, {-1.0, -2.0}, {1.0, 2.0}, 255})),
        "scale(per_oc:2) shift(127) round clip(0,254) scale(per_oc:2) shift(per_oc:2) -> f32");
}

TEST(LowerFakeQuantize, KeepsTheFractionOfAStepFarFromZero) {
    const Lowered lowered = lower_fake_quantize({{1000.0}, {1001.0}, {0.0}, {255.0}, 256});
    EXPECT_EQ(text_of(lowered),
              "shift(-1000) scale(255) round clip(0,255) scale(1) shift(0) -> f32");
}

TEST(LowerFakeQuantize, Refuses) {
    const auto reason = [](const FakeQuantizeLimits& limits) {
        return lower_fake_quantize(limits).refused;
    };
    EXPECT_THAT(reason({{0.0}, {0.0}, {0.0}, {1.0}, 256}), HasSubstr("step function"));
    EXPECT_THAT(reason({{0.0, 1.0}, {1.0, -1.0}, {0.0}, {1.0}, 256}),
                HasSubstr("input_high -1 is below input_low 1 in channel 1"));
    EXPECT_THAT(reason({{0.0}, {1.0}, {0.0}, {1.0}, 1}), HasSubstr("levels is 1"));
    EXPECT_THAT(reason({{0.0}, {1.0}, {0.0}, {1.0}, 1 << 25}), HasSubstr("levels is 33554432"));
    EXPECT_THAT(reason({{0.0, 0.0}, {1.0, 1.0, 1.0}, {0.0}, {1.0}, 256}),
                HasSubstr("input_low has 2 values, expected 1 or 3"));
    EXPECT_THAT(reason({{0.0}, {std::numeric_limits<double>::infinity()}, {0.0}, {1.0}, 256}),
                HasSubstr("input_high has a value that is not finite"));
    EXPECT_THAT(reason({{0.0}, {1e-38}, {0.0}, {1.0}, 256}), HasSubstr("too narrow"));
}

// The definition itself is the other source.
TEST(LowerFakeQuantize, EqualsTheDefinitionButForTies) {
    const unsigned seed = 7;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    const std::int64_t all_levels[] = {2, 4, 16, 255, 256, 1024};
    std::size_t checked = 0;
    for (int round = 0; round < 300; ++round) {
        const std::int64_t levels = all_levels[rng() % 6];
        const double width = std::exp(unit(rng) * 12.0 - 6.0);
        const double low =
            static_cast<float>((unit(rng) - 0.7) * width * (round % 9 == 0 ? 40 : 1));
        const double high = static_cast<float>(low + width);
        const double out_low = static_cast<float>(unit(rng) * 10.0 - 5.0);
        const double out_high = static_cast<float>(unit(rng) * 10.0 - 5.0);
        const Lowered lowered = lower_fake_quantize({{low}, {high}, {out_low}, {out_high}, levels});
        ASSERT_TRUE(lowered) << lowered.refused;
        const auto steps = static_cast<double>(levels - 1);
        for (int i = 0; i < 200; ++i) {
            const double x = static_cast<float>(low + (unit(rng) * 1.6 - 0.3) * width);
            const double in_steps = (x - low) / (high - low) * steps;
            if (std::abs(in_steps - std::floor(in_steps) - 0.5) < 1e-4) {
                continue;
            }
            const double want = fake_quantize(x, low, high, out_low, out_high, levels);
            EXPECT_NEAR(evaluate_ops(*lowered.ops, x, 0), want, 1e-5) << "x " << x;
            ++checked;
        }
    }
    EXPECT_GT(checked, 50000u);
}

TEST(LowerArithmetic, WithConstants) {
    EXPECT_EQ(text_of(lower_add({1.0, 2.0})), "shift(per_oc:2) -> f32");
    EXPECT_EQ(text_of(lower_subtract({3.0})), "shift(-3) -> f32");
    EXPECT_EQ(text_of(lower_subtract_from({3.0})), "scale(-1) shift(3) -> f32");
    EXPECT_EQ(text_of(lower_multiply({0.1})), "scale(0.1) -> f32");
    EXPECT_EQ(text_of(lower_divide({4.0})), "scale(0.25) -> f32");
    EXPECT_EQ(text_of(lower_bounds({-1.0, 0.0}, {6.0})), "clip(per_oc:2,6) -> f32");
    EXPECT_EQ(text_of(lower_bounds({0.0}, {INFINITY})), "clip(0,inf) -> f32");
}

TEST(LowerArithmetic, Refuses) {
    EXPECT_THAT(lower_add({NAN}).refused, HasSubstr("the addend has a value that is not finite"));
    EXPECT_THAT(lower_subtract({1.0, INFINITY}).refused, HasSubstr("the addend has a value"));
    EXPECT_THAT(lower_subtract_from({INFINITY}).refused, HasSubstr("the addend has a value"));
    EXPECT_THAT(lower_multiply({1e39}).refused, HasSubstr("the factor has a value"));
    EXPECT_EQ(lower_divide({2.0, 0.0}).refused,
              "the divisor of channel 1 is 0, of which a float holds no reciprocal");
    EXPECT_THAT(lower_bounds({0.0, 2.0}, {1.0}).refused, HasSubstr("clamp to [2, 1]"));
    EXPECT_THAT(lower_bounds({NAN}, {1.0}).refused, HasSubstr("expected low <= high"));
    EXPECT_THAT(lower_bounds({0.0, 0.0}, {1.0, 1.0, 1.0}).refused, HasSubstr("expected 1 or 3"));
}

TEST(LowerOthers, SayWhatTheyAre) {
    EXPECT_EQ(text_of(lower_clamp(-1.0, 6.0)), "clip(-1,6) -> f32");
    EXPECT_EQ(text_of(lower_relu()), "relu -> f32");
    EXPECT_EQ(text_of(lower_prelu({0.25, 0.25})), "relu(0.25) -> f32");
    EXPECT_EQ(text_of(lower_prelu({0.25, 0.5})), "prelu(per_oc:2) -> f32");
    EXPECT_EQ(text_of(lower_activation(EltwiseKind::kSwish, 1.0)), "swish(1) -> f32");
    EXPECT_EQ(text_of(lower_hard_sigmoid(0.2, 0.5)), "scale(0.2) shift(0.5) clip(0,1) -> f32");
    EXPECT_EQ(text_of(lower_power(2.0)), "square -> f32");
    EXPECT_EQ(text_of(lower_power(0.5)), "sqrt -> f32");
    EXPECT_EQ(text_of(lower_power(3.0)), "power(1,3) -> f32");
    ResidualInput gate{.kind = BinaryKind::kMul, .type = ElementType::u8, .per_plane = true};
    EXPECT_EQ(text_of(lower_residual(gate)), "mul(#0 u8 per_plane) -> f32");
    EXPECT_EQ(text_of(lower_residual({BinaryKind::kAdd, 2, ElementType::i8, 0.5, -3.0})),
              "add(#2 i8 zp-3 *0.5) -> f32");
}

TEST(LowerOthers, Refuse) {
    EXPECT_THAT(lower_clamp(1.0, 0.0).refused, HasSubstr("expected low <= high"));
    EXPECT_THAT(lower_residual({BinaryKind::kAdd, 0, ElementType::f16, 1.0, 0.0}).refused,
                HasSubstr("is f16, expected u8, i8, i32 or f32"));
    EXPECT_THAT(lower_residual({BinaryKind::kAdd, 0, ElementType::u8, 0.0, 0.0}).refused,
                HasSubstr("scale that is not zero"));
    EXPECT_THAT(lower_hard_sigmoid(INFINITY, 0.5).refused, HasSubstr("not finite"));
    EXPECT_THAT(lower_power(NAN).refused, HasSubstr("not finite"));
    EXPECT_THAT(lower_prelu({0.1, INFINITY}).refused, HasSubstr("slope has a value"));
}

}  // namespace
}  // namespace fuseq::post_ops
