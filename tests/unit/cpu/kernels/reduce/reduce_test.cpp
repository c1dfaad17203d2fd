// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/reduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

struct Sizes {
    std::size_t outer, length, inner;
};
constexpr Sizes kSizes[] = {{3, 1, 1},    {2, 7, 1},   {2, 16, 1}, {3, 49, 1},
                            {1, 2049, 1}, {2, 1, 5},   {2, 3, 2},  {1, 63, 17},
                            {2, 130, 7},  {1, 65, 33}, {2, 4, 64}, {1, 1000, 3}};
constexpr Reduction kKinds[] = {Reduction::kSum, Reduction::kMean, Reduction::kMax,
                                Reduction::kMin, Reduction::kL1,   Reduction::kL2};

// Element i of column (o, c).
double element(const std::vector<float>& x, const Sizes& s, std::size_t column, std::size_t i) {
    return x[(column / s.inner * s.length + i) * s.inner + column % s.inner];
}

double reduced(const std::vector<float>& x, const Sizes& s, std::size_t column, Reduction kind) {
    double sum = 0, absolutes = 0, squares = 0;
    double max = -std::numeric_limits<double>::infinity(), min = -max;
    for (std::size_t i = 0; i < s.length; ++i) {
        const double v = element(x, s, column, i);
        sum += v;
        absolutes += std::abs(v);
        squares += v * v;
        max = std::max(max, v);
        min = std::min(min, v);
    }
    switch (kind) {
        case Reduction::kSum: return sum;
        case Reduction::kMean: return sum / static_cast<double>(s.length);
        case Reduction::kMax: return max;
        case Reduction::kMin: return min;
        case Reduction::kL1: return absolutes;
        default: return std::sqrt(squares);
    }
}

TEST(Reduce, CloseToDoublesAndTheSameOnEveryTarget) {
    std::map<std::size_t, std::vector<float>> seen;
    on_every_target([&](const std::string&) {
        std::size_t key = 0;
        for (const Sizes& s : kSizes) {
            std::mt19937 rng(static_cast<unsigned>(s.length * 100 + s.inner));
            const auto src = test::random_floats(rng, s.outer * s.length * s.inner, -1.0f, 3.0f);
            for (const Reduction kind : kKinds) {
                const ReduceParams params{kind, s.length, s.inner};
                check_reduce(params);
                std::vector<float> dst(s.outer * s.inner, -77.0f);
                reduce(params, src.data(), dst.data(), {0, s.outer}, {0, s.inner});
                for (std::size_t i = 0; i < dst.size(); ++i) {
                    const double want = reduced(src, s, i, kind);
                    const double scale = reduced(src, s, i, Reduction::kL1) + 1e-3;
                    ASSERT_NEAR(dst[i], want, 1e-6 * std::max(scale, std::abs(want)))
                        << "sizes " << s.outer << 'x' << s.length << 'x' << s.inner << " kind "
                        << static_cast<int>(kind) << " at " << i;
                }
                const auto [at, added] = seen.try_emplace(key++, dst);
                EXPECT_EQ(at->second, dst);
            }
        }
    });
}

TEST(Reduce, PartsGiveTheSameAsTheWhole) {
    const Sizes s{3, 70, 45};
    std::mt19937 rng(5);
    const auto src = test::random_floats(rng, s.outer * s.length * s.inner, -2.0f, 2.0f);
    const ReduceParams params{Reduction::kSum, s.length, s.inner};
    std::vector<float> whole(s.outer * s.inner);
    reduce(params, src.data(), whole.data(), {0, 3}, {0, 45});
    std::vector<float> parts(whole.size());
    reduce(params, src.data(), parts.data(), {0, 1}, {0, 45});
    reduce(params, src.data(), parts.data(), {1, 3}, {0, 11});
    reduce(params, src.data(), parts.data(), {1, 3}, {11, 45});
    EXPECT_EQ(whole, parts);
}

TEST(Reduce, NotANumberIsPassedOverByMaxAndMin) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> src(40, 1.0f);
    src[3] = nan;
    src[17] = 2.0f;
    src[39] = nan;
    float dst = 0;
    reduce({Reduction::kMax, 40, 1}, src.data(), &dst, {0, 1}, {0, 1});
    EXPECT_EQ(dst, 2.0f);
    reduce({Reduction::kMin, 40, 1}, src.data(), &dst, {0, 1}, {0, 1});
    EXPECT_EQ(dst, 1.0f);
    reduce({Reduction::kSum, 40, 1}, src.data(), &dst, {0, 1}, {0, 1});
    EXPECT_TRUE(std::isnan(dst));
}

TEST(Reduce, Refuses) {
    EXPECT_THROW(check_reduce({Reduction::kSum, 0, 1}), Error);
    EXPECT_THROW(check_normalize({.length = 4, .inner = 0}), Error);
    NormalizeParams params{.length = 4, .inner = 3};
    params.src_type = ElementType::i32;
    EXPECT_THAT([&] { check_normalize(params); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("i32 to f32")));
    params.src_type = ElementType::u8;
    const std::vector<float> two(2);
    params.beta = two;
    EXPECT_THAT([&] { check_normalize(params); },
                testing::ThrowsMessage<Error>(
                    testing::HasSubstr("0 gammas, 2 betas, 0 slopes for 3 columns")));
}

// Columns {0, 2} and {4, 0} are -1 and 1, 1 and -1 when normalised; times 10, plus 1: -9 and 11.
TEST(Normalize, SlopeShiftAndBoundsAfterGammaAndBeta) {
    on_every_target([](const std::string&) {
        const std::vector<float> src = {0, 4, 2, 0};
        const std::vector<float> gamma = {10};
        const std::vector<float> beta = {1};
        const std::vector<float> slope = {0.5f, -1};
        NormalizeParams params{.length = 2, .inner = 2, .epsilon = 0};
        params.gamma = gamma;
        params.beta = beta;
        std::vector<float> dst(4);
        const auto run = [&] {
            check_normalize(params);
            normalize(params, src.data(), dst.data(), {0, 1}, {0, 2});
            return dst;
        };
        EXPECT_EQ(run(), (std::vector<float>{-9, 11, 11, -9}));
        params.slope = slope;
        EXPECT_EQ(run(), (std::vector<float>{-4.5f, 11, 11, 9}));
        params.shift = 2;
        EXPECT_EQ(run(), (std::vector<float>{-2.5f, 13, 13, 11}));
        params.low = -2;
        params.high = 12;
        EXPECT_EQ(run(), (std::vector<float>{-2, 12, 12, 11}));
    });
}

// Any types, gammas and betas; in parts. Half a unit of the result, and what f32 loses.
TEST(Normalize, IntegersToIntegers) {
    std::map<unsigned, Bytes> seen;
    on_every_target([&](const std::string&) {
        for (unsigned seed = 0; seed < 60; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const Sizes s{1 + rng() % 2, 1 + rng() % 150, 2 + rng() % 40};
            NormalizeParams p{.length = s.length, .inner = s.inner, .epsilon = 0.5f};
            p.src_type = test::random_type(rng);
            p.dst_type = test::random_type(rng);
            const auto gamma = test::random_floats(rng, rng() % 3 == 0 ? 1 : s.inner, 1.0f, 40.0f);
            const auto beta = test::random_floats(rng, rng() % 3 == 0 ? 0 : s.inner, 0.0f, 90.0f);
            p.gamma = gamma;
            p.beta = beta;
            check_normalize(p);
            const std::size_t count = s.outer * s.length * s.inner;
            std::vector<float> values(count);
            Bytes src(count * size_of(p.src_type));
            for (std::size_t i = 0; i < count; ++i) {
                const auto v = static_cast<float>(rng() % 128);
                test::set_element(src, p.src_type, i, v);
                values[i] = v;
            }
            Bytes dst(count * size_of(p.dst_type), 0xA5);
            const std::size_t cut = rng() % s.inner;
            normalize(p, src.data(), dst.data(), {0, s.outer}, {0, cut});
            normalize(p, src.data(), dst.data(), {0, s.outer}, {cut, s.inner});
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t c = i % s.inner;
                const std::size_t column = i / (s.length * s.inner) * s.inner + c;
                const double mean = reduced(values, s, column, Reduction::kMean);
                double variance = 0;
                for (std::size_t k = 0; k < s.length; ++k) {
                    variance += std::pow(element(values, s, column, k) - mean, 2) /
                                static_cast<double>(s.length);
                }
                const double v = (values[i] - mean) / std::sqrt(variance + 0.5) *
                                     gamma[gamma.size() > 1 ? c : 0] +
                                 (beta.empty() ? 0.0f : beta[c]);
                const bool f32 = p.dst_type == ElementType::f32;
                const double low = p.dst_type == ElementType::u8 ? 0.0 : -128.0;
                const double high = p.dst_type == ElementType::u8 ? 255.0 : 127.0;
                ASSERT_NEAR(test::element(dst, p.dst_type, i), f32 ? v : std::clamp(v, low, high),
                            f32 ? 2e-3 : 0.502);
            }
            EXPECT_EQ(seen.try_emplace(seed, dst).first->second, dst);
        }
    });
}

TEST(Normalize, CloseToDoublesAndTheSameOnEveryTarget) {
    std::map<std::size_t, std::vector<float>> seen;
    on_every_target([&](const std::string&) {
        std::size_t key = 0;
        for (const Sizes& s : kSizes) {
            for (const int mode : {0, 1, 2}) {
                std::mt19937 rng(static_cast<unsigned>(s.length * 100 + s.inner));
                auto data = test::random_floats(rng, s.outer * s.length * s.inner, 3.0f, 9.0f);
                const auto src = data;
                const NormalizeParams params{s.length, s.inner, 0.25f, mode == 1, mode != 2};
                check_normalize(params);
                normalize(params, data.data(), data.data(), {0, s.outer}, {0, s.inner});
                for (std::size_t column = 0; column < s.outer * s.inner; ++column) {
                    const double mean = reduced(src, s, column, Reduction::kMean);
                    double variance = 0;
                    for (std::size_t i = 0; i < s.length; ++i) {
                        const double d = element(src, s, column, i) - mean;
                        variance += d * d / static_cast<double>(s.length);
                    }
                    const double divisor = mode == 0   ? std::sqrt(variance + 0.25)
                                           : mode == 1 ? std::sqrt(variance) + 0.25
                                                       : 1.0;
                    for (std::size_t i = 0; i < s.length; ++i) {
                        ASSERT_NEAR(element(data, s, column, i),
                                    (element(src, s, column, i) - mean) / divisor, 5e-6);
                    }
                }
                const auto [at, added] = seen.try_emplace(key++, data);
                EXPECT_EQ(at->second, data);
            }
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
