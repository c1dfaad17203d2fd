// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/detection/best_ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(RankOf, TheBetterTheLess) {
    const float rising[] = {-kInf, -2.5f, -1e-40f, 0.0f, 1e-40f, 1.0f, kInf};
    for (std::size_t i = 0; i + 1 < std::size(rising); ++i) {
        EXPECT_LT(rank_of(rising[i], false), rank_of(rising[i + 1], false));
        EXPECT_GT(rank_of(rising[i], true), rank_of(rising[i + 1], true));
    }
    for (const bool largest : {true, false}) {
        EXPECT_EQ(rank_of(0.0f, largest), rank_of(-0.0f, largest));
        EXPECT_EQ(rank_of(kNan, largest), rank_of(-kNan, largest));
        EXPECT_GT(rank_of(kNan, largest), rank_of(kInf, largest));
        EXPECT_GT(rank_of(kNan, largest), rank_of(-kInf, largest));
    }
    EXPECT_LT(rank_of<std::int32_t>(-5, false), rank_of<std::int32_t>(4, false));
    EXPECT_GT(rank_of<std::int32_t>(-5, true), rank_of<std::int32_t>(4, true));
}

std::vector<std::uint64_t> best_of(const std::vector<std::uint32_t>& ranks, std::size_t most) {
    std::vector<std::uint64_t> entries(best_ranks_room(ranks.size(), most));
    entries.resize(best_ranks(ranks.data(), ranks.size(), most, entries.data()));
    std::vector<std::uint64_t> work(entries.size());
    sort_entries(entries.data(), entries.size(), work.data());
    return entries;
}

TEST(BestRanks, OfEqualOnesTheFirst) {
    EXPECT_THAT(best_of({7, 3, 9, 3, 1, 9}, 3),
                ElementsAre(entry_of(1, 4), entry_of(3, 1), entry_of(3, 3)));
    EXPECT_THAT(best_of({5, 5, 5}, 2), ElementsAre(entry_of(5, 0), entry_of(5, 1)));
    EXPECT_THAT(best_of({2, 1}, 9), ElementsAre(entry_of(1, 1), entry_of(2, 0)));
    EXPECT_THAT(best_of({2, 1}, 0), IsEmpty());
    EXPECT_THAT(best_of({}, 4), IsEmpty());
}

// Against sorting all of them: random ranks, few different ones, rising and falling ones.
TEST(BestRanks, AreThoseOfASortedList) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (const std::size_t count : {1, 15, 64, 127, 128, 1000, 1100, 5003, 20000}) {
        for (const std::size_t most : {1, 2, 100, 400, 1000, 30000}) {
            for (int kind = 0; kind < 4; ++kind) {
                std::vector<std::uint32_t> ranks(count);
                for (std::size_t i = 0; i < count; ++i) {
                    const auto place = static_cast<std::uint32_t>(i);
                    ranks[i] = kind == 0   ? static_cast<std::uint32_t>(random())
                               : kind == 1 ? static_cast<std::uint32_t>(random() % 5)
                               : kind == 2 ? place
                                           : ~place;
                }
                std::vector<std::uint64_t> want(count);
                for (std::size_t i = 0; i < count; ++i) {
                    want[i] = entry_of(ranks[i], i);
                }
                std::sort(want.begin(), want.end());
                want.resize(std::min(count, most));
                ASSERT_EQ(best_of(ranks, most), want) << count << ", " << most << ", " << kind;
            }
        }
    }
}

TEST(PlacesAbove, AreThoseOfALoop) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> values(0, 1);
    for (const std::size_t count : {0, 1, 3, 16, 63, 64, 65, 200, 1024}) {
        for (const float threshold : {-1.0f, 0.1f, 0.5f, 0.97f, 2.0f}) {
            std::vector<float> scores(count);
            for (float& score : scores) {
                score = random() % 20 == 0 ? kNan : random() % 20 == 0 ? threshold : values(random);
            }
            std::vector<std::int32_t> want;
            for (std::size_t i = 0; i < count; ++i) {
                if (scores[i] > threshold) {
                    want.push_back(static_cast<std::int32_t>(i));
                }
            }
            std::vector<std::int32_t> places(count);
            places.resize(places_above(scores.data(), count, threshold, places.data()));
            EXPECT_EQ(places, want) << count << ", " << threshold;
        }
    }
}

TEST(PlacesAbove, LeavesAClassOut) {
    test::on_every_target([](const std::string&) {
        std::mt19937 random(3);
        std::uniform_real_distribution<float> values(0, 1);
        for (const std::size_t count : {0, 1, 3, 16, 63, 64, 66, 200, 1024}) {
            for (const LeftOut& out :
                 {LeftOut{2, 0}, LeftOut{2, 1}, LeftOut{4, 0}, LeftOut{4, 3}}) {
                std::vector<float> scores(count);
                std::vector<std::int32_t> want;
                for (std::size_t i = 0; i < count; ++i) {
                    scores[i] = values(random);
                    if (scores[i] > 0.3f && i % out.period != out.first) {
                        want.push_back(static_cast<std::int32_t>(i));
                    }
                }
                std::vector<std::int32_t> places(count);
                places.resize(places_above(scores.data(), count, 0.3f, places.data(), out));
                EXPECT_EQ(places, want) << count << ", " << out.first << " of " << out.period;
            }
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
