// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of source that the integer matrix product reads.
#include <gtest/gtest.h>

#include "cpu/kernels/gemm_vnni_detail.hpp"
#include "elements.hpp"

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

TEST(GemmVnniSourceTest, RowsWithTheirPadding) {
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

}  // namespace
}  // namespace fuseq::kernels
