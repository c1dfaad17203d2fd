// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/compressed_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::on_every_target;

// The values of nf4 as QLoRA defines them.
constexpr float kNormalFloats[] = {
    -1.0f,
    -0.6961928009986877f,
    -0.5250730514526367f,
    -0.39491748809814453f,
    -0.28444138169288635f,
    -0.18477343022823334f,
    -0.09105003625154495f,
    0.0f,
    0.07958029955625534f,
    0.16093020141124725f,
    0.24611230194568634f,
    0.33791524171829224f,
    0.44070982933044434f,
    0.5626170039176941f,
    0.7229568362236023f,
    1.0f,
};

enum class Zeros { kNone, kOne, kEach };

struct Problem {
    CompressedMatrixParams params;
    bool channels_first = false;
    std::vector<unsigned> bits;  // of the code of [channel][k]
    std::vector<std::uint8_t> codes;
    std::vector<float> scales, zero_points;
    std::vector<float> src;
    std::size_t rows = 0;

    double value(std::size_t channel, std::size_t k) const {
        const auto code = static_cast<int>(bits[channel * params.depth + k]);
        switch (params.type) {
            case ElementType::i8: return code < 128 ? code : code - 256;
            case ElementType::i4: return code < 8 ? code : code - 16;
            case ElementType::nf4: return static_cast<double>(kNormalFloats[code]);
            default: return code;
        }
    }
};

bool is_byte(ElementType type) {
    return type == ElementType::i8 || type == ElementType::u8;
}

Problem random_problem(const CompressedMatrixParams& params,
                       std::size_t rows,
                       bool channels_first,
                       Zeros zeros,
                       std::mt19937& random) {
    Problem p;
    p.params = params;
    p.rows = rows;
    p.channels_first = channels_first;
    const std::size_t count = params.channels * params.depth;
    const unsigned mask = is_byte(params.type) ? 255 : 15;
    p.codes.assign(is_byte(params.type) ? count : (count + 1) / 2, 0);
    for (std::size_t i = 0; i < count; ++i) {
        p.bits.push_back(static_cast<unsigned>(random()) & mask);
        const std::size_t channel = i / params.depth;
        const std::size_t k = i % params.depth;
        const std::size_t place = channels_first ? i : k * params.channels + channel;
        if (is_byte(params.type)) {
            p.codes[place] = static_cast<std::uint8_t>(p.bits[i]);
        } else {
            p.codes[place / 2] =
                static_cast<std::uint8_t>(p.codes[place / 2] | p.bits[i] << (place % 2 * 4));
        }
    }
    std::uniform_real_distribution<float> values(-2.0f, 2.0f);
    std::uniform_real_distribution<float> points(0.0f, static_cast<float>(mask));
    const auto fill = [&](std::vector<float>& to, std::size_t size, auto& from) {
        for (std::size_t i = 0; i < size; ++i) {
            to.push_back(from(random));
        }
    };
    fill(p.src, rows * params.depth, values);
    fill(p.scales, params.channels * params.groups, values);
    if (zeros == Zeros::kOne) {
        p.zero_points.assign(p.scales.size(), points(random));
    } else if (zeros == Zeros::kEach) {
        fill(p.zero_points, p.scales.size(), points);
    }
    return p;
}

// What is wrong with the results; empty: nothing.
std::string fault_of(const Problem& p, const std::vector<float>& dst) {
    constexpr double kTolerance = 2e-6;  // of the sum of magnitudes
    const double max = is_byte(p.params.type) ? 256 : 16;
    for (std::size_t m = 0; m < p.rows; ++m) {
        for (std::size_t n = 0; n < p.params.channels; ++n) {
            double want = 0;
            double magnitude = 0;
            for (std::size_t k = 0; k < p.params.depth; ++k) {
                const std::size_t table =
                    n * p.params.groups + k / (p.params.depth / p.params.groups);
                const double zero = p.zero_points.empty() ? 0 : p.zero_points[table];
                const double x = p.src[m * p.params.depth + k];
                want += x * (p.value(n, k) - zero) * p.scales[table];
                magnitude += std::fabs(x * p.scales[table]) * max;
            }
            const double got = dst[m * p.params.channels + n];
            if (!(std::fabs(got - want) <= kTolerance * magnitude)) {
                return "row " + std::to_string(m) + ", channel " + std::to_string(n) + ": " +
                       std::to_string(got) + ", expected " + std::to_string(want);
            }
        }
    }
    return dst.back() == -7.0f ? "" : "wrote beyond the result";
}

CompressedMatrix packed(const Problem& p) {
    CompressedMatrix matrix(p.params);
    CompressedMatrix::Source source;
    source.codes = p.codes.data();
    source.channels_first = p.channels_first;
    source.scales = p.scales;
    source.zero_points = p.zero_points;
    matrix.pack(source);
    return matrix;
}

std::vector<float> empty_result(const Problem& p) {
    std::vector<float> dst(p.rows * p.params.channels + 1, NAN);
    dst.back() = -7.0f;
    return dst;
}

std::vector<float> streamed(const Problem& p, const CompressedMatrix& matrix) {
    std::vector<float> dst = empty_result(p);
    std::vector<float> work(matrix.work_size(p.rows));
    matrix.prepare(p.src.data(), p.rows, work.data());
    matrix.stream(p.src.data(), p.rows, work.data(), dst.data(), {0, matrix.panels()});
    return dst;
}

std::vector<float> multiplied(const Problem& p, const CompressedMatrix& matrix) {
    std::vector<float> dst = empty_result(p);
    matrix.multiply(p.src.data(), p.rows, dst.data(), {0, matrix.panels()});
    return dst;
}

constexpr ElementType kTypes[] = {ElementType::i8, ElementType::u8, ElementType::i4,
                                  ElementType::u4, ElementType::nf4};

struct Sizes {
    std::size_t channels, depth, groups;
};
// Groups of even and odd lengths, shorter and longer than a block of the depth (256).
constexpr Sizes kSizes[] = {{1, 1, 1},    {16, 7, 1},   {17, 64, 2},  {45, 96, 3},
                            {33, 301, 1}, {20, 45, 3},  {16, 512, 4}, {5, 1027, 1},
                            {18, 600, 2}, {31, 771, 3}, {32, 360, 24}};

TEST(CompressedMatrix, IsTheProductWithTheValuesOfTheCodes) {
    constexpr unsigned kSeed = 11;
    on_every_target([](const std::string& target) {
        std::mt19937 random(kSeed);
        for (const ElementType type : kTypes) {
            for (const Sizes& size : kSizes) {
                for (const std::size_t rows : {1, 2, 3, 4, 5, 6, 7, 12, 13, 33}) {
                    const auto zeros = static_cast<Zeros>(random() % 3);
                    const bool channels_first = random() % 2 == 0;
                    const Problem p = random_problem({type, size.channels, size.depth, size.groups},
                                                     rows, channels_first, zeros, random);
                    const CompressedMatrix matrix = packed(p);
                    SCOPED_TRACE(target + ", seed " + std::to_string(kSeed) + ", " +
                                 to_string(type) + ", " + std::to_string(rows) + " rows, " +
                                 std::to_string(size.channels) + " channels, depth " +
                                 std::to_string(size.depth) + ", groups " +
                                 std::to_string(size.groups) + ", zeros " +
                                 std::to_string(static_cast<int>(zeros)) +
                                 (channels_first ? ", channels first" : ""));
                    if (rows <= CompressedMatrix::kMaxStreamedRows) {
                        ASSERT_EQ(fault_of(p, streamed(p, matrix)), "");
                    }
                    ASSERT_EQ(fault_of(p, multiplied(p, matrix)), "");
                }
            }
        }
    });
}

// (1, 2, 3) by (2 - 8, 15 - 8, 0 - 8) * 0.5 and (1 - 1, 1 - 1, 9 - 1) * 2.
TEST(CompressedMatrix, NumbersWorkedOutByHand) {
    const std::uint8_t codes[] = {0xf2, 0x10, 0x91};  // 2 15 0, 1 1 9
    const float scales[] = {0.5f, 2};
    const float zero_points[] = {8, 1};
    CompressedMatrix matrix({ElementType::u4, 2, 3, 1});
    matrix.pack({codes, true, scales, zero_points});
    const float src[] = {1, 2, 3};
    std::vector<float> work(matrix.work_size(1));
    matrix.prepare(src, 1, work.data());
    EXPECT_EQ(work[0], 6);  // the sum of the values
    float dst[2];
    matrix.stream(src, 1, work.data(), dst, {0, 1});
    EXPECT_EQ(dst[0], -8);
    EXPECT_EQ(dst[1], 48);
}

TEST(CompressedMatrix, EverySplitGivesTheSameBytes) {
    std::mt19937 random(3);
    for (const ElementType type : kTypes) {
        for (const std::size_t rows : {1, 4, 40}) {
            const Problem p = random_problem({type, 70, 600, 2}, rows, true, Zeros::kEach, random);
            const CompressedMatrix matrix = packed(p);
            const bool stream = rows <= CompressedMatrix::kMaxStreamedRows;
            const std::vector<float> whole = stream ? streamed(p, matrix) : multiplied(p, matrix);
            std::vector<float> parts = empty_result(p);
            std::vector<float> work(matrix.work_size(rows));
            matrix.prepare(p.src.data(), rows, work.data());
            for (std::size_t i = matrix.panels(); i-- > 0;) {
                if (stream) {
                    matrix.stream(p.src.data(), rows, work.data(), parts.data(), {i, i + 1});
                    continue;
                }
                // The second part of the rows by itself.
                const std::size_t first = 23;
                matrix.multiply(p.src.data(), first, parts.data(), {i, i + 1});
                matrix.multiply(p.src.data() + first * p.params.depth, rows - first,
                                parts.data() + first * p.params.channels, {i, i + 1});
            }
            EXPECT_EQ(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(float)), 0)
                << to_string(type) << ", " << rows << " rows";
        }
    }
}

// A row whose values are far apart, among them those that integers of 30 bits cannot hold.
TEST(CompressedMatrix, ValuesOfAllSizesMeetCodes) {
    on_every_target([](const std::string& target) {
        std::mt19937 random(5);
        for (const ElementType type : {ElementType::i4, ElementType::u4, ElementType::nf4}) {
            for (const float size : {1.0f, 3e37f, 1e-20f, 1e-35f, 0.0f}) {
                SCOPED_TRACE(target + ", " + to_string(type) + ", " + std::to_string(size));
                Problem p = random_problem({type, 40, 96, 3}, 1, true, Zeros::kNone, random);
                for (std::size_t k = 0; k < p.src.size(); ++k) {
                    p.src[k] *= k % 5 == 0 ? size * 1e-6f : size / 16;
                }
                std::fill_n(p.scales.begin(), p.scales.size(), 0.01f);
                const std::vector<float> dst = streamed(p, packed(p));
                ASSERT_EQ(fault_of(p, dst), "");
            }
            Problem p = random_problem({type, 20, 64, 2}, 1, true, Zeros::kNone, random);
            p.src[40] = INFINITY;
            for (const float value : streamed(p, packed(p))) {
                ASSERT_TRUE(std::isinf(value) || std::isnan(value) || value == -7.0f) << target;
            }
        }
    });
}

TEST(CompressedMatrix, TakesTheMemoryOfTheCodes) {
    std::mt19937 random(4);
    const auto bytes = [&](ElementType type, Zeros zeros) {
        const Problem p = random_problem({type, 64, 256, 2}, 1, true, zeros, random);
        return packed(p).bytes();
    };
    const std::size_t codes = std::size_t{64} * 256;
    const std::size_t table = std::size_t{64} * 2 * sizeof(float);
    EXPECT_EQ(bytes(ElementType::i8, Zeros::kNone), codes + table);
    EXPECT_EQ(bytes(ElementType::u8, Zeros::kEach), codes + 2 * table);
    EXPECT_EQ(bytes(ElementType::u4, Zeros::kNone), codes / 2 + table);
    EXPECT_EQ(bytes(ElementType::u4, Zeros::kOne), codes / 2 + table + sizeof(float));
    EXPECT_EQ(bytes(ElementType::i4, Zeros::kNone), codes / 2 + table + sizeof(float));
    EXPECT_EQ(bytes(ElementType::nf4, Zeros::kNone), codes / 2 + table);
}

}  // namespace
}  // namespace fuseq::kernels
