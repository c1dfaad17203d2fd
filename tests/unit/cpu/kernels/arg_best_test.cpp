// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/arg_best.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "elements.hpp"
#include "fuseq/error.hpp"
#include "on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::on_every_target;

TEST(ArgBest, MatchesPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 80; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const ArgBestParams p{1 + rng() % 30, 1 + rng() % 70, seed % 2 == 0};
            std::vector<float> src(p.size * p.inner);
            for (float& v : src) {  // few different ones: most are equal to others
                v = static_cast<float>(static_cast<int>(rng() % 7) - 3);
            }
            std::vector<float> values(p.inner, -77.0f);
            std::vector<std::int32_t> indices(p.inner, -77);
            const std::size_t cut = rng() % (p.inner + 1);
            arg_best(p, src.data(), values.data(), indices.data(), {0, cut});
            arg_best(p, src.data(), values.data(), indices.data(), {cut, p.inner});
            for (std::size_t c = 0; c < p.inner; ++c) {
                std::size_t best = 0;
                for (std::size_t i = 1; i < p.size; ++i) {
                    const float now = src[i * p.inner + c];
                    const float then = src[best * p.inner + c];
                    best = (p.largest ? now > then : now < then) ? i : best;
                }
                ASSERT_EQ(values[c], src[best * p.inner + c]) << "at " << c;
                ASSERT_EQ(indices[c], static_cast<std::int32_t>(best)) << "at " << c;
            }
        }
    });
}

TEST(ArgBest, KnownNumbersAndNotANumber) {
    on_every_target([](const std::string&) {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const float src[] = {nan, 1, nan, 2,    //
                             3,   1, nan, nan,  //
                             5,   0, nan, 2};
        float values[4] = {};
        std::int32_t indices[4] = {};
        arg_best({.size = 3, .inner = 4, .largest = true}, src, values, indices, {0, 4});
        EXPECT_THAT(indices, testing::ElementsAre(2, 0, 0, 0));
        EXPECT_EQ(values[0], 5);
        EXPECT_EQ(values[1], 1);
        EXPECT_TRUE(std::isnan(values[2]));
        EXPECT_EQ(values[3], 2);
        arg_best({.size = 3, .inner = 4, .largest = false}, src, values, indices, {0, 4});
        EXPECT_THAT(indices, testing::ElementsAre(1, 2, 0, 0));
    });
}

}  // namespace
}  // namespace fuseq::kernels
