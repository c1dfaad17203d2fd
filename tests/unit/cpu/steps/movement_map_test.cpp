// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/movement_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

TEST(MovementMap, KeepsRunsTogether) {
    // Columns 1 and 2 of rows of four, elements of two bytes.
    const std::vector<std::int32_t> sources = {2, 3, 6, 7, 10, 11};
    const MovementMap map = make_movement_map(sources, 2, {2, 6});
    EXPECT_EQ(map.block, 4u);
    EXPECT_FALSE(map.has_constant);
    EXPECT_EQ(map.blocks(), 3u);
}

TEST(MovementMap, FindsThePeriodOfAPick) {
    // Of each of four pixels with three channels: channels 2, 0.
    const std::vector<std::int32_t> sources = {3, 1, 6, 4, 9, 7, 12, 10};
    const MovementMap map = make_movement_map(sources, 1, {2, 8});
    EXPECT_EQ(map.block, 1u);
    EXPECT_THAT(map.src_inner, ElementsAre(0, -2));
    EXPECT_THAT(map.dst_inner, ElementsAre(0, 1));
    EXPECT_THAT(map.src_outer, ElementsAre(2, 5, 8, 11));
    EXPECT_THAT(map.dst_outer, ElementsAre(0, 2, 4, 6));
}

TEST(StridedRunOfAMap, IsASliceOfChannels) {
    // Channels 1 to 3 of eight pixels of five, elements of two bytes; with and without a period.
    std::vector<std::int32_t> sources;
    for (std::int32_t pixel = 0; pixel < 8; ++pixel) {
        for (std::int32_t channel = 1; channel < 4; ++channel) {
            sources.push_back(1 + 5 * pixel + channel);
        }
    }
    for (const std::vector<std::size_t>& periods : {std::vector<std::size_t>{3, 12}, {}}) {
        const MovementMap map = make_movement_map(sources, 2, periods);
        const auto run = strided_run(map);
        ASSERT_TRUE(run);
        EXPECT_EQ(run->src, 2);
        EXPECT_EQ(run->dst, 0);
        EXPECT_EQ(run->src_step, 10u);
        EXPECT_EQ(run->dst_step, 6u);
        EXPECT_EQ(map.blocks(), 8u);
    }
}

TEST(StridedRunOfAMap, IsNothingElse) {
    const auto is_run = [](const std::vector<std::int32_t>& sources) {
        return strided_run(make_movement_map(sources, 1, {2})).has_value();
    };
    EXPECT_TRUE(is_run({1, 2, 6, 7, 11, 12}));
    EXPECT_TRUE(is_run({1, 2, 1, 2, 1, 2}));           // the same again
    EXPECT_FALSE(is_run({1, 2, 6, 7, 12, 13}));        // not as far apart
    EXPECT_FALSE(is_run({11, 12, 6, 7, 1, 2}));        // backwards
    EXPECT_FALSE(is_run({1, 2, 3, 4, 5, 6}));          // one block
    EXPECT_FALSE(is_run({1, 2, 0, 6, 7, 11, 12, 0}));  // a gap in dst that does not repeat
}

TEST(MovementMap, LeavesConstantsOut) {
    const std::vector<std::int32_t> sources = {0, 1, 2, 0, 0, 3, 4, 0};
    const MovementMap map = make_movement_map(sources, 4, {2, 4});
    EXPECT_TRUE(map.has_constant);
    EXPECT_EQ(map.block, 8u);
    EXPECT_EQ(map.blocks(), 2u);
    EXPECT_EQ(make_movement_map(std::vector<std::int32_t>(3, 0), 4, {3}).blocks(), 0u);
}

// Any table, cut anywhere: the same as element by element.
TEST(MovementMap, CopiesAnyTable) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 200; ++round) {
        const std::size_t element = std::size_t{1} << random() % 4;
        const std::size_t count = 1 + random() % 60;
        std::vector<std::int32_t> sources(count);
        const std::int32_t step = static_cast<std::int32_t>(random() % 4);
        for (std::size_t i = 0; i < count; ++i) {
            sources[i] =
                random() % 8 == 0 ? kFromConstant : 1 + static_cast<std::int32_t>(i % 7) * step;
        }
        std::vector<unsigned char> src(20 * element);
        for (auto& byte : src) {
            byte = static_cast<unsigned char>(random() & 0xff);
        }
        std::vector<unsigned char> want(count * element, 77);
        for (std::size_t i = 0; i < count * element; ++i) {
            const std::int32_t from = sources[i / element];
            want[i] = from == kFromConstant
                          ? want[i]
                          : src[static_cast<std::size_t>(from - 1) * element + i % element];
        }
        const MovementMap map = make_movement_map(sources, element, {1, 2, 3, 7, count});
        std::vector<unsigned char> got(count * element, 77);
        const std::size_t cut = random() % (map.blocks() + 1);
        copy_blocks(map, src.data(), got.data(), 0, cut);
        copy_blocks(map, src.data(), got.data(), cut, map.blocks());
        ASSERT_EQ(got, want);
    }
}

}  // namespace
}  // namespace fuseq::cpu
