// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/depthwise/depthwise_moves.hpp"

namespace fuseq::kernels {
namespace {

using fuseq::test::on_every_target;
using test::square;
using testing::ElementsAre;

// Blocks are not wider than the tensor, but for the smallest one.
TEST(DepthwiseConvPortable, BlocksFitTheTargetAndTheTensor) {
    on_every_target([](const std::string& target) {
        const bool wide = target != "SSE4";
        for (const bool is_signed : {false, true}) {
            const auto block = [&](std::size_t channels) {
                const depthwise::Path path =
                    depthwise::portable_path(square(channels, 3, 1), is_signed);
                EXPECT_EQ(path.name.rfind("dw_portable:", 0), 0u) << path.name;
                EXPECT_EQ(path.max_alone, 0u);
                EXPECT_FALSE(path.flips_sign);
                return path.block_channels;
            };
            EXPECT_EQ(block(1), 8u);
            EXPECT_EQ(block(15), 8u);
            EXPECT_EQ(block(16), wide ? 16u : 8u);
            EXPECT_EQ(block(31), wide ? 16u : 8u);
            EXPECT_EQ(block(32), target == "SSE4" ? 8u : target == "AVX2" ? 16u : 32u);
        }
    });
}

// The interleave of two vectors of words works within 128 bits: fours of channels alternate between
// the halves. Nine taps are five pairs, the last one with nothing.
TEST(DepthwiseConvPortable, OrderOfChannelsAndTaps) {
    const depthwise::Path path = depthwise::portable_path(square(64, 3, 1), false);
    const depthwise::Order eight = path.order(square(64, 3, 1), 8, 6);
    EXPECT_THAT(eight.slots, ElementsAre(0, 1, 2, 3, 4, 5, -1, -1));
    const depthwise::Order sixteen = path.order(square(64, 3, 1), 16, 16);
    EXPECT_THAT(sixteen.slots, ElementsAre(0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15));
    EXPECT_EQ(sixteen.bytes_per_tap, 2u);
    ASSERT_EQ(sixteen.entries.size(), 5u);
    std::vector<std::ptrdiff_t> taps;
    for (const depthwise::Entry& entry : sixteen.entries) {
        ASSERT_EQ(entry.size(), 1u);
        for (const depthwise::Tap& tap : entry[0]) {
            taps.push_back(tap.row < 0 ? -1 : tap.row * 3 + tap.column);
        }
    }
    EXPECT_THAT(taps, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, -1));
}

// Two output rows read the same columns: of 3 x 3 the pairs of source rows (0, 1) and (2, 3).
TEST(DepthwiseConvPortable, OrderOfColumns) {
    const auto rows = [](std::size_t stride) {
        const DepthwiseShape s = square(64, 3, stride);
        std::vector<std::ptrdiff_t> taps;
        for (const depthwise::Entry& entry :
             depthwise::columns_path(s, false).order(s, 16, 16).entries) {
            for (const depthwise::Tap& tap : entry[0]) {
                taps.push_back(tap.row < 0 ? -1 : tap.row * 3 + tap.column);
            }
        }
        return taps;
    };
    EXPECT_THAT(rows(1), ElementsAre(0, 3, 1, 4, 2, 5, 6, -1, 7, -1, 8, -1,  //
                                     -1, 0, -1, 1, -1, 2, 3, 6, 4, 7, 5, 8));
    EXPECT_THAT(rows(2), ElementsAre(0, 3, 1, 4, 2, 5, 6, -1, 7, -1, 8, -1));
}

// The last block is moved back over the one before it; fewer channels than a block are a copy.
TEST(DepthwiseConvPortable, EveryTapReadsItsPixel) {
    on_every_target([](const std::string&) {
        for (const std::size_t channels : {1, 7, 8, 9, 16, 19, 33, 64, 70}) {
            for (const std::size_t stride : {1, 2}) {
                SCOPED_TRACE(detail::cat(channels, " channels, stride ", stride));
                const DepthwiseShape s = square(channels, 3, stride);
                for (std::size_t tap = 0; tap < 9; ++tap) {
                    ASSERT_NO_FATAL_FAILURE(
                        test::expect_moves(DepthwisePath::kPortable, s, tap / 3, tap % 3));
                    ASSERT_NO_FATAL_FAILURE(
                        test::expect_moves(DepthwisePath::kColumns, s, tap / 3, tap % 3));
                }
            }
        }
    });
}

TEST(DepthwiseConvPortable, SumsOfAllTapsAreExact) {
    on_every_target([](const std::string&) {
        for (const std::size_t channels : {1, 8, 20, 64}) {
            test::expect_exact_sums(DepthwisePath::kPortable, channels);
            test::expect_exact_sums(DepthwisePath::kColumns, channels);
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
