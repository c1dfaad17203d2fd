// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers by hand, on every instruction set. Random tensors against the reference kernels:
// unit/cpu/lowering/make_quantized_average_test.cpp.
#include "cpu/kernels/reduce/quantized_average.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Of two pixels with one value in all of 19 channels each.
int average_of_two(const QuantizedAverageParams& params, int a, int b) {
    const Bytes first(19, static_cast<std::uint8_t>(a));
    const Bytes second(19, static_cast<std::uint8_t>(b));
    const std::uint8_t* const pixels[] = {first.data(), second.data()};
    Bytes dst(19);
    quantized_average(params, pixels, 2, 19, dst.data());
    EXPECT_EQ(dst, Bytes(19, dst[0])) << "the last channels as those of whole vectors";
    return params.is_signed ? static_cast<std::int8_t>(dst[0]) : dst[0];
}

TEST(QuantizedAverage, HalvesByHand) {
    fuseq::test::on_every_target([](const std::string&) {
        QuantizedAverageParams p;
        p.rounding = AverageRounding::kRawHalfAway;
        EXPECT_EQ(average_of_two(p, 4, 5), 5);
        p.rounding = AverageRounding::kHalfEven;
        EXPECT_EQ(average_of_two(p, 4, 5), 4);
        EXPECT_EQ(average_of_two(p, 5, 6), 6);
        p.rounding = AverageRounding::kHalfAway;
        EXPECT_EQ(average_of_two(p, 4, 5), 5);
        // 4.5 + 3 = 7.5, to the even number.
        p.dst_zero_point = 3;
        p.rounding = AverageRounding::kZeroFirst;
        EXPECT_EQ(average_of_two(p, 4, 5), 8);
        p.rounding = AverageRounding::kHalfEven;
        EXPECT_EQ(average_of_two(p, 4, 5), 7);
    });
}

TEST(QuantizedAverage, SignedOnesByHand) {
    fuseq::test::on_every_target([](const std::string&) {
        QuantizedAverageParams p{.is_signed = true, .lowest = -128, .highest = 127};
        p.rounding = AverageRounding::kRawHalfAway;
        EXPECT_EQ(average_of_two(p, -4, -5), -5);
        p.rounding = AverageRounding::kHalfAway;
        EXPECT_EQ(average_of_two(p, -4, -5), -5);
        p.rounding = AverageRounding::kHalfEven;
        EXPECT_EQ(average_of_two(p, -4, -5), -4);
        // (-4.5 + 10) * 0.5 / 0.25 - 20 = -9
        p.src_zero_point = -10;
        p.src_scale = 0.5f;
        p.dst_scale = 0.25f;
        p.dst_zero_point = -20;
        EXPECT_EQ(average_of_two(p, -4, -5), -9);
        p.lowest = -5;
        EXPECT_EQ(average_of_two(p, -4, -5), -5);
        p.lowest = -128;
        p.dst_scale = 1e-9f;
        EXPECT_EQ(average_of_two(p, -4, -5), 127) << "far above";
    });
}

}  // namespace
}  // namespace fuseq::kernels
