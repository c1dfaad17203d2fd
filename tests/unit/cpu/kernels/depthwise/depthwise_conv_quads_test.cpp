// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/depthwise/depthwise_moves.hpp"
#include "unit/cpu/kernels/depthwise/vnni256_encodings.hpp"

namespace fuseq::kernels {
namespace {

using fuseq::test::with_each_encoding;
using test::square;
using testing::ElementsAre;

constexpr const char* kNone = "this machine has no dot products of bytes in 256 bits";

// Unpacking bytes and then words works within 128 bits: the halves of a vector are 16 channels
// apart.
TEST(DepthwiseConvQuads, OrderOfChannels) {
    const std::vector<std::ptrdiff_t> slots =
        depthwise::quads_path().order(square(64, 3, 1), 32, 32).slots;
    ASSERT_EQ(slots.size(), 32u);
    EXPECT_THAT(std::vector<std::ptrdiff_t>(slots.begin(), slots.begin() + 16),
                ElementsAre(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23));
}

// Two output rows read the same four source rows, the second one from the second row on.
TEST(DepthwiseConvQuads, OrderOfTaps) {
    const auto rows = [](std::size_t stride) {
        std::vector<std::ptrdiff_t> taps;
        for (const depthwise::Entry& entry :
             depthwise::quads_path().order(square(64, 3, stride), 32, 32).entries) {
            for (const depthwise::Tap& tap : entry[0]) {
                taps.push_back(tap.row < 0 ? -1 : tap.row * 3 + tap.column);
            }
        }
        return taps;
    };
    EXPECT_THAT(rows(1), ElementsAre(0, 3, 6, -1, 1, 4, 7, -1, 2, 5, 8, -1,  //
                                     -1, 0, 3, 6, -1, 1, 4, 7, -1, 2, 5, 8));
    EXPECT_THAT(rows(2), ElementsAre(0, 3, 6, -1, 1, 4, 7, -1, 2, 5, 8, -1));
}

TEST(DepthwiseConvQuads, NeedsABlockOfChannelsAndAStripOfColumns) {
    EXPECT_TRUE(depthwise::has_quads_form(square(32, 3, 1)));
    EXPECT_TRUE(depthwise::has_quads_form(square(24, 3, 1)));
    EXPECT_FALSE(depthwise::has_quads_form(square(31, 3, 1)));
    EXPECT_FALSE(depthwise::has_quads_form(square(16, 3, 1)));
    EXPECT_TRUE(depthwise::has_quads_form(square(64, 16, 1)));
    EXPECT_FALSE(depthwise::has_quads_form(square(64, 31, 1)));
}

// The last block is moved back over the one before it.
TEST(DepthwiseConvQuads, EveryTapReadsItsPixel) {
    const bool ran = with_each_encoding([] {
        for (const std::size_t channels : {24, 32, 33, 64, 70}) {
            for (const std::size_t stride : {1, 2}) {
                for (const std::size_t kernel : {3, 5}) {
                    SCOPED_TRACE(detail::cat(channels, " channels, stride ", stride));
                    const DepthwiseShape s = square(channels, kernel, stride);
                    for (std::size_t tap = 0; tap < kernel * kernel; ++tap) {
                        ASSERT_NO_FATAL_FAILURE(test::expect_moves(DepthwisePath::kQuads, s,
                                                                   tap / kernel, tap % kernel));
                    }
                }
            }
        }
    });
    if (!ran) {
        GTEST_SKIP() << kNone;
    }
}

TEST(DepthwiseConvQuads, SumsOfAllTapsAreExact) {
    if (!with_each_encoding([] { test::expect_exact_sums(DepthwisePath::kQuads, 64); })) {
        GTEST_SKIP() << kNone;
    }
}

// What the level avx2_vnni takes: as many channels as a block has, or another form.
TEST(DepthwiseConvQuads, IsTakenWhereItCanBe) {
    const auto name = [](std::size_t channels) {
        const std::vector<std::int8_t> weights(channels * 9, 1);
        const std::vector<float> one{1.0f};
        return std::string(
            DepthwiseConv({.shape = square(channels, 3, 1), .weights = weights, .scale = one})
                .implementation());
    };
    const bool ran = with_each_encoding([&] {
        EXPECT_EQ(name(32), "dw_quads:vnni256");
        EXPECT_EQ(name(24), "dw_quads:vnni256");
        EXPECT_EQ(name(31).rfind("dw_columns:", 0), 0u);
    });
    if (!ran) {
        GTEST_SKIP() << kNone;
    }
}

TEST(DepthwiseConvQuads, RefusesMachinesWithoutDotProducts) {
    cpu::MachineTraits traits = cpu::machine_traits();
    traits.avx512_vnni = traits.avx_vnni = traits.avx_vnni_in_evex = false;
    const cpu::ScopedMachineTraits scope(traits);
    const std::vector<std::int8_t> weights(32 * 9, 1);
    const std::vector<float> one{1.0f};
    try {
        const DepthwiseConv conv({.shape = square(32, 3, 1),
                                  .weights = weights,
                                  .scale = one,
                                  .path = DepthwisePath::kQuads});
        FAIL() << conv.implementation();
    } catch (const Error& e) {
        EXPECT_EQ(std::string(e.what()), std::string("compile: depthwise kernel: ") + kNone);
    }
}

}  // namespace
}  // namespace fuseq::kernels
