// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/huge_pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace fuseq {
namespace {

TEST(HugePages, AreZeroAndBeginWhereAPageDoes) {
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{4097}, kHugePage, kHugePage + 1, 3 * kHugePage - 5}) {
        auto* memory = static_cast<unsigned char*>(map_huge_pages(bytes));
        ASSERT_NE(memory, nullptr) << bytes;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % kHugePage, 0u);
        EXPECT_TRUE(std::all_of(memory, memory + bytes, [](unsigned char c) { return c == 0; }));
        std::fill(memory, memory + bytes, std::uint8_t{7});
        unmap_huge_pages(memory, bytes);
    }
}

// What is cut off in front and after does not belong to a neighbour.
TEST(HugePages, DoNotTouchEachOther) {
    constexpr std::size_t kBytes = kHugePage + 5000;
    auto* one = static_cast<unsigned char*>(map_huge_pages(kBytes));
    auto* two = static_cast<unsigned char*>(map_huge_pages(kBytes));
    ASSERT_TRUE(one != nullptr && two != nullptr);
    std::fill(one, one + kBytes, std::uint8_t{1});
    std::fill(two, two + kBytes, std::uint8_t{2});
    unmap_huge_pages(one, kBytes);
    EXPECT_TRUE(std::all_of(two, two + kBytes, [](unsigned char c) { return c == 2; }));
    unmap_huge_pages(two, kBytes);
}

TEST(HugePages, NothingWhereThereIsNoSuchMemory) {
    EXPECT_EQ(map_huge_pages(SIZE_MAX), nullptr);
    EXPECT_EQ(map_huge_pages(SIZE_MAX / 2), nullptr);
    EXPECT_EQ(map_huge_pages(0), nullptr);
}

}  // namespace
}  // namespace fuseq
