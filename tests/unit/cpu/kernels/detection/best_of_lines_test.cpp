// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/detection/best_of_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace fuseq::cpu {
namespace {

using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

template <class T>
struct Best {
    std::vector<T> values;
    std::vector<std::int32_t> places;
};

template <class T>
Best<T> best(const Lines<T>& lines, std::size_t count) {
    Best<T> best{std::vector<T>(count), std::vector<std::int32_t>(count, -1)};
    best_of_lines(lines, count, best.values.data(), best.places.data());
    return best;
}

// Three lines of four, one after the other.
TEST(BestOfLines, OfLinesInARow) {
    const float values[] = {1, 5, 5, 2, /**/ -3, -1, -2, -1, /**/ 0, -kInf, kInf, 7};
    Lines<float> lines{.first = values, .size = 4, .stride = 1, .step = 4};
    const auto largest = best(lines, 3);
    EXPECT_THAT(largest.values, ElementsAre(5, -1, kInf));
    EXPECT_THAT(largest.places, ElementsAre(1, 1, 2));
    lines.largest = false;
    const auto least = best(lines, 3);
    EXPECT_THAT(least.values, ElementsAre(1, -3, -kInf));
    EXPECT_THAT(least.places, ElementsAre(0, 0, 1));
}

// The same lines side by side.
TEST(BestOfLines, OfLinesSideBySide) {
    const std::int32_t values[] = {1, -3, 0, /**/ 5, -1, -9, /**/ 5, -2, 9, /**/ 2, -1, 7};
    Lines<std::int32_t> lines{.first = values, .size = 4, .stride = 3, .step = 1};
    const auto largest = best(lines, 3);
    EXPECT_THAT(largest.values, ElementsAre(5, -1, 9));
    EXPECT_THAT(largest.places, ElementsAre(1, 1, 2));
    lines.largest = false;
    const auto least = best(lines, 3);
    EXPECT_THAT(least.values, ElementsAre(1, -3, -9));
    EXPECT_THAT(least.places, ElementsAre(0, 0, 1));
}

TEST(BestOfLines, NanOnlyWhereThereIsNothingElse) {
    const float values[] = {kNan, -2, kNan, /**/ -kInf, kNan, -kInf, /**/ kNan, kNan, kNan};
    Lines<float> lines{.first = values, .size = 3, .stride = 1, .step = 3};
    for (const bool largest : {true, false}) {
        lines.largest = largest;
        const auto found = best(lines, 3);
        EXPECT_EQ(found.values[0], -2.0f);
        EXPECT_EQ(found.values[1], -kInf);
        EXPECT_TRUE(std::isnan(found.values[2]));
        EXPECT_THAT(found.places, ElementsAre(1, 0, 0));
    }
}

// What the definition says, element by element.
template <class T>
std::int32_t place_of_best(const Lines<T>& lines, std::size_t line) {
    const auto at = [&](std::int32_t i) {
        return lines.first[line * lines.step + static_cast<std::size_t>(i) * lines.stride];
    };
    std::int32_t place = 0;
    for (std::int32_t i = 1; i < static_cast<std::int32_t>(lines.size); ++i) {
        const bool better = lines.largest ? at(i) > at(place) : at(i) < at(place);
        const bool number =
            std::isnan(static_cast<double>(at(place))) && !std::isnan(static_cast<double>(at(i)));
        place = better || number ? i : place;
    }
    return place;
}

template <class T>
void check_random(std::mt19937& random, const std::vector<T>& pool) {
    for (int round = 0; round < 200; ++round) {
        const std::size_t size = 1 + random() % 40;
        const std::size_t count = 1 + random() % 150;
        const bool in_row = random() % 2 == 0;
        std::vector<T> values(size * count);
        for (T& value : values) {
            value = pool[random() % pool.size()];
        }
        const Lines<T> lines{.first = values.data(),
                             .size = size,
                             .stride = in_row ? 1 : count,
                             .step = in_row ? size : 1,
                             .largest = random() % 2 == 0};
        const auto found = best(lines, count);
        for (std::size_t line = 0; line < count; ++line) {
            ASSERT_EQ(found.places[line], place_of_best(lines, line))
                << size << " x " << count << " line " << line << (in_row ? " in a row" : "");
        }
    }
}

TEST(BestOfLines, OfRandomLines) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    check_random<float>(random, {-2, -1, -0.5f, 0, 0.25f, 1, 3, kInf, -kInf, kNan});
    check_random<std::int32_t>(random, {-7, -1, 0, 1, 2, 100, 1 << 30});
}

}  // namespace
}  // namespace fuseq::cpu
