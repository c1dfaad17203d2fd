// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/depthwise/depthwise_moves.hpp"

namespace fuseq::kernels {
namespace {

using depthwise::VnniForm;
using test::square;

class DepthwiseConvVnni : public testing::Test {
protected:
    void SetUp() override {
        if (!has_avx512_vnni()) {
            GTEST_SKIP() << "this machine has no AVX-512 VNNI";
        }
    }
};

TEST_F(DepthwiseConvVnni, ShapesAndTheirForms) {
    const auto name = [](const DepthwiseShape& s) {
        return depthwise::vnni_path(s, VnniForm::kStrips).name;
    };
    EXPECT_EQ(name(square(64, 3, 1)), "dw_vnni512:3x3s1x2");
    EXPECT_EQ(name(square(64, 3, 2)), "dw_vnni512:3x3s2x2");
    EXPECT_EQ(name(square(64, 5, 1)), "dw_vnni512:5x5s1");
    EXPECT_EQ(name(square(64, 5, 2)), "dw_vnni512:5x5s2");
    EXPECT_EQ(name(square(64, 7, 1)), "dw_vnni512:any");
    DepthwiseShape uneven = square(64, 3, 1);
    uneven.stride_height = 2;
    EXPECT_EQ(name(uneven), "dw_vnni512:any");
    DepthwiseShape wide = square(64, 3, 1);
    wide.kernel_width = 5;
    EXPECT_EQ(name(wide), "dw_vnni512:any");
    EXPECT_TRUE(depthwise::vnni_path(square(64, 3, 1), VnniForm::kStrips).flips_sign);
}

// More than 32 channels after blocks of 64 become a block that begins among those before it; the
// two are one unit of work. Fewer share vectors with other rows.
TEST_F(DepthwiseConvVnni, LastBlocksOverlapOrShareVectors) {
    const auto conv = [](std::size_t channels) {
        const std::vector<std::int8_t> weights(channels * 9, 1);
        const std::vector<float> scale{0.01f};
        DepthwiseParams params;
        params.shape = square(channels, 3, 1);
        params.weights = weights;
        params.scale = scale;
        params.path = DepthwisePath::kStrips;
        return DepthwiseConv(params);
    };
    const auto blocks = [&](std::size_t channels) { return conv(channels).blocks(); };
    const auto rows = [&](std::size_t channels) { return conv(channels).even_rows(); };
    EXPECT_EQ(blocks(56), 1u);
    EXPECT_EQ(blocks(96), 2u);
    EXPECT_EQ(blocks(97), 1u);
    EXPECT_EQ(blocks(128), 2u);
    EXPECT_EQ(blocks(232), 3u);
    EXPECT_EQ(rows(16), 8u);
    EXPECT_EQ(rows(24), 4u);
    EXPECT_EQ(rows(64), 2u);
    EXPECT_EQ(rows(96), 4u);
    EXPECT_EQ(rows(104), 2u);
    EXPECT_EQ(rows(144), 8u);
}

// What a machine runs on its own account.
TEST_F(DepthwiseConvVnni, BytesWithoutActivationTakePairsOnEveryMachine) {
    const auto name = [](ElementType dst, float high) {
        const std::vector<std::int8_t> weights(64 * 9, 1);
        const std::vector<float> scale{0.01f};
        DepthwiseParams params;
        params.shape = square(64, 3, 1);
        params.dst_type = dst;
        params.weights = weights;
        params.scale = scale;
        params.high = high;
        return std::string(DepthwiseConv(params).implementation());
    };
    constexpr float kNone = std::numeric_limits<float>::infinity();
    EXPECT_EQ(name(ElementType::u8, kNone), "dw_vnni512:3x3s1x2");
    EXPECT_EQ(name(ElementType::i8, kNone), "dw_vnni512:3x3s1x2");
    EXPECT_EQ(name(ElementType::f32, kNone), "dw_vnni512:3x3s1x2");
    EXPECT_EQ(name(ElementType::u8, 100.0f), "dw_vnni512:3x3s1x2");
}

DepthwiseShape dilated(DepthwiseShape s, std::size_t height, std::size_t width) {
    s.dilation_height = height;
    s.dilation_width = width;
    s.pad_top = static_cast<std::ptrdiff_t>(s.kernel_height / 2 * height);
    s.pad_left = static_cast<std::ptrdiff_t>(s.kernel_width / 2 * width);
    return s;
}

TEST_F(DepthwiseConvVnni, DilatedKernelsHaveTheFormsOfDenseOnes) {
    const auto name = [](const DepthwiseShape& s) {
        return depthwise::vnni_path(s, VnniForm::kStrips).name;
    };
    EXPECT_EQ(name(dilated(square(64, 3, 1), 2, 2)), "dw_vnni512:3x3s1x2d2");
    EXPECT_EQ(name(dilated(square(64, 5, 1), 16, 16)), "dw_vnni512:5x5s1d16");
    EXPECT_EQ(name(dilated(square(64, 3, 1), 17, 17)), "dw_vnni512:any");
    EXPECT_EQ(name(dilated(square(64, 3, 1), 1, 2)), "dw_vnni512:any");
    EXPECT_EQ(name(dilated(square(64, 3, 2), 2, 2)), "dw_vnni512:any");
}

// Images of 7 x 7: of rows and columns at distances of 2 to 8, some of which have none.
TEST_F(DepthwiseConvVnni, EveryTapOfDilatedKernelsReadsItsPixel) {
    for (const std::size_t dilation : {2, 3, 6, 8}) {
        for (const std::size_t kernel : {3, 5}) {
            for (const std::size_t channels : {1, 16, 32, 48, 64, 101}) {
                SCOPED_TRACE(detail::cat(channels, " channels, dilation ", dilation));
                const DepthwiseShape s = dilated(square(channels, kernel, 1), dilation, dilation);
                for (std::size_t tap = 0; tap < kernel * kernel; ++tap) {
                    ASSERT_NO_FATAL_FAILURE(
                        test::expect_moves(DepthwisePath::kStrips, s, tap / kernel, tap % kernel));
                }
            }
        }
    }
}

// A whole vector, its parts under masks and without, and what remains after whole blocks.
TEST_F(DepthwiseConvVnni, EveryTapOfEveryFormReadsItsPixel) {
    for (const std::size_t kernel : {3, 5, 7}) {
        for (const std::size_t stride : {1, 2}) {
            for (const std::size_t channels : {1, 7, 16, 17, 32, 33, 64, 80, 96, 101}) {
                SCOPED_TRACE(detail::cat(channels, " channels, stride ", stride));
                const DepthwiseShape s = square(channels, kernel, stride);
                for (std::size_t tap = 0; tap < kernel * kernel; ++tap) {
                    ASSERT_NO_FATAL_FAILURE(
                        test::expect_moves(DepthwisePath::kStrips, s, tap / kernel, tap % kernel));
                }
            }
        }
    }
}

TEST_F(DepthwiseConvVnni, FlatRowsForFewChannelsWithoutGaps) {
    const auto name = [](DepthwiseShape s, std::size_t gap) {
        s.src_pixel_stride = s.src_channels;
        s.dst_pixel_stride = s.src_channels + gap;
        return depthwise::vnni_path(s, VnniForm::kFlat).name;
    };
    for (const std::size_t channels : {1, 2, 8, 16, 64}) {
        EXPECT_EQ(name(square(channels, 3, 1), 0), "dw_vnni512:3x3s1flat");
    }
    EXPECT_EQ(name(square(8, 3, 1), 1), "dw_vnni512:3x3s1x2");
    EXPECT_EQ(name(square(24, 3, 1), 0), "dw_vnni512:3x3s1x2");
    EXPECT_EQ(name(square(8, 3, 2), 0), "dw_vnni512:3x3s2x2");
    EXPECT_EQ(name(square(8, 5, 1), 0), "dw_vnni512:5x5s1");
    EXPECT_EQ(name(dilated(square(8, 3, 1), 2, 2), 0), "dw_vnni512:3x3s1x2d2");
}

TEST_F(DepthwiseConvVnni, EveryTapOfFlatRowsReadsItsPixel) {
    for (const std::size_t channels : {1, 2, 4, 8, 16, 32, 64}) {
        for (std::size_t tap = 0; tap < 9; ++tap) {
            SCOPED_TRACE(detail::cat(channels, " channels"));
            ASSERT_NO_FATAL_FAILURE(
                test::expect_moves(DepthwisePath::kFlat, square(channels, 3, 1), tap / 3, tap % 3));
        }
    }
}

TEST_F(DepthwiseConvVnni, SumsOfAllTapsAreExact) {
    for (const std::size_t channels : {1, 16, 64, 70}) {
        test::expect_exact_sums(DepthwisePath::kStrips, channels);
    }
}

}  // namespace
}  // namespace fuseq::kernels
