// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Against arithmetic of 128 bits, and the rule M16 of src/ops/quantized/rules.
#include "cpu/kernels/gemm/wide_rounding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "ops/quantized/rules/d1.hpp"
#include "ops/quantized/rules/m16.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

std::int64_t by_definition(__int128 sum, const WideMultiplier& m, const WideGrid& grid) {
    const __int128 unit = __int128{1} << m.shift;
    const __int128 nudged = sum * m.mantissa + unit / 2;
    const __int128 quotient = nudged / unit - (nudged % unit < 0 ? 1 : 0);
    return static_cast<std::int64_t>(
        std::clamp<__int128>(quotient + grid.zero_point, grid.lowest, grid.highest));
}

TEST(WideRounding, IsTheProductOf128BitsShiftedOnce) {
    constexpr std::size_t kGroup = 16;
    test::on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 300; ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            std::mt19937_64 rng(seed);
            const std::size_t channels = 1 + rng() % 40;
            const WideGrid grid{static_cast<std::int32_t>(rng() % 21) - 10, -32768,
                                seed % 2 == 0 ? 32767 : 500};
            std::vector<WideMultiplier> multipliers;
            std::vector<std::int64_t> bias;
            for (std::size_t c = 0; c < channels; ++c) {
                multipliers.push_back({static_cast<std::int32_t>(rng() % 32768),
                                       1 + static_cast<std::int32_t>(rng() % 46)});
                bias.push_back(static_cast<std::int64_t>(rng() >> 30) - (std::int64_t{1} << 33));
            }
            const std::size_t first = rng() % channels;
            const std::size_t count = channels - first;
            std::vector<std::int64_t> sums(count + kGroup);
            std::vector<std::int64_t> offsets(count + kGroup);
            for (std::size_t i = 0; i < count; ++i) {
                // 48 bits at most, and ties.
                sums[i] = (static_cast<std::int64_t>(rng()) >> 17) >> rng() % 40;
                offsets[i] = static_cast<std::int64_t>(rng() % 1000) - 500;
            }
            std::vector<std::int16_t> dst(count + 1, 77);
            WideRounding(seed % 3 == 0 ? std::span<const std::int64_t>() : bias, multipliers, grid)
                .run(sums.data(), offsets.data(), first, count, dst.data());
            for (std::size_t i = 0; i < count; ++i) {
                const std::int64_t x = sums[i] + offsets[i] + (seed % 3 == 0 ? 0 : bias[first + i]);
                ASSERT_EQ(dst[i], by_definition(x, multipliers[first + i], grid)) << "sum " << x;
            }
            ASSERT_EQ(dst[count], 77);
        }
    });
}

// Mantissas of 31 bits: sums of more than 32 are clamped to them.
TEST(WideRounding, IsD1) {
    constexpr std::size_t kGroup = 16;
    test::on_every_target([](const std::string&) {
        std::mt19937_64 rng(20261128);
        for (int i = 0; i < 3000; ++i) {
            const rules::QuantizedMultiplier m{
                static_cast<std::int32_t>((1 << 30) + rng() % (1 << 30)),
                static_cast<int>(rng() % 40) - 31};
            const WideMultiplier multiplier[] = {{m.mantissa, rules::d1_shift(m)}};
            const std::int64_t sum = static_cast<std::int64_t>(rng()) >> (20 + rng() % 40);
            const std::int64_t sums[kGroup] = {sum};
            const std::int64_t offsets[kGroup] = {};
            std::int16_t dst = 0;
            WideRounding({}, multiplier, {5, -32768, 32767}).run(sums, offsets, 0, 1, &dst);
            ASSERT_EQ(dst, std::clamp<std::int64_t>(
                               std::int64_t{rules::d1(rules::saturate_to_i32(sum), m)} + 5, -32768,
                               32767))
                << sum << " " << m.mantissa << " " << m.exponent;
        }
    });
}

// The vectors of SEEDS.md's multiplier (1583594044, -9): 24164 and a shift of 24.
TEST(WideRounding, HasTheMultiplierOfM16) {
    const rules::QuantizedMultiplier m{1583594044, -9};
    const rules::M16Multiplier cut = rules::m16_multiplier(m);
    EXPECT_EQ(cut.mantissa, 24164);
    EXPECT_EQ(cut.shift, 24);
    const WideMultiplier multiplier[] = {{cut.mantissa, cut.shift}};
    const std::int64_t offsets[16] = {};
    test::on_every_target([&](const std::string&) {
        for (const std::int64_t sum : {7984LL, -33343LL, 347LL, -347LL, 9000000000LL}) {
            std::int64_t sums[16] = {sum};
            std::int16_t dst = 0;
            WideRounding({}, multiplier, {0, -32768, 32767}).run(sums, offsets, 0, 1, &dst);
            EXPECT_EQ(dst, std::clamp<std::int64_t>(rules::m16(sum, m), -32768, 32767)) << sum;
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
