// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/half_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace fuseq::kernels {
namespace {

// The number that the bits of a finite half mean.
float value_of(unsigned half) {
    const unsigned exponent = half >> 10u & 31u;
    const unsigned mantissa = half & 1023u;
    const double size = exponent == 0
                            ? std::ldexp(mantissa, -24)
                            : std::ldexp(mantissa + 1024, static_cast<int>(exponent) - 25);
    return static_cast<float>((half & 0x8000u) != 0 ? -size : size);
}

TEST(HalfMatrixTest, EveryHalfIsFound) {
    for (unsigned half = 0; half < 0x10000u; ++half) {
        if ((half & 0x7c00u) != 0x7c00u) {
            ASSERT_EQ(half_of(value_of(half)), half);
        }
    }
}

TEST(HalfMatrixTest, OtherNumbersAreNone) {
    for (unsigned half = 0; half < 0x7c00u; ++half) {
        const float value = value_of(half);
        EXPECT_EQ(half_of(std::nextafter(value, 1e9f)), std::nullopt) << half;
        EXPECT_EQ(half_of(-std::nextafter(value, 1e9f)), std::nullopt) << half;
        EXPECT_FALSE(are_halves(std::vector<float>{value, std::nextafter(value, 1e9f)})) << half;
        EXPECT_TRUE(are_halves(std::vector<float>{value, -value, -0.0f})) << half;
    }
    for (const float value :
         {65536.0f, 65520.0f, std::numeric_limits<float>::infinity(),
          std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::denorm_min(),
          std::ldexp(1.0f, -25), std::ldexp(3.0f, -25)}) {
        EXPECT_EQ(half_of(value), std::nullopt) << value;
        EXPECT_FALSE(are_halves(std::vector<float>(20, value))) << value;
    }
    EXPECT_TRUE(are_halves(std::vector<float>{0.5f, -65504.0f}));
    EXPECT_FALSE(are_halves(std::vector<float>{0.5f, 0.1f}));
}

struct Problem {
    std::vector<float> src, wei, bias;  // wei: [channels][depth]
    std::size_t channels = 0;
};

Problem random_problem(std::size_t depth, std::size_t channels) {
    std::mt19937 rng(static_cast<unsigned>(depth * 100 + channels));
    Problem p{std::vector<float>(depth), std::vector<float>(depth * channels),
              std::vector<float>(channels), channels};
    std::uniform_real_distribution<float> values(-3.0f, 3.0f);
    for (float& v : p.src) {
        v = values(rng);
    }
    for (float& v : p.wei) {
        unsigned half = rng() & 0xffffu;
        half = (half & 0x7c00u) == 0x7c00u ? half & 0x83ffu : half;
        v = value_of(half);
    }
    for (float& v : p.bias) {
        v = values(rng);
    }
    return p;
}

std::vector<float> expected(const Problem& p, bool with_bias) {
    std::vector<float> dst(p.channels);
    for (std::size_t n = 0; n < p.channels; ++n) {
        float sum = 0;
        for (std::size_t first = 0; first < p.src.size(); first += 1024) {
            float acc = 0;
            for (std::size_t k = first; k < std::min(first + 1024, p.src.size()); ++k) {
                acc = std::fma(p.src[k], p.wei[n * p.src.size() + k], acc);
            }
            sum = first == 0 ? acc : sum + acc;
        }
        dst[n] = with_bias ? sum + p.bias[n] : sum;
    }
    return dst;
}

TEST(HalfMatrixTest, SumsBlocksOfTheDepthOneAfterTheOther) {
    if (!HalfMatrix::available()) {
        GTEST_SKIP() << "no AVX-512 VNNI";
    }
    for (const std::size_t depth : {1, 7, 1024, 2500}) {
        for (const std::size_t channels : {1, 16, 17, 63, 64, 65, 200}) {
            SCOPED_TRACE(std::to_string(depth) + " by " + std::to_string(channels));
            const Problem p = random_problem(depth, channels);
            std::vector<float> turned(p.wei.size());  // [depth][channels]
            for (std::size_t i = 0; i < turned.size(); ++i) {
                turned[i % depth * channels + i / depth] = p.wei[i];
            }
            HalfMatrix rows(depth, channels);
            rows.pack(p.wei, true);
            HalfMatrix columns(depth, channels);
            columns.pack(turned, false);
            for (const bool with_bias : {false, true}) {
                const std::vector<float> want = expected(p, with_bias);
                for (const HalfMatrix* matrix : {&rows, &columns}) {
                    std::vector<float> got(channels + 1, -7.0f);
                    for (std::size_t b = matrix->blocks(); b-- > 0;) {
                        matrix->run(p.src.data(), with_bias ? p.bias.data() : nullptr, got.data(),
                                    {b, b + 1});
                    }
                    EXPECT_EQ(got.back(), -7.0f);
                    got.pop_back();
                    EXPECT_EQ(std::memcmp(got.data(), want.data(), channels * sizeof(float)), 0);
                }
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
