// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every integer of 16 bits, by the same sums in 64 bits.
#include "cpu/kernels/eltwise/sigmoid_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

// y = 100 + 2 a line, of 255 lines of 2^bits; then all is 9999.
SigmoidLines some_lines(int right_shift, int bits) {
    SigmoidLines lines;
    for (std::size_t i = 0; i < lines.lines.size(); ++i) {
        lines.lines[i] = static_cast<std::uint32_t>(100 + 2 * i) | 2U << 16;
    }
    lines.lines.back() = 9999;
    lines.multiplier = 20000;
    lines.nudge = right_shift == 0 ? 0 : 1 << (right_shift - 1);
    lines.right_shift = right_shift;
    lines.bits = bits;
    lines.dropped = bits;
    lines.offset = 5;
    lines.negative_offset = -70000;
    return lines;
}

std::int64_t by_definition(const SigmoidLines& p, std::int32_t x) {
    const std::int64_t v =
        (std::int64_t{x} * p.multiplier + p.nudge) >> p.right_shift;  // within 32 bits
    const std::int64_t magnitude = std::abs(v);
    const std::int64_t whole = magnitude >> p.bits;
    const std::int64_t unit = std::int64_t{1} << p.bits;
    const std::int64_t y =
        whole >= 255 ? 9999 * unit : (100 + 2 * whole) * unit + 2 * (magnitude % unit);
    return ((v < 0 ? -y : y) + (v < 0 ? p.negative_offset : p.offset)) >> p.dropped;
}

TEST(SigmoidLines, AreOfEveryInteger) {
    constexpr std::size_t kCount = 65536;
    std::vector<std::int16_t> src(kCount);
    std::iota(src.begin(), src.end(), std::int16_t{-32768});
    test::on_every_target([&](const std::string&) {
        for (const int right_shift : {0, 7, 13, 31}) {
            for (const int bits : {8, 9}) {
                const SigmoidLines lines = some_lines(right_shift, bits);
                std::vector<std::int16_t> dst(kCount + 1, 77);
                sigmoid_by_lines(lines, src.data(), kCount, dst.data());
                for (std::size_t i = 0; i < kCount; ++i) {
                    ASSERT_EQ(dst[i], by_definition(lines, src[i]))
                        << src[i] << " " << right_shift << " " << bits;
                }
                ASSERT_EQ(dst[kCount], 77);
            }
        }
    });
}

// Also in place.
TEST(SigmoidLines, OfAnyCount) {
    const SigmoidLines lines = some_lines(10, 8);
    test::on_every_target([&](const std::string&) {
        for (std::size_t count = 1; count < 40; ++count) {
            std::vector<std::int16_t> values(count + 1, 77);
            for (std::size_t i = 0; i < count; ++i) {
                values[i] = static_cast<std::int16_t>(1000 * i - 9000);
            }
            sigmoid_by_lines(lines, values.data(), count, values.data());
            for (std::size_t i = 0; i < count; ++i) {
                ASSERT_EQ(values[i],
                          by_definition(lines, static_cast<std::int32_t>(1000 * i) - 9000));
            }
            ASSERT_EQ(values[count], 77);
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
