// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/byte_shuffle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "cpu/machine/instructions.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using Sources = std::vector<std::int32_t>;

// Channels of two halves in turn, then `times` of that.
Sources shuffled(std::size_t groups, std::size_t channels) {
    Sources sources;
    for (std::size_t c = 0; c < channels / groups; ++c) {
        for (std::size_t g = 0; g < groups; ++g) {
            sources.push_back(static_cast<std::int32_t>(g * (channels / groups) + c));
        }
    }
    return sources;
}

// Rows `src_step` and `dst_step` apart, the last one at the end of its memory.
void expect_rows(const Sources& sources, std::size_t src_step, std::size_t dst_step) {
    constexpr std::size_t kRows = 5;
    const auto shuffle = ByteShuffle::make(sources);
    ASSERT_TRUE(shuffle.has_value());
    const std::size_t used =
        static_cast<std::size_t>(*std::max_element(sources.begin(), sources.end())) + 1;
    std::mt19937 rng(7);
    const test::Bytes src =
        test::random_elements(rng, ElementType::u8, src_step * (kRows - 1) + used);
    std::vector<std::ptrdiff_t> src_rows;
    std::vector<std::ptrdiff_t> dst_rows;
    test::Bytes want(dst_step * kRows, 0xA5);
    test::Bytes dst = want;
    for (std::size_t r = 0; r < kRows; ++r) {
        src_rows.push_back(static_cast<std::ptrdiff_t>(r * src_step));
        dst_rows.push_back(static_cast<std::ptrdiff_t>((kRows - 1 - r) * dst_step));
        for (std::size_t i = 0; r != 0 && i < sources.size(); ++i) {
            want[(kRows - 1 - r) * dst_step + i] =
                src[r * src_step + static_cast<std::size_t>(sources[i])];
        }
    }
    shuffle->run(src.data(), src_rows, dst.data(), dst_rows, {1, 3});
    shuffle->run(src.data(), src_rows, dst.data(), dst_rows, {3, kRows});
    EXPECT_EQ(dst, want);
}

TEST(ByteShuffle, ChannelsInTurn) {
    if (!has_avx512_vbmi()) {
        GTEST_SKIP() << "this machine has no AVX-512 VBMI";
    }
    for (const std::size_t groups : {2, 3, 4}) {
        for (const std::size_t channels : {12, 24, 60, 120, 144, 240, 480}) {
            SCOPED_TRACE(testing::Message() << groups << " groups of " << channels);
            expect_rows(shuffled(groups, channels), channels, channels);
            expect_rows(shuffled(groups, channels), channels + 5, channels + 3);
        }
    }
    expect_rows(shuffled(2, 116), 116, 116);
    expect_rows(shuffled(2, 232), 232, 232);
}

TEST(ByteShuffle, PartsAndRepetitions) {
    if (!has_avx512_vbmi()) {
        GTEST_SKIP() << "this machine has no AVX-512 VBMI";
    }
    Sources part(58);
    std::iota(part.begin(), part.end(), 58);
    expect_rows(part, 116, 58);
    expect_rows({3, 3, 3, 1, 0, 2, 2}, 4, 7);
    Sources backwards(100);
    std::iota(backwards.rbegin(), backwards.rend(), 0);
    expect_rows(backwards, 100, 100);
}

TEST(ByteShuffle, RandomWindows) {
    if (!has_avx512_vbmi()) {
        GTEST_SKIP() << "this machine has no AVX-512 VBMI";
    }
    const unsigned seed = std::random_device()();
    std::mt19937 rng(seed);
    for (int round = 0; round < 50; ++round) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << " round " << round);
        Sources sources(1 + rng() % 200);
        for (std::int32_t& source : sources) {
            source = static_cast<std::int32_t>(rng() % 300);
        }
        expect_rows(sources, 300, sources.size());
    }
}

TEST(ByteShuffle, RefusesWhatIsSpread) {
    Sources apart(64);
    for (std::size_t i = 0; i < apart.size(); ++i) {
        apart[i] = static_cast<std::int32_t>(i * 64);
    }
    EXPECT_FALSE(ByteShuffle::make(apart));
    EXPECT_FALSE(ByteShuffle::make({}));
}

TEST(ByteShuffle, NeedsItsInstructions) {
    const bool available = has_avx512_vbmi();
    test::on_every_target([&](const std::string& target) {
        const bool avx512 = target.starts_with("AVX3");
        EXPECT_EQ(ByteShuffle::make(Sources{1, 0}).has_value(), avx512 && available) << target;
    });
}

}  // namespace
}  // namespace fuseq::kernels
