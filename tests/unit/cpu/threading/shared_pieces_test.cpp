// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/shared_pieces.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

TEST(SharedPieces, GivesHalfOfAnEvenShareOfWhatIsLeft) {
    SharedPieces pieces(20);
    std::vector<std::size_t> sizes;
    for (auto range = pieces.take(2); range.begin != range.end; range = pieces.take(2)) {
        sizes.push_back(range.end - range.begin);
    }
    // 20 / 4, 15 / 4, 12 / 4, ...
    EXPECT_THAT(sizes, ::testing::ElementsAre(5, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1));
}

TEST(SharedPieces, HasNothingForOthersWhenAllIsTaken) {
    SharedPieces none(0);
    EXPECT_EQ(none.take(3).begin, none.take(3).end);
    SharedPieces one(1);
    EXPECT_EQ(one.take(8).end, 1u);
    const auto after = one.take(8);
    EXPECT_EQ(after.begin, after.end);
}

}  // namespace
}  // namespace fuseq::cpu
