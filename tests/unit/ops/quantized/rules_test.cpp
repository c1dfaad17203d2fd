// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "fuseq/error.hpp"
#include "ops/quantized/requantizer.hpp"
#include "ops/quantized/rules/d1.hpp"
#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/d2_up.hpp"
#include "ops/quantized/rules/f32.hpp"
#include "ops/quantized/rules/half_away.hpp"
#include "ops/quantized/rules/m16.hpp"
#include "ops/quantized/rules/real.hpp"
#include "ops/quantized/rules/shared_shift.hpp"

// Debian's libgemmlowp-dev, where it is installed: a second source.
#if __has_include(<gemmlowp/fixedpoint/fixedpoint.h>)
#include <gemmlowp/fixedpoint/fixedpoint.h>
#define FUSEQ_HAS_GEMMLOWP 1
#else
#define FUSEQ_HAS_GEMMLOWP 0
#endif

namespace fuseq::rules {
namespace {

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();
constexpr unsigned kSeed = 20261126;
constexpr int kCount = 200000;

__extension__ using Wide = __int128;

Wide floor_div(Wide a, Wide b) {
    const Wide q = a / b;
    return q * b > a ? q - 1 : q;
}

// Sums of all magnitudes.
std::int32_t random_sum(std::mt19937_64& random) {
    const auto bits = static_cast<std::int32_t>(static_cast<std::uint32_t>(random()));
    return bits >> static_cast<int>(random() % 31);
}

TEST(QuantizeMultiplier, HasTheMantissasOfTheSource) {
    const auto of_float = quantize_multiplier(static_cast<double>(0.012F));
    EXPECT_EQ(of_float.mantissa, 1649267456);
    EXPECT_EQ(of_float.exponent, -6);
    EXPECT_EQ(quantize_multiplier(0.012).mantissa, 1649267442);
    EXPECT_EQ(quantize_multiplier(1.0).mantissa, 1 << 30);
    EXPECT_EQ(quantize_multiplier(1.0).exponent, 1);
    EXPECT_EQ(quantize_multiplier(0).mantissa, 0);
}

// The mantissa rounds up to 2^31: half of it, and one more in the exponent.
TEST(QuantizeMultiplier, HalvesWhatRoundsUpToOne) {
    const auto m = quantize_multiplier(1.0 - 1e-12);
    EXPECT_EQ(m.mantissa, 1 << 30);
    EXPECT_EQ(m.exponent, 1);
}

TEST(QuantizeMultiplier, IsZeroBelowItsSmallestExponent) {
    EXPECT_EQ(quantize_multiplier(std::ldexp(0.75, -31)).exponent, -31);
    EXPECT_EQ(quantize_multiplier(std::ldexp(0.75, -32)).mantissa, 0);
}

TEST(DoublingHighMul, HasTheNumbersOfTheSource) {
    EXPECT_EQ(saturating_rounding_doubling_high_mul(100, 1649267456), 77);
    EXPECT_EQ(rounding_divide_by_pot(77, 6), 1);
    EXPECT_EQ(saturating_rounding_doubling_high_mul(kLowest, kLowest), kHighest);
}

TEST(FixedPointRules, DifferAsMeasured) {
    const QuantizedMultiplier first{1583594044, -9};
    EXPECT_EQ(d2(7984, first), 12);
    EXPECT_EQ(d1(7984, first), 11);
    const QuantizedMultiplier second{1764230389, -9};
    EXPECT_EQ(d2(-33343, second), -54);
    EXPECT_EQ(d2_up(-33343, second), -53);
    EXPECT_EQ(d1(-33343, second), -54);
}

// By their definitions in 128 bits.
TEST(FixedPointRules, EqualWideArithmetic) {
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < kCount; ++i) {
        const std::int32_t sum = random_sum(random);
        const QuantizedMultiplier m{
            static_cast<std::int32_t>((std::int64_t{1} << 30) +
                                      static_cast<std::int64_t>(random() % (1U << 30))),
            -static_cast<int>(random() % 31)};
        const Wide product = static_cast<Wide>(sum) * m.mantissa;
        const Wide one = Wide{1} << (31 - m.exponent);
        ASSERT_EQ(d1(sum, m), static_cast<std::int32_t>(floor_div(product + one / 2, one)))
            << "seed " << kSeed << ": " << sum << " " << m.mantissa << " " << m.exponent;
        // The high half: half away from zero above, half up below.
        const Wide doubled = Wide{1} << 31;
        const Wide high = product >= 0 ? (product + doubled / 2) / doubled
                                       : -((-product + doubled / 2 - 1) / doubled);
        const Wide step = Wide{1} << -m.exponent;
        const Wide up = floor_div(high + step / 2, step);
        const Wide away = high >= 0 ? up : -floor_div(-high + step / 2, step);
        ASSERT_EQ(d2_up(sum, m), static_cast<std::int32_t>(up)) << sum << " " << m.mantissa;
        ASSERT_EQ(d2(sum, m), static_cast<std::int32_t>(away)) << sum << " " << m.mantissa;
    }
}

TEST(FixedPointRules, ShiftToTheLeftForMultipliersOfOneAndMore) {
    const QuantizedMultiplier three = quantize_multiplier(3.0);
    EXPECT_EQ(three.exponent, 2);
    for (const std::int32_t sum : {0, 1, -1, 7, -100, 100000}) {
        EXPECT_EQ(d1(sum, three), 3 * sum);
        EXPECT_EQ(d2(sum, three), 3 * sum);
        EXPECT_EQ(d2_up(sum, three), 3 * sum);
        EXPECT_EQ(m16(sum, three), 3 * sum);
    }
    EXPECT_EQ(d2(kHighest, three), 1610612735);  // the shift saturates
}

TEST(M16, EqualsWideArithmetic) {
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < kCount; ++i) {
        const std::int64_t sum = (static_cast<std::int64_t>(random()) >> 16) >> (random() % 40);
        const QuantizedMultiplier m{
            static_cast<std::int32_t>((std::int64_t{1} << 30) +
                                      static_cast<std::int64_t>(random() % (1U << 30))),
            7 - static_cast<int>(random() % 38)};
        const Wide mantissa = m.mantissa < 0x7FFF0000 ? (m.mantissa + 0x8000) / 0x10000 : 0x7FFF;
        const Wide one = Wide{1} << (15 - m.exponent);
        ASSERT_EQ(m16(sum, m), static_cast<std::int64_t>(floor_div(sum * mantissa + one / 2, one)))
            << "seed " << kSeed << ": " << sum << " " << m.mantissa << " " << m.exponent;
    }
}

#if FUSEQ_HAS_GEMMLOWP
TEST(FixedPointRules, EqualGemmlowp) {
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < kCount; ++i) {
        const std::int32_t a = random_sum(random);
        const std::int32_t b = random_sum(random);
        const int shift = static_cast<int>(random() % 31);
        ASSERT_EQ(saturating_rounding_doubling_high_mul(a, b),
                  gemmlowp::SaturatingRoundingDoublingHighMul(a, b));
        ASSERT_EQ(rounding_divide_by_pot(a, shift), gemmlowp::RoundingDivideByPOT(a, shift));
    }
}
#endif

// Ties at 0.5: half to even, then the zero point; the zero point, then half to even; half away.
TEST(F32Rules, RoundBeforeAndAfterTheZeroPoint) {
    EXPECT_EQ(f32(3, 0.5F, 1), 3);
    EXPECT_EQ(f32_zero_first(3, 0.5F, 1), 2);
    EXPECT_EQ(f32_half_away(3, 0.5F, 1), 3);
    EXPECT_EQ(f32(5, 0.5F, 0), 2);
    EXPECT_EQ(f32_half_away(5, 0.5F, 0), 3);
    EXPECT_EQ(f32_half_away(-5, 0.5F, 0), -3);
    // The sum is rounded to 24 bits first.
    EXPECT_EQ(f32((1 << 24) + 1, 1.0F, 0), 1 << 24);
}

TEST(RealRules, QuantizeByQuotients) {
    EXPECT_EQ(quantize_real(RoundingRule::kRealHalfAway, 1.25F, 0.5F, 1), 4);
    EXPECT_EQ(quantize_real(RoundingRule::kRealHalfEven, 1.25F, 0.5F, 1), 3);
    EXPECT_EQ(quantize_real(RoundingRule::kRealZeroFirst, 1.25F, 0.5F, 1), 4);
    EXPECT_EQ(quantize_real(RoundingRule::kRealHalfEven, 0.25F, 0.5F, 1), 1);
    EXPECT_EQ(quantize_real(RoundingRule::kRealZeroFirst, 0.25F, 0.5F, 1), 2);
    EXPECT_LT(quantize_real(RoundingRule::kRealHalfEven, -1e30F, 1e-30F, 0), -(1LL << 32));
    EXPECT_LT(quantize_real(RoundingRule::kRealHalfEven, std::nanf(""), 1.0F, 0), -(1LL << 32));
}

TEST(RawHalfAway, DividesSums) {
    EXPECT_EQ(divide_half_away(3, 2), 2);
    EXPECT_EQ(divide_half_away(-3, 2), -2);
    EXPECT_EQ(divide_half_away(4, 3), 1);
    EXPECT_EQ(divide_half_away(-5, 3), -2);
}

// 1.5 and -1.5 go up.
TEST(SharedShift, RoundsHalfUp) {
    const SharedShift shift = SharedShift::of(0.5F, 0.25F, 1.0F);
    EXPECT_EQ(shift.shift, 21);
    EXPECT_EQ(shift.a, 1 << 20);
    EXPECT_EQ(shift.b, 1 << 19);
    EXPECT_EQ(shift.sum(3, 0), 2);
    EXPECT_EQ(shift.sum(-3, 0), -1);
    EXPECT_EQ(shift.sum(1, 4), 2);
}

// si * sw = 0.1f * 0.3f is not a float: its product in f32 has another mantissa.
TEST(Requantizer, FormsItsMultiplierAsTheMethodSays) {
    const float weight = 0.3F;
    const auto mantissa = [&](MultiplierForm form) {
        return Requantizer({RoundingRule::kD2, form},
                           {.input = 0.1F, .weights = {&weight, 1}, .output = 0.7F})
            .fixed()
            .at(0)
            .mantissa;
    };
    const auto expected = [](double real) { return quantize_multiplier(real).mantissa; };
    const double exact = static_cast<double>(0.1F) * static_cast<double>(0.3F);
    EXPECT_EQ(mantissa(MultiplierForm::kDouble), expected(exact / static_cast<double>(0.7F)));
    EXPECT_EQ(mantissa(MultiplierForm::kF32Product),
              expected(static_cast<double>(static_cast<float>(exact)) / static_cast<double>(0.7F)));
    EXPECT_EQ(mantissa(MultiplierForm::kF32),
              expected(static_cast<double>(static_cast<float>(exact) / 0.7F)));
    EXPECT_NE(mantissa(MultiplierForm::kDouble), mantissa(MultiplierForm::kF32Product));
    EXPECT_NE(mantissa(MultiplierForm::kF32Product), mantissa(MultiplierForm::kF32));
}

TEST(Requantizer, RefusesARuleWithoutAMultiplier) {
    EXPECT_THROW(Requantizer({RoundingRule::kTable, MultiplierForm::kDouble}, {}), Error);
}

}  // namespace
}  // namespace fuseq::rules
