// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows at the edges leave out what only meets padding, and their sums are those of whole windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using testing::ElementsAre;

// 3 x 3 kernel, padded by 1 on the left and at the top.
Case case_of(std::mt19937& rng, std::size_t height, std::size_t channels) {
    Case c;
    c.params.shape = shape_3x3(5, channels, height, 7);
    c.params.shape.batch = 2;
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

// A tensor whose rows are the same but for the first and the last one of each image, by its rows;
// what the tensor itself holds does not count then.
TEST_F(GemmVnniTest, TensorsByTheirDifferentRows) {
    for (const std::size_t channels : {7, 40, 64}) {
        std::mt19937 rng(static_cast<unsigned>(channels));
        constexpr std::size_t kHeight = 6;
        Case c = case_of(rng, kHeight, channels);
        c.bias = {20.0f};
        c.params.dst_type = channels == 40 ? ElementType::f32 : ElementType::u8;
        c.params.ops = {
            {.kind = GemmOp::Kind::kSum, .binary = {.type = ElementType::f32, .scale = 0.5f}},
            {.kind = GemmOp::Kind::kScale, .a = {0.75f}}};
        const std::vector<float> kept =
            fuseq::test::random_floats(rng, 3 * 7 * channels, -90.0f, 90.0f);
        const std::size_t bytes = 7 * channels * sizeof(float);
        std::vector<std::size_t> offsets;
        Bytes all;
        for (std::size_t row = 0; row < 2 * kHeight; ++row) {
            const std::size_t y = row % kHeight;
            offsets.push_back((y == 0 ? 0 : y + 1 == kHeight ? 2 : 1) * bytes);
            const auto* from = reinterpret_cast<const std::uint8_t*>(kept.data()) + offsets.back();
            all.insert(all.end(), from, from + bytes);
        }
        c.binary_sources = {all};
        const std::vector<float> want = expected(c);
        c.binary_sources = {Bytes(all.size())};
        c.rows = {{kept.data(), offsets.data()}};
        const GemmVnni gemm(c.complete());
        for (const std::size_t parts : {1, 3}) {
            const Bytes got = run(gemm, c, parts);
            for (std::size_t i = 0; i < want.size(); ++i) {
                ASSERT_EQ(fuseq::test::element(got, c.params.dst_type, i), want[i])
                    << "element " << i << ", " << channels << " channels, " << parts << " parts";
            }
        }
    }
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

using Kind = GemmOp::Kind;

std::vector<std::size_t> columns_of(const GemmShape& shape) {
    Case c;
    c.params.shape = shape;
    c.weights.assign(
        shape.dst_channels * shape.src_channels * shape.kernel_height * shape.kernel_width, 1);
    c.scale = {1.0f};
    const gemm::Packed packed = gemm::lay_out(c.complete());
    std::vector<std::size_t> list{packed.inner.begin, packed.inner.end};
    for (const gemm::EdgeColumn& column : packed.edge_columns) {
        list.insert(list.end(), {column.x, column.kernel.begin, column.kernel.end});
    }
    return list;
}

// Where the inner columns begin and end, then each other column and its columns of the kernel.
TEST_F(GemmVnniTest, ColumnsAtTheEdges) {
    GemmShape s = shape_3x3(8, 3, 9, 12);
    EXPECT_THAT(columns_of(s), ElementsAre(1, 11, 0, 1, 3, 11, 0, 2));
    s.kernel_width = 5;
    s.pad_left = 2;
    EXPECT_THAT(columns_of(s), ElementsAre(2, 10, 0, 2, 5, 1, 1, 5, 10, 0, 4, 11, 0, 3));
    s.pad_left = 0;
    EXPECT_THAT(columns_of(s), ElementsAre(0, 8, 8, 0, 4, 9, 0, 3, 10, 0, 2, 11, 0, 1));
    s.kernel_width = 3;
    s.pad_left = 1;
    s.src_channels = 6;  // columns that begin within a four
    EXPECT_THAT(columns_of(s), ElementsAre(0, 12));
    s.src_channels = 8;
    s.src_width = s.dst_width = 5;  // three inner pixels are too few
    EXPECT_THAT(columns_of(s), ElementsAre(0, 5));
    s.src_width = s.dst_width = 12;
    s.dst_height = 4;  // too few rows
    EXPECT_THAT(columns_of(s), ElementsAre(0, 12));
}

Case random_edges(std::mt19937& rng) {
    const auto between = [&](std::size_t low, std::size_t high) {
        return low + rng() % (high - low + 1);
    };
    Case c;
    GemmShape& s = c.params.shape;
    s.batch = between(1, 2);
    s.src_channels = 4 * between(1, 40);
    s.dst_channels = between(1, 140);
    s.kernel_height = between(1, 5);
    s.kernel_width = between(2, 5);
    s.stride_height = between(1, 2);
    s.stride_width = between(1, 2);
    s.pad_top = static_cast<std::ptrdiff_t>(between(0, s.kernel_height - 1));
    s.pad_left = static_cast<std::ptrdiff_t>(between(0, s.kernel_width - 1));
    s.src_height = between(6, 16);
    s.src_width = between(8, 34);
    s.dst_height = std::max<std::size_t>(s.src_height / s.stride_height, 1);
    s.dst_width = std::max<std::size_t>(s.src_width / s.stride_width, 1);
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::f32};
    c.params.dst_type = kTypes[rng() % 3];
    c.weights =
        random_weights(rng, s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width);
    c.src = fuseq::test::random_elements(rng, ElementType::u8,
                                         s.batch * s.src_height * s.src_width * s.src_channels);
    c.scale = {0.002f};
    c.bias = fuseq::test::random_floats(rng, s.dst_channels, -9000.0f, 9000.0f);
    if (const std::size_t binary_sources = rng() % 3; binary_sources != 0) {
        const ElementType q = kTypes[rng() % 2];
        const float low = q == ElementType::u8 ? 0.0f : -128.0f;
        c.params.ops.push_back({.kind = Kind::kRoundClip, .a = {low}, .b = {low + 255.0f}});
        c.params.ops.push_back({.kind = Kind::kScale, .a = {0.6137f}});
        for (std::size_t i = 0; i < binary_sources;
             ++i) {  // one is a requantizing add where there are bytes
            const ElementType type = kTypes[rng() % 3];
            c.binary_sources.push_back(fuseq::test::random_elements(rng, type, c.elements()));
            c.params.ops.push_back(
                {.kind = Kind::kSum, .binary = {.input = i, .type = type, .scale = 0.7319f}});
        }
    }
    return c;
}

TEST_F(GemmVnniTest, ColumnsAtTheEdgesAreExact) {
    std::size_t apart = 0;
    for (unsigned seed = 0; seed < 80; ++seed) {
        std::mt19937 rng(seed);
        const Case c = random_edges(rng);
        const GemmShape& s = c.params.shape;
        SCOPED_TRACE(detail::cat("seed ", seed, ": ", s.dst_height, " x ", s.dst_width, ", kernel ",
                                 s.kernel_height, " x ", s.kernel_width));
        expect_exact(c);
        apart += gemm::lay_out(c.complete()).edge_columns.empty() ? 0 : 1;
    }
    EXPECT_GT(apart, 20u);
}

// Rows of 16 pixels of 256 bytes: the pixels of a column would be in one set of the first cache.
TEST_F(GemmVnniTest, PixelsOfAColumnAreInDifferentSets) {
    std::mt19937 rng(5);
    Case c;
    c.params.shape = shape_3x3(256, 32, 7, 14);
    c.weights = random_weights(rng, std::size_t{32} * 256 * 9);
    c.scale = {0.001f};
    c.src = fuseq::test::random_elements(rng, ElementType::u8, std::size_t{7} * 14 * 256);
    EXPECT_EQ(gemm::lay_out(c.complete()).pitch, 16u * 256 + 64);
    expect_exact(c);
    c.params.src_zero_point = 3;  // padding that counts
    expect_exact(c);
    c.wei_zero_point = {2.0f};
    expect_exact(c);
}

// ---- rows of src that are read where they are
// ----------------------------------------------------

GemmShape long_rows() {
    return shape_3x3(8, 64, 9, 72);
}

TEST_F(GemmVnniTest, LongRowsOfFewChannelsAreReadDirectly) {
    const auto direct = [](const GemmShape& shape, ElementType type = ElementType::u8,
                           const std::vector<float>& wei_zero_point = {}) {
        std::mt19937 rng(3);
        Case c;
        c.params.shape = shape;
        c.params.src_type = type;
        c.weights = random_weights(rng, shape.dst_channels * shape.src_channels *
                                            shape.kernel_height * shape.kernel_width);
        c.scale = {1.0f};
        c.wei_zero_point = wei_zero_point;
        return gemm::lay_out(c.complete()).direct;
    };
    GemmShape s = long_rows();
    EXPECT_TRUE(direct(s));
    EXPECT_TRUE(GemmVnni::is_direct(s));
    EXPECT_FALSE(direct(s, ElementType::i8));          // a sign that is to be flipped
    EXPECT_FALSE(direct(s, ElementType::u8, {2.0f}));  // sums of windows
    const auto others = [&](auto change) {
        GemmShape other = s;
        change(other);
        return direct(other) || GemmVnni::is_direct(other);
    };
    EXPECT_FALSE(others([](GemmShape& o) { o.dst_channels = 65; }));  // more than a panel
    EXPECT_FALSE(others([](GemmShape& o) { o.src_channels = 6; }));
    EXPECT_FALSE(others([](GemmShape& o) { o.src_width = o.dst_width = 60; }));
    EXPECT_FALSE(others([](GemmShape& o) { o.src_height = o.dst_height = 4; }));
    EXPECT_FALSE(others([](GemmShape& o) { o.dilation_width = 2; }));
    EXPECT_FALSE(others([](GemmShape& o) { o.kernel_width = 1, o.pad_left = 0; }));
}

// Strips of either side, for the pixels whose windows reach over the edge.
TEST_F(GemmVnniTest, EdgeCopies) {
    Case c;
    c.params.shape = long_rows();
    c.params.shape.kernel_width = 5;
    c.params.shape.pad_left = 2;
    c.weights.assign(std::size_t{64} * 8 * 15, 1);
    c.scale = {1.0f};
    const gemm::Packed p = gemm::lay_out(c.complete());
    ASSERT_TRUE(p.direct);
    EXPECT_EQ(p.pitch, 72u * 8);
    EXPECT_THAT(p.taps, ElementsAre(0, 72 * 8, 2 * 72 * 8));
    EXPECT_EQ(p.inner.begin, 2u);
    EXPECT_EQ(p.inner.end, 70u);
    EXPECT_EQ(p.edge_columns.size(), 4u);
    EXPECT_EQ(p.edge_copies[0].begin, -2);
    EXPECT_EQ(p.edge_copies[1].begin, 68);
    for (const gemm::EdgeCopy& copy : p.edge_copies) {  // two windows of five
        EXPECT_EQ(copy.pitch, 6u * 8);
        EXPECT_THAT(copy.taps, ElementsAre(0, 6 * 8, 2 * 6 * 8));
    }
    EXPECT_EQ(p.edge_copies[0].at, 0u);
    EXPECT_EQ(p.edge_copies[1].at, 11u * 6 * 8);
}

Case random_long_rows(std::mt19937& rng) {
    Case c = random_edges(rng);
    GemmShape& s = c.params.shape;
    s.src_channels = 4 * (1 + rng() % 9);
    s.dst_channels = 1 + rng() % 64;
    s.dilation_height = 1 + rng() % 2;
    s.src_width = s.stride_width * (61 + rng() % 40);
    s.src_height = s.stride_height * (5 + rng() % 6);
    s.dst_width = s.src_width / s.stride_width;
    s.dst_height = s.src_height / s.stride_height;
    c.params.src_zero_point = rng() % 2 == 0 ? 0 : static_cast<int>(rng() % 256);
    c.weights =
        random_weights(rng, s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width);
    c.src = fuseq::test::random_elements(rng, ElementType::u8,
                                         s.batch * s.src_height * s.src_width * s.src_channels);
    c.bias = fuseq::test::random_floats(rng, s.dst_channels, -9000.0f, 9000.0f);
    for (const GemmOp& op : c.params.ops) {
        if (op.kind == Kind::kSum) {
            c.binary_sources[op.binary.input] =
                fuseq::test::random_elements(rng, op.binary.type, c.elements());
        }
    }
    return c;
}

TEST_F(GemmVnniTest, DirectConvolutionsAreExact) {
    std::size_t direct = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 rng(seed);
        const Case c = random_long_rows(rng);
        const GemmShape& s = c.params.shape;
        SCOPED_TRACE(detail::cat("seed ", seed, ": ", s.dst_height, " x ", s.dst_width, ", kernel ",
                                 s.kernel_height, " x ", s.kernel_width));
        expect_exact(c);
        direct += gemm::lay_out(c.complete()).direct ? 1 : 0;
    }
    EXPECT_GT(direct, 40u);
}

// Blocks of rows, into a slice of the channels of another tensor; the memory after src is not
// read.
TEST_F(GemmVnniTest, DirectConvolutionsOfManyBlocks) {
    std::mt19937 rng(11);
    Case c;
    c.params.shape = long_rows();
    GemmShape& s = c.params.shape;
    s.src_channels = 32;
    s.dst_channels = 32;
    s.src_height = s.dst_height = 200;
    c.weights = random_weights(rng, std::size_t{32} * 32 * 9);
    c.scale = {0.002f};
    c.bias = {9000.0f};
    c.src = fuseq::test::random_elements(rng, ElementType::u8, std::size_t{200} * 72 * 32);
    ASSERT_LT(gemm::lay_out(c.complete()).block, 100u);
    const std::vector<float> want = expected(c);
    const GemmVnni gemm(c.complete());
    constexpr std::size_t kPitch = 80;
    constexpr std::uint8_t kMark = 0xA5;
    for (const std::size_t parts : {1, 3}) {
        Bytes dst(std::size_t{200} * 72 * kPitch, kMark);
        AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes() * parts, 0x3C);
        for (std::size_t part = parts; part-- > 0;) {
            gemm.run({.src = c.src.data(),
                      .dst = dst.data() + 16,
                      .scratch = scratch.data(),
                      .dst_pitch = kPitch},
                     part, gemm.split(parts));
        }
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < dst.size(); ++i) {
            const std::size_t n = i % kPitch;
            const bool inside = n >= 16 && n < 48;
            const float is = dst[i];
            wrong += is != (inside ? want[i / kPitch * 32 + n - 16] : float{kMark}) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0u) << "in " << parts << " parts";
    }
}

}  // namespace
}  // namespace fuseq::kernels
