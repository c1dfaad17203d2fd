// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Against sums in 64 bits.
#include "cpu/kernels/reduce/softmax_16.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

TEST(Softmax16Kernel, HasThePowersOfDistancesAndTheirSum) {
    test::on_every_target([](const std::string&) {
        std::mt19937 rng(20261128);
        for (int i = 0; i < 200; ++i) {
            const std::size_t size = 1 + rng() % 70;
            const std::size_t known = 1 + rng() % 60000;
            std::vector<std::int16_t> powers(known + 1, -1);  // the last one is read, not used
            std::generate_n(powers.begin(), known,
                            [&] { return static_cast<std::int16_t>(rng() % 32768); });
            std::vector<std::int16_t> src(size);
            for (std::int16_t& q : src) {
                q = static_cast<std::int16_t>(rng() % 65536 - 32768);
            }
            std::vector<std::int16_t> dst(size + 1, 77);
            const std::int32_t sum =
                softmax_16_powers({powers.data(), known}, src.data(), size, dst.data());
            const int top = *std::max_element(src.begin(), src.end());
            std::int64_t expected = 0;
            for (std::size_t k = 0; k < size; ++k) {
                const auto distance = static_cast<std::size_t>(top - src[k]);
                ASSERT_EQ(dst[k], powers[std::min(distance, known - 1)]) << k;
                expected += dst[k];
            }
            ASSERT_EQ(sum, expected);
            ASSERT_EQ(dst[size], 77);
        }
    });
}

TEST(Softmax16Kernel, SumsTheLongestRow) {
    test::on_every_target([](const std::string&) {
        const std::vector<std::int16_t> powers{32767, 0};
        std::vector<std::int16_t> row(kSoftmax16Row, 5);
        EXPECT_EQ(softmax_16_powers({powers.data(), 1}, row.data(), row.size(), row.data()),
                  32767 * 65536);
        EXPECT_EQ(row.back(), 32767);
    });
}

TEST(Softmax16Kernel, RoundsSharesHalfUpAndClamps) {
    test::on_every_target([](const std::string&) {
        std::mt19937 rng(1);
        for (int i = 0; i < 300; ++i) {
            const Softmax16Shares shares{static_cast<std::int32_t>(rng() % 32768),
                                         1 + static_cast<int>(rng() % 30), i % 2 == 0 ? -32768 : 40,
                                         i % 3 == 0 ? 32767 : 9000};
            const std::size_t size = 1 + rng() % 50;
            std::vector<std::int16_t> src(size);
            for (std::int16_t& power : src) {
                power = static_cast<std::int16_t>(rng() % 32768);
            }
            std::vector<std::int16_t> dst = src;
            dst.push_back(77);
            softmax_16_shares(shares, size, dst.data());
            for (std::size_t k = 0; k < size; ++k) {
                const std::int64_t product = std::int64_t{src[k]} * shares.factor;
                const std::int64_t share =
                    (product + (std::int64_t{1} << (shares.shift - 1))) >> shares.shift;
                ASSERT_EQ(dst[k], std::clamp<std::int64_t>(share, shares.lowest, shares.highest));
            }
            ASSERT_EQ(dst[size], 77);
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
