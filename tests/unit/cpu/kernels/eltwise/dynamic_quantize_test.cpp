// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Against std::nearbyint, value by value; the range against std::minmax_element.
#include "cpu/kernels/eltwise/dynamic_quantize.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

TEST(DynamicQuantizeKernel, EqualsTheFormulaOnEveryTarget) {
    test::on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 100; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            std::mt19937 rng(seed);
            std::vector<float> src(rng() % 100);
            // Multiples of a quarter of the scale: many ties.
            const float scale = std::ldexp(1.0F + static_cast<float>(rng() % 8) / 8, -3);
            const auto zero = static_cast<std::uint8_t>(rng());
            for (float& x : src) {
                x = scale * 0.25F * static_cast<float>(static_cast<int>(rng() % 2400) - 1200);
            }
            std::vector<std::uint8_t> dst(src.size() + 1, 0xA5);
            quantize_to_u8(src.data(), src.size(), scale, zero, dst.data());
            for (std::size_t i = 0; i < src.size(); ++i) {
                const float step = std::nearbyint(src[i] / scale) + zero;
                ASSERT_EQ(dst[i], std::clamp(step, 0.0F, 255.0F)) << "element " << i;
            }
            ASSERT_EQ(dst.back(), 0xA5);
            const auto signed_zero = static_cast<std::int8_t>(zero);
            std::vector<std::int8_t> signed_dst(src.size() + 1, 0x5A);
            quantize_to_i8(src.data(), src.size(), scale, signed_zero, signed_dst.data());
            for (std::size_t i = 0; i < src.size(); ++i) {
                const float step = std::nearbyint(src[i] / scale) + signed_zero;
                ASSERT_EQ(signed_dst[i], std::clamp(step, -128.0F, 127.0F)) << "element " << i;
            }
            ASSERT_EQ(signed_dst.back(), 0x5A);
            src.push_back(0.0F);
            const auto [min, max] = std::minmax_element(src.begin(), src.end());
            const ValueRange range = value_range(src.data(), src.size() - 1);
            ASSERT_EQ(range.min, *min);
            ASSERT_EQ(range.max, *max);
        }
    });
}

TEST(DynamicQuantizeKernel, NanAndInfinityAreTaken) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> src(67, kNan);
    src[40] = -kInfinity;
    src[41] = 1e30F;
    test::on_every_target([&](const std::string&) {
        const ValueRange range = value_range(src.data(), src.size());
        EXPECT_EQ(range.min, -kInfinity);
        EXPECT_EQ(range.max, 1e30F);
        std::vector<std::uint8_t> dst(src.size());
        quantize_to_u8(src.data(), src.size(), 0.5F, 100, dst.data());
        EXPECT_EQ(dst[0], 0);
        EXPECT_EQ(dst[40], 0);
        EXPECT_EQ(dst[41], 255);
        EXPECT_EQ(dst[66], 0);
    });
}

}  // namespace
}  // namespace fuseq::kernels
