// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of source that the integer matrix product reads.
#include <gtest/gtest.h>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "unit/cpu/kernels/common/elements.hpp"

namespace fuseq::kernels {
namespace {

using fuseq::test::Bytes;

// 3 x 4 pixels of two channels, numbered.
Bytes numbered() {
    Bytes src(3 * 4 * 2);
    for (std::size_t i = 0; i < src.size(); ++i) {
        src[i] = static_cast<std::uint8_t>(i);
    }
    return src;
}

TEST(GemmVnniSourceTest, EverySecondPixelFlipped) {
    if (!GemmVnni::available()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    gemm::Packed p;
    p.shape = {.src_channels = 2,
               .src_height = 3,
               .src_width = 4,
               .dst_height = 2,
               .dst_width = 2,
               .stride_height = 2,
               .stride_width = 2};
    p.mode = gemm::SourceMode::kGather;
    p.flip = 0x80;
    p.step = 4;
    Bytes scratch(3 * 4, 0xEE);
    gemm::copy_pixels(p, numbered().data(), 1, 3, scratch.data());
    EXPECT_EQ(scratch,
              (Bytes{0x84, 0x85, 0xEE, 0xEE, 0x90, 0x91, 0xEE, 0xEE, 0x94, 0x95, 0xEE, 0xEE}));
}

// 3 x 4 pixels of two channels, padded with 7, for a kernel of 2 x 3.
gemm::Packed padded_rows() {
    gemm::Packed p;
    p.shape = {.src_channels = 2,
               .src_height = 3,
               .src_width = 4,
               .dst_height = 3,
               .dst_width = 4,
               .kernel_height = 2,
               .kernel_width = 3,
               .pad_top = 1,
               .pad_left = 1};
    p.mode = gemm::SourceMode::kRows;
    p.fill = 7;
    return p;
}

TEST(GemmVnniSourceTest, RowsWithTheirPadding) {
    if (!GemmVnni::available()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    gemm::Packed p = padded_rows();
    p.pitch = 6 * 2;
    Bytes scratch(2 * p.pitch, 0xEE);
    gemm::copy_rows(p, numbered().data(), 0, 0, 1, scratch.data());
    EXPECT_EQ(scratch, (Bytes{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,  //
                              7, 7, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7}));
    p.flip = 0x80;
    p.shape.pad_left = -1;  // the first column is left out
    p.pitch = 3 * 2;
    scratch.assign(2 * p.pitch, 0xEE);
    gemm::copy_rows(p, numbered().data(), 0, 2, 1, scratch.data());
    EXPECT_EQ(scratch, (Bytes{0x8A, 0x8B, 0x8C, 0x8D, 0x8E, 0x8F,  //
                              0x92, 0x93, 0x94, 0x95, 0x96, 0x97}));
}

// Three columns at either edge, of one row above the image and its first one.
TEST(GemmVnniSourceTest, EdgeCopiesWithTheirPadding) {
    if (!GemmVnni::available()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    gemm::Packed p = padded_rows();
    p.pitch = 4 * 2;
    p.edge_copies = {gemm::EdgeCopy{.begin = -1, .pitch = 3 * 2, .at = 0},
                     gemm::EdgeCopy{.begin = 2, .pitch = 3 * 2, .at = 2 * 3 * 2}};
    Bytes scratch(4 * 3 * 2, 0xEE);
    gemm::copy_edges(p, numbered().data(), 0, 0, 1, scratch.data());
    EXPECT_EQ(scratch, (Bytes{7, 7, 7, 7, 7, 7,  //
                              7, 7, 0, 1, 2, 3,  //
                              7, 7, 7, 7, 7, 7,  //
                              4, 5, 6, 7, 7, 7}));
    p.edge_copies[1].pitch = 0;  // no pixel at the right edge is apart
    scratch.assign(scratch.size(), 0xEE);
    gemm::copy_edges(p, numbered().data(), 0, 2, 1, scratch.data());
    EXPECT_EQ(scratch, (Bytes{7,    7,    8,    9,    10,   11,    //
                              7,    7,    16,   17,   18,   19,    //
                              0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE,  //
                              0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE}));
}

// 2 x 3 kernel with a step of two columns, padded by one row at the top and one column on the left;
// of two images.
TEST(GemmVnniSourceTest, WindowsWithTheirPadding) {
    if (!GemmVnni::available()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    gemm::Packed p;
    p.shape = {.batch = 2,
               .src_channels = 1,
               .src_height = 2,
               .src_width = 3,
               .dst_height = 2,
               .dst_width = 2,
               .kernel_height = 2,
               .kernel_width = 3,
               .stride_width = 2,
               .pad_top = 1,
               .pad_left = 1};
    p.mode = gemm::SourceMode::kWindows;
    p.fill = 99;
    p.step = 8;
    Bytes scratch(5 * 8, 0xEE);
    gemm::copy_pixels(p, numbered().data(), 1, 5, scratch.data());
    EXPECT_EQ(scratch, (Bytes{99, 99, 99, 1,  2, 99, 0xEE, 0xEE,  // row 0, column 1
                              99, 0,  1,  99, 3, 4,  0xEE, 0xEE,  // row 1, column 0
                              1,  2,  99, 4,  5, 99, 0xEE, 0xEE,  //
                              99, 99, 99, 99, 6, 7,  0xEE, 0xEE,  // the second image
                              99, 99, 99, 7,  8, 99, 0xEE, 0xEE}));
    p.flip = 0x80;
    p.shape.pad_left = -1;  // the first column is left out; the last window has one of the image
    scratch.assign(2 * 8, 0xEE);
    gemm::copy_pixels(p, numbered().data(), 0, 2, scratch.data());
    EXPECT_EQ(scratch, (Bytes{99, 99, 99, 0x81, 0x82, 99, 0xEE, 0xEE,  //
                              99, 99, 99, 99, 99, 99, 0xEE, 0xEE}));
}

TEST(GemmVnniSourceTest, MostlyImage) {
    const auto square = [](std::size_t pixels, std::size_t stride, std::ptrdiff_t pad) {
        const std::size_t src = (pixels - 1) * stride + 3 - 2 * static_cast<std::size_t>(pad);
        return GemmShape{.src_channels = 4,
                         .dst_channels = 16,
                         .src_height = src,
                         .src_width = src,
                         .dst_height = pixels,
                         .dst_width = pixels,
                         .kernel_height = 3,
                         .kernel_width = 3,
                         .stride_height = stride,
                         .stride_width = stride,
                         .pad_top = pad,
                         .pad_left = pad};
    };
    EXPECT_TRUE(gemm::is_mostly_image(square(1, 1, 0)));
    EXPECT_FALSE(gemm::is_mostly_image(square(4, 1, 1)));  // 10 of 12, squared
    EXPECT_FALSE(gemm::is_mostly_image(square(6, 1, 1)));  // 16 of 18
    EXPECT_TRUE(gemm::is_mostly_image(square(7, 1, 1)));   // 19 of 21
    GemmShape down = square(4, 2, 1);                      // both sides padded
    EXPECT_FALSE(gemm::is_mostly_image(down));
    down.src_height = down.src_width = 8;  // 11 of 12: the last window ends with the image
    EXPECT_TRUE(gemm::is_mostly_image(down));
}

}  // namespace
}  // namespace fuseq::kernels
