// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Against 64-bit arithmetic, value by value.
#include "cpu/kernels/eltwise/dequantize_sums.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

struct Problem {
    std::size_t rows = 1;
    std::size_t height = 1;
    std::size_t width = 1;
    std::vector<std::vector<float>> parts;
    std::vector<std::int32_t> weight_sums;
    std::vector<std::uint32_t> row_classes;
    std::vector<std::uint32_t> column_classes;
    std::vector<std::int32_t> shifts;
    std::vector<float> scales;
    std::int32_t zero_point = 0;
    DequantizeSumsParams params;
};

int any(std::mt19937& rng, int below) {
    return static_cast<int>(rng() % (2U * static_cast<unsigned>(below))) - below;
}

Problem random_problem(std::mt19937& rng) {
    constexpr std::size_t kChannels[] = {1, 3, 8, 16, 24, 31, 100};
    Problem p;
    p.params.channels = kChannels[rng() % std::size(kChannels)];
    p.params.scale_a_channel = rng() % 2 == 0;
    p.height = 1 + rng() % 4;
    p.width = 1 + rng() % 4;
    p.rows = p.height * p.width * (1 + rng() % 3);
    p.zero_point = any(rng, 256);
    const bool classes = rng() % 2 == 0;
    for (std::size_t i = 0; i < (classes ? 4 : 1) * p.params.channels; ++i) {
        p.weight_sums.push_back(any(rng, 60000));
    }
    if (classes) {
        for (std::size_t y = 0; y < p.height; ++y) {
            p.row_classes.push_back(2 * (rng() % 2));
        }
        for (std::size_t x = 0; x < p.width; ++x) {
            p.column_classes.push_back(rng() % 2);
        }
        p.params.row_classes = p.row_classes.data();
        p.params.column_classes = p.column_classes.data();
        p.params.height = p.height;
        p.params.width = p.width;
    }
    if (rng() % 2 == 0) {
        for (std::size_t c = 0; c < p.params.channels; ++c) {
            p.shifts.push_back(any(rng, 128));
        }
        p.params.weight_shifts = p.shifts.data();
    }
    for (std::size_t c = 0; c < p.params.channels; ++c) {
        p.scales.push_back(0.001F * static_cast<float>(1 + rng() % 1000));
    }
    p.parts.resize(1 + rng() % 3);
    for (auto& part : p.parts) {
        for (std::size_t i = 0; i < p.rows * (p.params.channels + !p.shifts.empty()); ++i) {
            part.push_back(static_cast<float>(any(rng, 1 << 24) >> rng() % 20));
        }
    }
    // Sums of the source itself are small: times a shift they stay within 32 bits.
    for (auto& part : p.parts) {
        for (std::size_t r = 0; !p.shifts.empty() && r < p.rows; ++r) {
            part[(r + 1) * (p.params.channels + 1) - 1] = static_cast<float>(any(rng, 100000));
        }
    }
    p.params.weight_sums = p.weight_sums.data();
    return p;
}

float expected(const Problem& p, std::size_t row, std::size_t c) {
    const std::size_t channels = p.params.channels;
    const std::size_t columns = channels + !p.shifts.empty();
    std::int64_t sum = 0;
    for (const auto& part : p.parts) {
        sum += static_cast<std::int64_t>(part[row * columns + c]);
        if (!p.shifts.empty()) {
            sum += p.shifts[c] * static_cast<std::int64_t>(part[row * columns + channels]);
        }
    }
    const std::size_t window = p.row_classes.empty() ? 0
                                                     : p.row_classes[row / p.width % p.height] +
                                                           p.column_classes[row % p.width];
    sum -= static_cast<std::int64_t>(p.zero_point) * p.weight_sums[window * channels + c];
    return static_cast<float>(sum) * p.scales[p.params.scale_a_channel ? c : 0];
}

TEST(DequantizeSumsKernel, EqualsTheFormulaOnEveryTarget) {
    test::on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 200; ++seed) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            std::mt19937 rng(seed);
            const Problem p = random_problem(rng);
            std::vector<const float*> parts;
            for (const auto& part : p.parts) {
                parts.push_back(part.data());
            }
            std::vector<float> dst(p.rows * p.params.channels + 1, -77.0F);
            const std::size_t cut = rng() % (p.rows + 1);
            const DequantizeSumsGrid grid{p.zero_point, p.scales.data()};
            dequantize_sums(p.params, grid, parts, dst.data(), {cut, p.rows});
            dequantize_sums(p.params, grid, parts, dst.data(), {0, cut});
            for (std::size_t i = 0; i + 1 < dst.size(); ++i) {
                ASSERT_EQ(dst[i], expected(p, i / p.params.channels, i % p.params.channels))
                    << "element " << i;
            }
            ASSERT_EQ(dst.back(), -77.0F);
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
