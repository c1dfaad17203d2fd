// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Against the rules of src/ops/quantized/rules, value by value.
#include "cpu/kernels/eltwise/quantized_pair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "ops/quantized/rules/d2.hpp"
#include "ops/quantized/rules/d2_up.hpp"
#include "ops/quantized/rules/f32.hpp"
#include "ops/quantized/rules/shared_shift.hpp"
#include "ops/quantized/rules/shifted_sum.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using Expected = std::function<std::int64_t(std::int32_t a, std::int32_t b)>;

constexpr std::int32_t kZeroA = 7;
constexpr std::int32_t kZeroB = -2;
constexpr ByteGrid kGrid{3, -128, 120};

// All pairs of i8, an odd number of them at a time.
void check(PairParams params, const Expected& expected) {
    params.type = ElementType::i8;
    params.zero_a = kZeroA;
    params.zero_b = kZeroB;
    params.grid = kGrid;
    test::on_every_target([&](const std::string&) {
        constexpr std::size_t kCount = 253;
        for (std::int32_t a = -128; a < 128; ++a) {
            const std::vector<std::int8_t> x(kCount, static_cast<std::int8_t>(a));
            std::vector<std::int8_t> y(kCount);
            for (std::size_t i = 0; i < kCount; ++i) {
                y[i] = static_cast<std::int8_t>(static_cast<std::int32_t>(i) - 127);
            }
            std::vector<std::int8_t> dst(kCount + 1, 85);
            quantized_pair(params, x.data(), y.data(), dst.data(), kCount);
            for (std::size_t i = 0; i < kCount; ++i) {
                const auto want =
                    std::clamp<std::int64_t>(expected(a, y[i]), kGrid.lowest, kGrid.highest);
                ASSERT_EQ(dst[i], want) << a << " and " << int{y[i]};
            }
            ASSERT_EQ(dst[kCount], 85);
        }
    });
}

// Random pairs of i16, those of the ends of its range among them, an odd number of them.
void check_words(PairParams params, const Expected& expected) {
    constexpr ByteGrid kWords{0, -32768, 32000};
    params.type = ElementType::i16;
    params.left = 15;
    params.grid = kWords;
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    constexpr std::size_t kCount = 4099;
    std::vector<std::int16_t> x{-32768, -32768, 32767, 32767};
    std::vector<std::int16_t> y{-32768, 32767, -32768, 32767};
    while (x.size() < kCount) {
        const int bits = static_cast<int>(rng() % 16);
        x.push_back(static_cast<std::int16_t>(static_cast<std::int16_t>(rng()) >> bits));
        y.push_back(static_cast<std::int16_t>(static_cast<std::int16_t>(rng()) >> (rng() % 16)));
    }
    test::on_every_target([&](const std::string&) {
        std::vector<std::int16_t> dst(kCount + 1, 8585);
        quantized_pair(params, x.data(), y.data(), dst.data(), kCount);
        for (std::size_t i = 0; i < kCount; ++i) {
            ASSERT_EQ(dst[i],
                      std::clamp<std::int64_t>(expected(x[i], y[i]), kWords.lowest, kWords.highest))
                << x[i] << " and " << y[i];
        }
        ASSERT_EQ(dst[kCount], 8585);
    });
}

ShiftedMultiplier shifted(double real, ProductRounding rounding) {
    const auto m = rules::quantize_multiplier(real);
    return shifted_multiplier({m.mantissa, m.exponent}, rounding);
}

TEST(QuantizedPair, ThreeProducts) {
    const auto rule = [](bool up, std::int64_t x, double real) {
        const auto m = rules::quantize_multiplier(real);
        const auto value = static_cast<std::int32_t>(x);
        return up ? rules::d2_up(value, m) : rules::d2(value, m);
    };
    const double by_a = 0.5;
    const double by_b = 0.13;
    const double by_sum = std::ldexp(1.4, -20);
    for (const std::int32_t sign : {1, -1}) {
        for (const bool up : {false, true}) {
            const auto rounding = up ? ProductRounding::kHalfUp : ProductRounding::kHalfAway;
            PairParams params;
            params.kind = PairKind::kThreeProducts;
            params.sign = sign;
            params.of_a = shifted(by_a, rounding);
            params.of_b = shifted(by_b, rounding);
            params.of_sum = shifted(by_sum, rounding);
            check(params, [&](std::int32_t a, std::int32_t b) {
                const std::int64_t first = rule(up, (a - kZeroA) * (1 << 20), by_a);
                const std::int64_t second = rule(up, (b - kZeroB) * (1 << 20), by_b);
                return rule(up, first + sign * second, by_sum) + kGrid.zero_point;
            });
        }
    }
}

TEST(QuantizedPair, ThreeProductsOfWords) {
    const double by_a = 0.5;
    const double by_b = 0.31;
    const double by_sum = std::ldexp(1.7, -15);
    const auto rule = [](std::int64_t x, double real) {
        return rules::d2(static_cast<std::int32_t>(x), rules::quantize_multiplier(real));
    };
    for (const std::int32_t sign : {1, -1}) {
        PairParams params;
        params.kind = PairKind::kThreeProducts;
        params.sign = sign;
        params.of_a = shifted(by_a, ProductRounding::kHalfAway);
        params.of_b = shifted(by_b, ProductRounding::kHalfAway);
        params.of_sum = shifted(by_sum, ProductRounding::kHalfAway);
        check_words(params, [&](std::int32_t a, std::int32_t b) {
            return rule(rule(a * (1 << 15), by_a) + sign * rule(b * (1 << 15), by_b), by_sum);
        });
    }
}

TEST(QuantizedPair, ShiftedSumsOfWords) {
    for (const int shift : {0, 1, 4, 15, 16, 31}) {
        for (const std::int32_t sign : {1, -1}) {
            for (const bool of_a : {false, true}) {
                PairParams params;
                params.kind = PairKind::kShiftedSum;
                params.sign = sign;
                params.shift_a = of_a ? shift : 0;
                params.shift_b = of_a ? 0 : shift;
                const rules::ShiftedSum sum{params.shift_a, params.shift_b};
                check_words(params,
                            [&](std::int32_t a, std::int32_t b) { return sum(a, b, sign); });
            }
        }
    }
}

TEST(QuantizedPair, ProductsOfWords) {
    const auto m = rules::quantize_multiplier(std::ldexp(1.3, -15));
    PairParams params;
    params.of_sum = shifted(std::ldexp(1.3, -15), ProductRounding::kHalfAway);
    check_words(params, [&](std::int32_t a, std::int32_t b) { return rules::d2(a * b, m); });
}

TEST(QuantizedPair, SharedShift) {
    const auto shift = rules::SharedShift::of(0.05F, 0.013F, 0.071F);
    PairParams params;
    params.kind = PairKind::kSharedShift;
    params.shift_a = static_cast<std::int32_t>(shift.a);
    params.shift_b = static_cast<std::int32_t>(shift.b);
    params.shift = shift.shift;
    check(params, [&](std::int32_t a, std::int32_t b) {
        return shift.sum(a - kZeroA, b - kZeroB) + kGrid.zero_point;
    });
}

TEST(QuantizedPair, RealSums) {
    PairParams params;
    params.kind = PairKind::kReal;
    params.real_a = 0.5F;
    params.real_b = -0.183F;
    params.offset = 1.5F;
    check(params, [&](std::int32_t a, std::int32_t b) {
        const float second = std::fma(static_cast<float>(b), -0.183F, 1.5F);
        return rules::to_integer(std::rint(std::fma(static_cast<float>(a), 0.5F, second)));
    });
}

TEST(QuantizedPair, Products) {
    const double real = 0.0078125;  // ties
    const auto m = rules::quantize_multiplier(real);
    const auto by = static_cast<float>(real);
    const auto run = [&](ProductRounding rounding, const Expected& of_product) {
        PairParams params;
        params.rounding = rounding;
        params.of_sum = shifted(real, rounding);
        params.real_a = by;
        check(params, [&](std::int32_t a, std::int32_t b) {
            return of_product((a - kZeroA) * (b - kZeroB), kGrid.zero_point);
        });
    };
    run(ProductRounding::kHalfAway,
        [&](std::int32_t x, std::int32_t zero) { return rules::d2(x, m) + zero; });
    run(ProductRounding::kHalfUp,
        [&](std::int32_t x, std::int32_t zero) { return rules::d2_up(x, m) + zero; });
    run(ProductRounding::kReal,
        [&](std::int32_t x, std::int32_t zero) { return rules::f32(x, by, zero); });
    run(ProductRounding::kRealZeroFirst,
        [&](std::int32_t x, std::int32_t zero) { return rules::f32_zero_first(x, by, zero); });
}

}  // namespace
}  // namespace fuseq::kernels
