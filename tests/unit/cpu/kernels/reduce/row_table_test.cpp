// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/row_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::on_every_target;

RowTable packed(std::size_t width,
                ElementType type,
                const std::vector<std::uint8_t>& codes,
                const std::vector<float>& scales,
                const std::vector<float>& offsets) {
    RowTable table(scales.size(), width);
    table.pack({codes.data(), type, scales, offsets});
    return table;
}

std::string hex(const RowTable& table) {
    std::string text;
    for (const std::uint8_t byte : table.bytes()) {
        constexpr const char* kDigits = "0123456789abcdef";
        text += {kDigits[byte / 16], kDigits[byte % 16]};
    }
    return text;
}

// 0.1f is cdcccc3d; 0.5 is 0000003f, as f16 0038; -1.5 is 0000c0bf, as f16 00be; 2 is f16 0040.
TEST(RowTable, HasScaleAndOffsetBehindTheCodes) {
    EXPECT_EQ(hex(packed(3, ElementType::u8, {1, 2, 255}, {0.1f}, {-1.5f})),
              "0102ffcdcccc3d0000c0bf");
    EXPECT_EQ(hex(packed(2, ElementType::u8, {1, 2, 254, 255}, {0.5f, 2}, {-1.5f, 0.5f})),
              "0102003800befeff00400038");
    // The even column is in the low bits; a row begins with a whole byte. Codes 1 2 3, 15 0 7.
    const std::vector<std::uint8_t> nibbles{0x21, 0xf3, 0x70};
    EXPECT_EQ(hex(packed(3, ElementType::u4, nibbles, {0.5f, 2}, {-1.5f, 0.5f})),
              "2103003800be0f0700400038");
    EXPECT_EQ(hex(packed(2, ElementType::u4, {0x21}, {0.1f}, {-1.5f})), "21cdcccc3d0000c0bf");
}

// -128 and 127 become 0 and 255, with the offset 128 steps lower; of 4 bits 8.
TEST(RowTable, TurnsSignedCodesToUnsignedOnes) {
    EXPECT_EQ(hex(packed(2, ElementType::i8, {128, 127}, {0.5f}, {62.5f})), "00ff003800be");
    EXPECT_EQ(hex(packed(2, ElementType::i4, {0x78}, {0.5f}, {2.5f})), "f0003800be");
}

struct Problem {
    std::size_t width;
    bool nibbles;
    bool half;
    std::vector<std::uint8_t> codes;  // one a byte
    std::vector<float> scales, offsets;

    Problem(std::size_t columns, bool four_bits, bool halves, std::mt19937& random)
        : width(columns), nibbles(four_bits), half(halves) {
        for (std::size_t r = 0; r < kRows; ++r) {
            scales.push_back(half ? 0.25f : 0.1f + 0.01f * static_cast<float>(random() % 64));
            offsets.push_back(static_cast<float>(random() % 64) - 32);
            for (std::size_t c = 0; c < width; ++c) {
                codes.push_back(static_cast<std::uint8_t>(random() & (nibbles ? 15u : 255u)));
            }
        }
    }
    static constexpr std::size_t kRows = 20;

    RowTable table() const {
        if (!nibbles) {
            return packed(width, ElementType::u8, codes, scales, offsets);
        }
        std::vector<std::uint8_t> pairs((codes.size() + 1) / 2);
        for (std::size_t i = 0; i < codes.size(); ++i) {
            pairs[i / 2] = static_cast<std::uint8_t>(pairs[i / 2] | codes[i] << (i % 2 * 4));
        }
        return packed(width, ElementType::u4, pairs, scales, offsets);
    }
    double value(std::size_t row, std::size_t column) const {
        return codes[row * width + column] * static_cast<double>(scales[row]) +
               static_cast<double>(offsets[row]);
    }
};

TEST(RowTable, SumsWeightedRowsOfBags) {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (const std::size_t width : {1u, 7u, 16u, 33u, 64u, 100u, 128u, 300u}) {
        for (const bool nibbles : {false, true}) {
            for (const bool half : {false, true}) {
                const Problem problem(width, nibbles, half, random);
                const RowTable table = problem.table();
                ASSERT_EQ(table.half(), half);
                ASSERT_EQ(table.row_bytes(),
                          (nibbles ? (width + 1) / 2 : width) + (half ? 4u : 8u));
                const std::vector<std::size_t> picked{3, 19, 0, 3, 7};
                const std::vector<float> weights{1, -2, 0.5f, 3, 0.25f};
                const std::vector<std::size_t> begins{0, 3, 3, 5};  // the second bag is empty
                std::vector<const std::uint8_t*> rows;
                for (const std::size_t row : picked) {
                    rows.push_back(table.row(row));
                }
                on_every_target([&](const std::string& target) {
                    RowBags bags{rows.data(), weights.data(), begins.data(), table.row(5), false};
                    std::vector<float> dst(3 * width, NAN);
                    sum_rows(table, bags, dst.data(), {0, 3});
                    for (std::size_t c = 0; c < width; ++c) {
                        SCOPED_TRACE(target + ", column " + std::to_string(c) + " of " +
                                     std::to_string(width));
                        const auto value = [&](std::size_t i) {
                            return static_cast<double>(weights[i]) * problem.value(picked[i], c);
                        };
                        EXPECT_NEAR(dst[c], value(0) + value(1) + value(2), 2e-4);
                        EXPECT_NEAR(dst[width + c], problem.value(5, c), 1e-4);
                        EXPECT_NEAR(dst[2 * width + c], value(3) + value(4), 2e-4);
                    }
                });
            }
        }
    }
}

TEST(RowTable, AveragesBagsAndPicksSingleRows) {
    const RowTable table =
        packed(2, ElementType::u8, {1, 2, 3, 4, 10, 20}, {1, 2, 0.5f}, {0, 1, -1});
    const std::vector<const std::uint8_t*> rows{table.row(0), table.row(1), table.row(2), nullptr};
    const std::vector<std::size_t> begins{0, 2, 2};
    on_every_target([&](const std::string&) {
        std::vector<float> dst(4, NAN);
        sum_rows(table, {rows.data(), nullptr, begins.data(), nullptr, true}, dst.data(), {0, 2});
        EXPECT_EQ(dst, (std::vector<float>{4, 5.5f, 0, 0}));  // (1 2), (7 9); nothing
        dst.assign(8, NAN);
        sum_rows(table, {rows.data(), nullptr, nullptr, nullptr, false}, dst.data(), {0, 4});
        EXPECT_EQ(dst, (std::vector<float>{1, 2, 7, 9, 4, 9, 0, 0}));
    });
}

}  // namespace
}  // namespace fuseq::kernels
