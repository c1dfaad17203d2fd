// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/element_type.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace fuseq::test {
namespace {

// Value of a 16-bit float by its definition, in double.
double value_of(std::uint16_t bits, int exponent_bits) {
    const int mantissa_bits = 15 - exponent_bits;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
    const int mantissa = bits & ((1 << mantissa_bits) - 1);
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (exponent == (1 << exponent_bits) - 1) {
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    }
    if (exponent == 0) {
        return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
    }
    return sign * std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

template <class Half>
constexpr int kExponentBits = std::is_same_v<Half, Float16> ? 5 : 8;

template <class Half>
Half from_bits(std::uint16_t bits) {
    Half half;
    half.bits = bits;
    return half;
}

template <class Half>
void check_all_patterns() {
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const auto half = from_bits<Half>(static_cast<std::uint16_t>(bits));
        const auto value = static_cast<float>(half);
        const double expected = value_of(half.bits, kExponentBits<Half>);
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(value)) << bits;
            ASSERT_TRUE(std::isnan(static_cast<float>(Half(value)))) << bits;
            continue;
        }
        ASSERT_EQ(static_cast<double>(value), expected) << bits;
        ASSERT_EQ(std::signbit(value), std::signbit(expected)) << bits;
        ASSERT_EQ(Half(value).bits, half.bits) << bits;
    }
}

// Between neighbours a float goes to the nearer one, from the middle to the even one.
template <class Half>
void check_rounding() {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::uint16_t infinity = std::is_same_v<Half, Float16> ? 0x7c00 : 0x7f80;
    for (std::uint16_t bits = 0; bits + 1 < infinity; ++bits) {
        const double low = value_of(bits, kExponentBits<Half>);
        const double high = value_of(static_cast<std::uint16_t>(bits + 1), kExponentBits<Half>);
        const auto middle = static_cast<float>((low + high) / 2);
        if (static_cast<double>(middle) != (low + high) / 2) {
            continue;  // the middle of two float denormals is no float
        }
        const auto even = static_cast<std::uint16_t>(bits + (bits & 1));
        for (const float sign : {1.0f, -1.0f}) {
            const std::uint16_t mask = sign < 0 ? 0x8000 : 0;
            ASSERT_EQ(Half(sign * middle).bits, even | mask) << bits;
            ASSERT_EQ(Half(sign * std::nextafter(middle, 0.0f)).bits, bits | mask) << bits;
            ASSERT_EQ(Half(sign * std::nextafter(middle, kInfinity)).bits, (bits + 1) | mask)
                << bits;
        }
    }
}

TEST(Float16, EveryPatternReadsBack) {
    check_all_patterns<Float16>();
}
TEST(Float16, RoundsHalfToEven) {
    check_rounding<Float16>();
    EXPECT_EQ(Float16(65504.0f).bits, 0x7bff);
    EXPECT_EQ(Float16(65519.99f).bits, 0x7bff);
    EXPECT_EQ(Float16(65520.0f).bits, 0x7c00) << "half a step beyond the largest";
    EXPECT_EQ(Float16(-1e30f).bits, 0xfc00);
    EXPECT_EQ(Float16(1e-30f).bits, 0);
    EXPECT_EQ(Float16(-1e-30f).bits, 0x8000);
}

TEST(BFloat16, EveryPatternReadsBack) {
    check_all_patterns<BFloat16>();
}
TEST(BFloat16, RoundsHalfToEven) {
    check_rounding<BFloat16>();
    EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
    const auto nan = std::bit_cast<float>(0x7f800001u);  // its payload lies in the lower half
    EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(nan))));
}

TEST(ElementType, NamesReadBack) {
    for (const ElementType type :
         {element::boolean, element::u8, element::i8, element::u16, element::i16, element::u32,
          element::i32, element::u64, element::i64, element::f16, element::bf16, element::f32,
          element::f64, element::u1, element::u2, element::u4, element::i4, element::nf4}) {
        EXPECT_EQ(parse_element_type(to_string(type)), type);
        EXPECT_EQ(parse_element_type(to_ir_precision(type)), type);
        EXPECT_GT(bits_of(type), 0u);
        EXPECT_EQ(is_packed(type), bits_of(type) < 8);
        EXPECT_FALSE(is_packed(unpacked_type(type)));
    }
    EXPECT_EQ(parse_element_type("fp32"), element::f32);
    EXPECT_EQ(parse_element_type("undefined"), std::nullopt);
    EXPECT_EQ(parse_element_type("BIN"), element::u1);
    EXPECT_EQ(parse_element_type("f8e4m3"), std::nullopt);
    EXPECT_EQ(parse_element_type(""), std::nullopt);
    EXPECT_EQ(size_of(element::undefined), 0u);
}

TEST(ElementType, Kinds) {
    EXPECT_TRUE(is_real(element::bf16));
    EXPECT_FALSE(is_real(element::i64));
    EXPECT_TRUE(is_integral(element::u8));
    EXPECT_FALSE(is_integral(element::boolean));
    EXPECT_FALSE(is_integral(element::f32));
    EXPECT_TRUE(is_signed(element::i16));
    EXPECT_FALSE(is_signed(element::u16));
    EXPECT_TRUE(is_signed(element::f16));
    for (const ElementType type : {element::u1, element::u2, element::u4, element::i4}) {
        EXPECT_TRUE(is_integral(type));
        EXPECT_FALSE(is_real(type));
        EXPECT_EQ(is_signed(type), type == element::i4);
    }
    EXPECT_TRUE(is_real(element::nf4));
    EXPECT_FALSE(is_integral(element::nf4));
}

}  // namespace
}  // namespace fuseq::test
