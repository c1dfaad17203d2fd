// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/lrn.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

struct Sizes {
    std::size_t outer, length, inner, reach;
};
constexpr Sizes kSizes[] = {{3, 1, 1, 2},    {5, 7, 1, 2},       {70, 64, 1, 2}, {2, 96, 1, 200},
                            {1, 5000, 1, 3}, {1, 3001, 1, 1024}, {2, 9, 5, 1},   {1, 33, 17, 2},
                            {3, 4, 64, 7},   {2, 130, 49, 0},    {1, 1, 20, 3},  {2, 21, 1, 10}};

double window_sum(const std::vector<double>& terms, const Sizes& s, std::size_t i) {
    const std::size_t at = i / s.inner % s.length;
    double sum = 0;
    for (std::size_t n = 0; n < s.length; ++n) {
        if (n <= at + s.reach && at <= n + s.reach) {
            sum += terms[i - at * s.inner + n * s.inner];
        }
    }
    return sum;
}

LrnParams params_of(const Sizes& s, std::mt19937& rng) {
    constexpr float kBetas[] = {0.75f, 0.5f, 1.0f, 0.25f, 0.6f, 2.0f, -0.3f};
    LrnParams p;
    p.length = s.length;
    p.inner = s.inner;
    p.reach = s.reach;
    p.share = 0.25f * static_cast<float>(rng() % 4) / static_cast<float>(2 * s.reach + 1);
    p.bias = 0.5f + 0.5f * static_cast<float>(rng() % 4);
    p.beta = kBetas[rng() % std::size(kBetas)];
    return p;
}

TEST(Lrn, CloseToDoublesAndTheSameOnEveryTarget) {
    std::map<unsigned, std::vector<float>> seen;
    on_every_target([&](const std::string&) {
        for (unsigned seed = 0; seed < 10 * std::size(kSizes); ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            const Sizes& s = kSizes[seed % std::size(kSizes)];
            std::mt19937 rng(seed);
            const LrnParams p = params_of(s, rng);
            check_lrn(p);
            const std::size_t count = s.outer * s.length * s.inner;
            const auto x = test::random_floats(rng, count, -4.0f, 4.0f);
            const bool given = rng() % 3 == 0;  // sums of an earlier pass
            const auto sums = test::random_floats(rng, count, 0.0f, 16.0f);
            std::vector<float> dst(count, -77.0f);
            const std::size_t cut = rng() % (s.inner == 1 ? s.outer : s.inner);
            const float* earlier = given ? sums.data() : nullptr;
            if (s.inner == 1) {
                lrn(p, x.data(), earlier, dst.data(), {0, cut}, {0, 1});
                lrn(p, x.data(), earlier, dst.data(), {cut, s.outer}, {0, 1});
            } else {
                lrn(p, x.data(), earlier, dst.data(), {0, s.outer}, {0, cut});
                lrn(p, x.data(), earlier, dst.data(), {0, s.outer}, {cut, s.inner});
            }
            std::vector<double> terms(count);
            for (std::size_t i = 0; i < count; ++i) {
                terms[i] = given ? sums[i] : static_cast<double>(x[i]) * x[i];
            }
            for (std::size_t i = 0; i < count; ++i) {
                const double base = p.bias + p.share * window_sum(terms, s, i);
                const double want = x[i] * std::pow(base, -static_cast<double>(p.beta));
                ASSERT_NEAR(dst[i], want, 2e-6 * std::max(0.1, std::abs(want))) << "at " << i;
            }
            const auto [at, added] = seen.try_emplace(seed, dst);
            EXPECT_EQ(at->second, dst);
        }
    });
}

TEST(Lrn, KnownNumbers) {
    on_every_target([](const std::string&) {
        const LrnParams p{.length = 3, .reach = 1, .share = 1.0f, .bias = 1.0f, .beta = 1.0f};
        const float x[] = {1, 2, 3};
        float dst[3] = {};
        lrn(p, x, nullptr, dst, {0, 1}, {0, 1});
        EXPECT_THAT(dst, testing::ElementsAre(1.0f / 6, 2 * (1.0f / 15), 3 * (1.0f / 14)));
    });
}

TEST(Lrn, SumsOfWindows) {
    on_every_target([](const std::string&) {
        const float x[] = {1, -2, 3, 4};
        float dst[4] = {};
        const LrnParams rows{.length = 4, .reach = 1};
        window_sums(rows, true, x, dst, {0, 1}, {0, 1});
        EXPECT_THAT(dst, testing::ElementsAre(5, 14, 29, 25));
        const LrnParams columns{.length = 2, .inner = 2, .reach = 1};
        window_sums(columns, false, x, dst, {0, 1}, {0, 2});
        EXPECT_THAT(dst, testing::ElementsAre(4, 2, 4, 2));
    });
}

TEST(Lrn, QuantizesAfter) {
    on_every_target([](const std::string&) {
        // 40 / (1 + 0)^b = 40; -> round half to even and saturate.
        LrnParams p{.length = 4, .inner = 1, .reach = 0, .share = 0.0f};
        p.scale = 0.5f;
        p.shift = 10.0f;
        const float x[] = {41, 43, 1000, -1000};
        std::uint8_t u8[4] = {};
        p.dst_type = ElementType::u8;
        lrn(p, x, nullptr, u8, {0, 1}, {0, 1});
        EXPECT_THAT(u8, testing::ElementsAre(30, 32, 255, 0));
        std::int8_t i8[4] = {};
        p.dst_type = ElementType::i8;
        lrn(p, x, nullptr, i8, {0, 1}, {0, 1});
        EXPECT_THAT(i8, testing::ElementsAre(30, 32, 127, -128));
    });
}

TEST(Lrn, Refuses) {
    const auto expect_refused = [](LrnParams p, const char* text) {
        EXPECT_THAT([&] { check_lrn(p); }, testing::ThrowsMessage<Error>(testing::HasSubstr(text)));
    };
    expect_refused({.length = 0}, "length 0, inner size 1");
    expect_refused({.length = 5000, .reach = 1025}, "reach 1025 elements far, at most 1024");
    expect_refused({.length = 5, .bias = 0.0f}, "bias 0, share 0");
    expect_refused({.length = 5, .share = -1.0f}, "bias 1, share -1");
    expect_refused({.length = 5, .dst_type = ElementType::i32}, "f32 to i32");
}

}  // namespace
}  // namespace fuseq::kernels
