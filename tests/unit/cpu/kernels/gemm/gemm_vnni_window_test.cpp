// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of windows of src, alone and as what zero points of weights are multiplied by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::random_elements;
using testing::ElementsAre;

// Laid out for one output channel.
gemm::Packed laid_out(const GemmShape& shape, std::int32_t zero_point) {
    Case c;
    c.params.shape = shape;
    c.params.src_zero_point = zero_point;
    c.weights.assign(shape.src_channels * shape.kernel_height * shape.kernel_width, 1);
    c.scale = {1.0f};
    c.wei_zero_point = {1.0f};
    return gemm::lay_out(c.complete());
}

std::vector<float> memory_for(const gemm::Packed& p) {
    return std::vector<float>(gemm::window_sum_bytes(p) / sizeof(float));
}

// Pixels of two channels, three bytes apart: 1 + 2 - 2 * 5, 10 + 20 - 10, 255 + 255 - 10.
TEST_F(GemmVnniTest, SumsOfPixelsByHand) {
    const gemm::Packed p =
        laid_out({.src_channels = 2, .dst_channels = 1, .src_width = 3, .dst_width = 3}, 5);
    const std::uint8_t src[] = {1, 2, 99, 10, 20, 99, 255, 255, 99};
    std::vector<float> memory = memory_for(p);
    const float* sums = gemm::sum_pixels(p, src, 3, 3, memory.data());
    EXPECT_THAT(std::vector<float>(sums, sums + 3), ElementsAre(-7.0f, 20.0f, 500.0f));
}

// Windows of 2x2 over three columns: rows 1 2 3, 4 5 6, 7 8 9.
TEST_F(GemmVnniTest, SumsOfRowsOfWindowsByHand) {
    const gemm::Packed p = laid_out({.src_channels = 1,
                                     .dst_channels = 1,
                                     .src_height = 3,
                                     .src_width = 3,
                                     .dst_height = 2,
                                     .dst_width = 2,
                                     .kernel_height = 2,
                                     .kernel_width = 2},
                                    1);
    ASSERT_EQ(p.mode, gemm::SourceMode::kRows);
    ASSERT_EQ(p.pitch, 3u);
    const std::uint8_t src[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::vector<float> memory = memory_for(p);
    const float* sums = gemm::sum_windows(p, src, 2, memory.data());
    EXPECT_THAT(std::vector<float>(sums, sums + 4),
                ElementsAre(12.0f - 4, 16.0f - 4, 24.0f - 4, 28.0f - 4));
}

// Strides and dilations, by plain loops over the rows of scratch.
TEST_F(GemmVnniTest, SumsOfWindowsMatchPlainLoops) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        const auto up_to = [&](std::size_t max) { return 1 + rng() % max; };
        GemmShape s{.src_channels = up_to(70), .dst_channels = 1};
        s.kernel_height = up_to(3);
        s.kernel_width = 1 + up_to(3);
        s.stride_height = up_to(3);
        s.stride_width = up_to(3);
        s.dilation_height = up_to(2);
        s.dilation_width = up_to(2);
        s.dst_height = up_to(4);
        s.dst_width = up_to(40);
        s.src_height =
            (s.dst_height - 1) * s.stride_height + (s.kernel_height - 1) * s.dilation_height + 1;
        s.src_width =
            (s.dst_width - 1) * s.stride_width + (s.kernel_width - 1) * s.dilation_width + 1;
        const gemm::Packed p = laid_out(s, 7);
        ASSERT_EQ(p.pitch, s.src_width * s.src_channels);
        const std::size_t count = std::min(p.block, s.dst_height);
        const Bytes src = random_elements(rng, ElementType::u8, p.rows_read(count) * p.pitch);
        std::vector<float> memory = memory_for(p);
        const float* sums = gemm::sum_windows(p, src.data(), count, memory.data());
        for (std::size_t y = 0; y < count; ++y) {
            for (std::size_t x = 0; x < s.dst_width; ++x) {
                int want = 0;
                for (std::size_t ky = 0; ky < s.kernel_height; ++ky) {
                    for (std::size_t kx = 0; kx < s.kernel_width; ++kx) {
                        const std::size_t row = y * s.stride_height + ky * s.dilation_height;
                        const std::size_t column = x * s.stride_width + kx * s.dilation_width;
                        for (std::size_t c = 0; c < s.src_channels; ++c) {
                            want += src[row * p.pitch + column * s.src_channels + c] - 7;
                        }
                    }
                }
                ASSERT_EQ(sums[y * s.dst_width + x], static_cast<float>(want))
                    << "row " << y << " column " << x;
            }
        }
    }
}

// Two windows of three pixels, 10 + 20 + 250 - 3 * 10 = 250 and, with padding on the right,
// 20 + 250 - 2 * 10 = 250. Products: 0 * 1 + 10 * -1 + 240 * 2 = 470 and 10 * 1 - 240 = -230.
TEST_F(GemmVnniTest, SumsOfWindowsByHand) {
    Case c;
    c.params.shape = {
        .src_channels = 1, .dst_channels = 2, .src_width = 3, .dst_width = 2, .kernel_width = 3};
    c.params.src_zero_point = 10;
    c.params.dst_type = ElementType::f32;
    c.weights = {1, -1, 2, 1, -1, 2};
    c.scale = {2.0f};
    c.bias = {1.0f};
    c.wei_zero_point = {0.5f, -1.25f};
    c.src = {10, 20, 250};
    const Bytes bytes = run(GemmVnni(c.complete()), c, 1);
    std::vector<float> got(4);
    std::memcpy(got.data(), bytes.data(), bytes.size());
    EXPECT_EQ(got, (std::vector<float>{(470 - 125 + 1) * 2, (470 + 312.5f + 1) * 2,
                                       (-230 - 125 + 1) * 2, (-230 + 312.5f + 1) * 2}));
}

// Every way in which the channels of a pixel are added, dense and with gaps.
TEST_F(GemmVnniTest, SumsOfWindowsForAnyNumberOfChannels) {
    for (const std::size_t channels : {1, 2, 3, 4, 5, 8, 12, 16, 17, 32, 63, 64, 65, 130}) {
        for (const std::size_t kernel : {1, 3}) {
            for (const std::size_t stride : {1, 2}) {
                SCOPED_TRACE(
                    detail::cat(channels, " channels, kernel ", kernel, ", stride ", stride));
                std::mt19937 rng(static_cast<unsigned>(channels));
                Case c;
                c.params.shape = {.src_channels = channels,
                                  .dst_channels = 7,
                                  .src_height = 9,
                                  .src_width = 67,
                                  .dst_height = (9 - kernel) / stride + 1,
                                  .dst_width = (67 - kernel) / stride + 1,
                                  .kernel_height = kernel,
                                  .kernel_width = kernel,
                                  .stride_height = stride,
                                  .stride_width = stride};
                c.params.dst_type = ElementType::f32;
                c.params.src_zero_point = 77;
                c.weights = random_weights(rng, 7 * channels * kernel * kernel);
                c.scale = {1.0f};
                c.wei_zero_point = {3.5f, -2.0f, 0.0f, 1.0f, 0.25f, 100.0f, -0.5f};
                c.src = random_elements(rng, ElementType::u8, std::size_t{9} * 67 * channels);
                expect_exact(c);
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
