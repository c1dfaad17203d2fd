// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows at the edges leave out what only meets padding, and their sums are those of whole windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu/kernels/gemm_vnni_detail.hpp"
#include "fuseq/error.hpp"
#include "gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using testing::ElementsAre;

// 3 x 3 kernel, padded by 1 on the left and at the top.
Case case_of(std::mt19937& rng, std::size_t height, std::size_t channels) {
    Case c;
    c.params.shape = {.batch = 2,
                      .src_channels = 5,
                      .dst_channels = channels,
                      .src_height = height,
                      .src_width = 7,
                      .dst_height = height,
                      .dst_width = 7,
                      .kernel_height = 3,
                      .kernel_width = 3,
                      .pad_top = 1,
                      .pad_left = 1};
    c.weights = random_weights(rng, channels * 5 * 9);
    c.scale = {0.01f};
    c.src = fuseq::test::random_elements(rng, ElementType::u8, 2 * height * 7 * 5);
    return c;
}

std::vector<std::vector<std::size_t>> ranges_of(const GemmParams& params) {
    const gemm::Packed packed = gemm::lay_out(params);
    std::vector<std::vector<std::size_t>> ranges;
    for (const std::uint32_t i : packed.range_of_row) {
        ranges.push_back({packed.tap_ranges.at(i).begin, packed.tap_ranges.at(i).end});
    }
    return ranges;
}

TEST_F(GemmVnniTest, TapsOfEachRow) {
    std::mt19937 rng(1);
    Case c = case_of(rng, 4, 3);
    using Ends = std::vector<std::size_t>;
    EXPECT_THAT(ranges_of(c.complete()),
                ElementsAre(Ends{1, 3}, Ends{0, 3}, Ends{0, 3}, Ends{0, 2}));
    c.params.shape.dilation_width = 2;  // a tap for each column then
    EXPECT_THAT(ranges_of(c.complete()),
                ElementsAre(Ends{3, 9}, Ends{0, 9}, Ends{0, 9}, Ends{0, 6}));
    c.params.shape.dilation_width = 1;
    c.params.shape.pad_top = 0;
    c.params.shape.dst_height = 2;
    EXPECT_TRUE(ranges_of(c.complete()).empty());
    c.params.shape.pad_top = 4;  // rows that only meet padding
    EXPECT_THAT(ranges_of(c.complete()), ElementsAre(Ends{0, 0}, Ends{0, 0}));
    c.params.shape.pad_top = 1;
    c.params.shape.dst_width = 6;
    c.params.pool = true;  // two rows of the convolution in one
    EXPECT_TRUE(ranges_of(c.complete()).empty());
}

// In tiles of 14 x 2 (f32) and of 64 channels (u8), with padding that counts and padding of zeros.
TEST_F(GemmVnniTest, SumsAtTheEdgesAreThoseOfWholeWindows) {
    unsigned seed = 0;
    for (const std::size_t height : {1, 2, 5}) {
        for (const int zero_point : {0, 3}) {
            for (const ElementType src : {ElementType::u8, ElementType::i8}) {
                for (const ElementType dst : {ElementType::u8, ElementType::f32}) {
                    SCOPED_TRACE(detail::cat(height, " rows, zero point ", zero_point, ", ",
                                             to_string(src), " to ", to_string(dst)));
                    std::mt19937 rng(++seed);
                    Case c = case_of(rng, height, 83);
                    c.params.src_zero_point = zero_point;
                    c.params.src_type = src;
                    c.params.dst_type = dst;
                    c.bias = {4000.0f};
                    expect_exact(c);
                    c.wei_zero_point = {2.0f};
                    expect_exact(c);
                }
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
