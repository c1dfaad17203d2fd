// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The addends of an elu of which bytes remain, against the exponential of a double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cpu/kernels/gemm/gemm_vnni_wide.hpp"

namespace fuseq::kernels {
namespace {

using gemm::EluSteps;
using gemm::WideElu;

// As the instructions do it.
float byte_of(const EluSteps& steps, float y) {
    const float b = std::max(y, steps.lowest);
    const auto place = b > 0.0f ? EluSteps::kCount - 1
                                : static_cast<std::size_t>(std::floor(b * -EluSteps::kUnits));
    return std::nearbyint(b + steps.add[place]);
}

double elu_of(const WideElu& elu, float y) {
    const auto factor = static_cast<double>(elu.factor);
    const auto x = static_cast<double>(y);
    return (y > 0.0f ? x : static_cast<double>(elu.alpha) * factor * std::expm1(x / factor)) +
           static_cast<double>(elu.shift);
}

// `near`: how far a value may be from a tie whose other integer is taken.
void expect_bytes(const WideElu& elu, const EluSteps& steps, float y, double near) {
    const double value = elu_of(elu, y);
    ASSERT_LE(std::abs(static_cast<double>(byte_of(steps, y)) - value), 0.5 + near)
        << "elu of " << y << " is " << value << ", factor " << elu.factor << ", alpha " << elu.alpha
        << ", shift " << elu.shift;
}

// Floats beside whole numbers, ends of units and ties, and others.
template <class F>
void for_floats(const WideElu& elu, std::mt19937& rng, F&& f) {
    const auto beside = [&](double place) {
        auto y = static_cast<float>(place);
        for (int i = 0; i < 4; ++i) {
            y = std::nextafter(y, -INFINITY);
        }
        for (int i = 0; i < 9; ++i, y = std::nextafter(y, INFINITY)) {
            f(y);
        }
    };
    for (int i = -40; i <= 3; ++i) {
        beside(i);
        beside(i / static_cast<double>(EluSteps::kUnits));
        const double tie = i + 0.5 - static_cast<double>(elu.shift);
        const double depth = static_cast<double>(elu.alpha) * static_cast<double>(elu.factor);
        if (tie < 0 && tie > -depth) {
            beside(static_cast<double>(elu.factor) * std::log1p(tie / depth));
        }
    }
    for (int i = 0; i < 2000; ++i) {
        f(std::uniform_real_distribution<float>(-40.0f, 130.0f)(rng));
    }
    f(-1e30f);
}

TEST(EluStepsTest, AreExactWithoutAShift) {
    std::mt19937 rng(1);
    for (int i = 0; i < 300; ++i) {
        const WideElu elu{.alpha = i % 2 == 0 ? 1.0f : 0.01f * static_cast<float>(rng() % 100 + 1),
                          .factor = 0.02f * static_cast<float>(rng() % 400 + 1)};
        if (const auto steps = gemm::elu_steps(elu)) {
            for_floats(elu, rng, [&](float y) { expect_bytes(elu, *steps, y, 1e-9); });
        }
    }
}

// With a shift sums are rounded before they become integers.
TEST(EluStepsTest, AreGoodToTheRoundingOfSums) {
    std::mt19937 rng(2);
    for (int i = 0; i < 300; ++i) {
        const WideElu elu{.alpha = i % 2 == 0 ? 1.0f : 0.6f,
                          .factor = 0.02f * static_cast<float>(rng() % 400 + 1),
                          .shift = 0.37f * static_cast<float>(rng() % 300) - 50.0f};
        if (const auto steps = gemm::elu_steps(elu)) {
            for_floats(elu, rng, [&](float y) { expect_bytes(elu, *steps, y, 2e-5); });
        }
    }
}

TEST(EluStepsTest, AreFoundWhereTheLowestByteIsNear) {
    for (const float factor :
         {0.5f, 1.3f, 1.95f, 2.9695272f, 3.89f, 4.5166f, 6.85f, 8.2f, 9.066f}) {
        EXPECT_TRUE(gemm::elu_steps({.factor = factor})) << factor;
        EXPECT_TRUE(gemm::elu_steps({.factor = factor, .shift = 12.0f})) << factor;
    }
    EXPECT_FALSE(gemm::elu_steps({.factor = 12.0f}));
    EXPECT_FALSE(gemm::elu_steps({.factor = 3.5001f}));  // -4 is at 35
}

}  // namespace
}  // namespace fuseq::kernels
