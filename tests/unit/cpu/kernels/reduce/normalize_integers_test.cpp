// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/normalize_integers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;

ColumnSums& clear(ColumnSums& sums) {
    std::fill(std::begin(sums.sums), std::end(sums.sums), 0);
    std::fill(std::begin(sums.squares), std::end(sums.squares), 0);
    return sums;
}

// Rows [0, cut) and [cut, length), one after the other.
void run(const NormalizeParams& p, const Bytes& src, std::size_t cut, Bytes& dst) {
    const auto total = std::make_unique<ColumnSums>();
    const auto found = std::make_unique<ColumnSums>();
    const auto factors = std::make_unique<ColumnFactors>();
    clear(*total);
    for (const Range rows : {Range{0, cut}, Range{cut, p.length}}) {
        sum_columns(p, src.data(), rows, *found);
        add_sums(p, *found, *total);
    }
    factors_of(p, *total, *factors);
    for (const Range rows : {Range{0, cut}, Range{cut, p.length}}) {
        normalize_rows(p, *factors, src.data(), dst.data(), rows);
    }
}

struct Expected {
    double mean = 0;
    double variance = 0;
};

Expected expected(const NormalizeParams& p, const Bytes& src, std::size_t column) {
    Expected e;
    const auto count = static_cast<double>(p.length);
    for (std::size_t r = 0; r < p.length; ++r) {
        e.mean += test::element(src, p.src_type, r * p.inner + column) / count;
    }
    for (std::size_t r = 0; r < p.length; ++r) {
        e.variance +=
            std::pow(test::element(src, p.src_type, r * p.inner + column) - e.mean, 2) / count;
    }
    return e;
}

TEST(NormalizeIntegers, SumsAreExact) {
    test::on_every_target([](const std::string&) {
        // 700 times the largest square is beyond what a float holds exactly.
        const NormalizeParams p{.length = 700, .inner = 19, .src_type = ElementType::u8};
        const Bytes src(p.length * p.inner, 255);
        const auto found = std::make_unique<ColumnSums>();
        sum_columns(p, src.data(), {0, p.length}, *found);
        for (std::size_t c = 0; c < p.inner; ++c) {
            EXPECT_EQ(found->sums[c], 700 * 255);
            EXPECT_EQ(found->squares[c], 700 * 255 * 255);
        }
    });
}

TEST(NormalizeIntegers, CloseToDoublesAndTheSameForEverySplit) {
    std::map<unsigned, Bytes> seen;
    test::on_every_target([&](const std::string&) {
        for (unsigned seed = 0; seed < 60; ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            std::mt19937 rng(seed);
            NormalizeParams p{.length = 1 + rng() % 600, .inner = 1 + rng() % 70};
            p.epsilon = 0.5f;
            p.epsilon_outside = rng() % 3 == 0;
            p.normalize_variance = rng() % 4 != 0;
            p.src_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
            p.dst_type = test::random_type(rng);
            const auto gamma = test::random_floats(rng, rng() % 3 == 0 ? 1 : p.inner, 1.0f, 40.0f);
            const auto beta = test::random_floats(rng, rng() % 3 == 0 ? 0 : p.inner, 0.0f, 90.0f);
            p.gamma = gamma;
            p.beta = beta;
            ASSERT_TRUE(takes_integers(p));
            const Bytes src = test::random_elements(rng, p.src_type, p.length * p.inner);
            Bytes dst(p.length * p.inner * size_of(p.dst_type), 0xA5);
            run(p, src, rng() % (p.length + 1), dst);
            Bytes whole = dst;
            run(p, src, 0, whole);
            EXPECT_EQ(dst, whole);
            EXPECT_EQ(seen.try_emplace(seed, dst).first->second, dst);
            std::vector<Expected> columns;
            for (std::size_t c = 0; c < p.inner; ++c) {
                columns.push_back(expected(p, src, c));
            }
            for (std::size_t i = 0; i < p.length * p.inner; ++i) {
                const std::size_t c = i % p.inner;
                const Expected& e = columns[c];
                const double divisor = !p.normalize_variance ? 1.0
                                       : p.epsilon_outside   ? std::sqrt(e.variance) + 0.5
                                                             : std::sqrt(e.variance + 0.5);
                const double v = (test::element(src, p.src_type, i) - e.mean) / divisor *
                                     gamma[gamma.size() > 1 ? c : 0] +
                                 (beta.empty() ? 0.0f : beta[c]);
                const bool f32 = p.dst_type == ElementType::f32;
                const double low = p.dst_type == ElementType::u8 ? 0.0 : -128.0;
                const double high = p.dst_type == ElementType::u8 ? 255.0 : 127.0;
                ASSERT_NEAR(test::element(dst, p.dst_type, i), f32 ? v : std::clamp(v, low, high),
                            f32 ? 2e-3 : 0.502);
            }
        }
    });
}

// A column of 0, 2, 0, 2, ... is -1, 1, -1, 1, ... when normalised; times 40: -40 and 40.
TEST(NormalizeIntegers, SlopeShiftAndBoundsBeforeTheStore) {
    test::on_every_target([](const std::string&) {
        constexpr std::size_t kColumns = 37;
        NormalizeParams p{.length = 6, .inner = kColumns, .epsilon = 0};
        p.src_type = ElementType::u8;
        p.dst_type = ElementType::u8;
        Bytes src(p.length * p.inner);
        std::vector<float> slope(kColumns);
        for (std::size_t i = 0; i < src.size(); ++i) {
            src[i] = i / kColumns % 2 == 0 ? 0 : 2;
        }
        for (std::size_t c = 0; c < kColumns; ++c) {
            slope[c] = static_cast<float>(c % 5) / 4;
        }
        const std::vector<float> gamma = {40};
        p.gamma = gamma;
        p.slope = slope;
        p.shift = 31;
        p.low = 3;
        p.high = 70;
        check_normalize(p);
        Bytes dst(src.size());
        run(p, src, 3, dst);
        for (std::size_t i = 0; i < dst.size(); ++i) {
            // -40 by 0, 1/4, 1/2, 3/4 and 1, plus 31: 31, 21, 11, 1 and -9; nothing below 3.
            constexpr int kNegative[] = {31, 21, 11, 3, 3};
            EXPECT_EQ(dst[i], i / kColumns % 2 == 0 ? kNegative[i % kColumns % 5] : 70) << i;
        }
    });
}

TEST(NormalizeIntegers, Takes) {
    NormalizeParams p{.length = 4, .inner = kMaxIntegerColumns, .src_type = ElementType::i8};
    EXPECT_TRUE(takes_integers(p));
    p.src_type = ElementType::f32;
    EXPECT_FALSE(takes_integers(p));
    p.src_type = ElementType::u8;
    p.inner = kMaxIntegerColumns + 1;
    EXPECT_FALSE(takes_integers(p));
}

}  // namespace
}  // namespace fuseq::kernels
