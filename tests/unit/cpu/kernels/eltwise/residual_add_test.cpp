// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/residual_add.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/kernels/common/elements.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

TEST(ResidualAdd, MatchesPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 150; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            ResidualAddParams p;
            p.a_type = test::random_type(rng);
            p.b_type = test::random_type(rng);
            p.dst_type = test::random_type(rng);
            p.a_scale = rng() % 2 == 0 ? 0.5f : 0.37f;
            p.b_scale = rng() % 2 == 0 ? 0.5f : -0.81f;
            p.shift = rng() % 2 == 0 ? 0.0f : 12.5f;
            if (rng() % 2 == 0) {
                p.low = 3.0f;
                p.high = 90.25f;
            }
            check_residual_add(p);
            const std::size_t count = 1 + rng() % 300;
            const Bytes a = test::random_elements(rng, p.a_type, count);
            const Bytes b = test::random_elements(rng, p.b_type, count);
            Bytes dst(count * size_of(p.dst_type));
            Bytes want = dst;
            for (std::size_t i = 0; i < count; ++i) {
                const float other = std::fma(test::element(b, p.b_type, i), p.b_scale, p.shift);
                const float v = std::fma(test::element(a, p.a_type, i), p.a_scale, other);
                test::set_element(want, p.dst_type, i, std::min(std::max(v, p.low), p.high));
            }
            const std::size_t cut = rng() % (count + 1);
            residual_add(p, a.data(), b.data(), dst.data(), {cut, count});
            residual_add(p, a.data(), b.data(), dst.data(), {0, cut});
            ASSERT_EQ(dst, want);
        }
    });
}

// By hand: (30 - 10) * 0.5 + (100 - 128) * 0.25 = 3, which is 3 / 0.1 + 7 = 37 in dst.
TEST(ResidualAdd, ZeroPointsAndRelu) {
    ResidualAddParams p;
    p.a_scale = 0.5f / 0.1f;
    p.b_scale = 0.25f / 0.1f;
    p.shift = 7.0f - 10.0f * p.a_scale - 128.0f * p.b_scale;
    p.low = 7.0f;
    const std::uint8_t a[] = {30, 0};
    const std::uint8_t b[] = {100, 100};
    std::uint8_t dst[2] = {};
    residual_add(p, a, b, dst, {0, 2});
    EXPECT_EQ(dst[0], 37);
    EXPECT_EQ(dst[1], 7);
}

TEST(ResidualAdd, Refuses) {
    ResidualAddParams p;
    p.b_type = ElementType::i32;
    EXPECT_THAT([&] { check_residual_add(p); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("u8 + i32 to u8")));
}

}  // namespace
}  // namespace fuseq::kernels
