// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/strided_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

TEST(StridedMap, MergesLoopsThatAreOne) {
    // [2, 3, 4] to the same order: one block.
    const MovementMap map = make_strided_map({{{2, 12, 12}, {3, 4, 4}, {4, 1, 1}}}, 2);
    EXPECT_EQ(map.block, 48u);
    EXPECT_EQ(map.blocks(), 1u);
    EXPECT_EQ(map.elements, 24u);
    EXPECT_FALSE(map.has_constant);
}

TEST(StridedMap, TransposesAMatrix) {
    // [2, 3] to [3, 2], four bytes an element: dst (r, c) is src (c, r).
    const MovementMap map = make_strided_map({{{3, 1, 2}, {2, 3, 1}}}, 4);
    EXPECT_EQ(map.block, 4u);
    const std::int32_t src[] = {10, 11, 12, 20, 21, 22};
    std::int32_t dst[6] = {};
    copy_blocks(map, src, dst, 0, map.blocks());
    EXPECT_THAT(dst, ElementsAre(10, 20, 11, 21, 12, 22));
}

TEST(StridedMap, PicksElements) {
    const std::int32_t src[] = {10, 11, 12, 20, 21, 22, 30, 31, 32};
    // Columns 2, 0 and 0 of three rows.
    const MovementMap columns = make_strided_map({{{3, 3, 3}, {3, 1, 1, {2, 0, 0}}}}, 4);
    EXPECT_EQ(columns.block, 4u);
    std::int32_t dst[9] = {};
    copy_blocks(columns, src, dst, 0, columns.blocks());
    EXPECT_THAT(dst, ElementsAre(12, 10, 10, 22, 20, 20, 32, 30, 30));
    // Rows 2 and 0.
    const MovementMap rows = make_strided_map({{{2, 3, 3, {2, 0}}, {3, 1, 1}}}, 4);
    EXPECT_EQ(rows.block, 12u);
    EXPECT_EQ(rows.blocks(), 2u);
    copy_blocks(rows, src, dst, 0, rows.blocks());
    EXPECT_THAT(std::vector<std::int32_t>(dst, dst + 6), ElementsAre(30, 31, 32, 10, 11, 12));
}

TEST(StridedMap, ElementsInARowAreOneBlock) {
    // Rows 1 and 2 of three: neighbours in both tensors.
    const MovementMap map = make_strided_map({{{2, 3, 3, {1, 2}}, {3, 1, 1}}}, 4);
    EXPECT_EQ(map.blocks(), 1u);
    EXPECT_EQ(map.block, 24u);
    EXPECT_THAT(map.src_outer, ElementsAre(12));
    EXPECT_THAT(map.dst_outer, ElementsAre(0));
}

TEST(StridedMap, BeginsWhereItIsTold) {
    // The last two of three columns.
    const MovementMap map = make_strided_map({{{2, 3, 2}, {2, 1, 1}}, 1}, 1);
    const std::int8_t src[] = {1, 2, 3, 4, 5, 6};
    std::int8_t dst[4] = {};
    copy_blocks(map, src, dst, 0, map.blocks());
    EXPECT_THAT(dst, ElementsAre(2, 3, 5, 6));
}

TEST(StridedMap, RandomPermutationsMoveEveryElement) {
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int trial = 0; trial < 100; ++trial) {
        const std::size_t rank = 1 + random() % 6;
        std::vector<MovedDim> dims(rank);
        std::vector<std::size_t> order(rank);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::int64_t stride = 1;
        for (MovedDim& d : dims) {
            d.size = 1 + random() % 4;
            d.src_stride = stride;
            stride *= static_cast<std::int64_t>(d.size);
        }
        std::shuffle(order.begin(), order.end(), random);
        const auto count = static_cast<std::size_t>(stride);
        stride = 1;
        for (const std::size_t d : order) {
            dims[d].dst_stride = stride;
            stride *= static_cast<std::int64_t>(dims[d].size);
        }
        std::vector<std::int16_t> src(count);
        std::vector<std::int16_t> dst(count, -1);
        std::vector<std::int16_t> expected(count);
        std::iota(src.begin(), src.end(), std::int16_t{0});
        for (std::size_t i = 0; i < count; ++i) {
            std::int64_t to = 0;
            for (const MovedDim& d : dims) {
                to += static_cast<std::int64_t>(i) / d.src_stride %
                      static_cast<std::int64_t>(d.size) * d.dst_stride;
            }
            expected[static_cast<std::size_t>(to)] = src[i];
        }
        std::shuffle(dims.begin(), dims.end(), random);
        const MovementMap map = make_strided_map({dims}, 2);
        copy_blocks(map, src.data(), dst.data(), 0, map.blocks());
        ASSERT_EQ(dst, expected);
    }
}

}  // namespace
}  // namespace fuseq::cpu
