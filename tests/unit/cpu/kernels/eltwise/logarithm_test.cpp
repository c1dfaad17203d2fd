// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Logarithms and powers of vectors against double precision, on every Highway target.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "unit/cpu/kernels/eltwise/logarithm_test.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/eltwise/logarithm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// Sizes are multiples of the largest vector.
void log_all(const float* x, float* y, std::size_t count) {
    const hn::ScalableTag<float> d;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        hn::StoreU(log_positive(d, hn::LoadU(d, x + i)), d, y + i);
    }
}

void power_all(const float* x, float beta, float* y, std::size_t count) {
    const hn::ScalableTag<float> d;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        hn::StoreU(negative_power(d, hn::LoadU(d, x + i), beta), d, y + i);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "unit/cpu/kernels/common/on_every_target.hpp"  // which includes Highway: not before it was included for each

namespace fuseq::kernels {
namespace {

HWY_EXPORT(log_all);
HWY_EXPORT(power_all);

constexpr std::size_t kVector = 64;

std::vector<float> logs(const std::vector<float>& x) {
    std::vector<float> y(x.size());
    HWY_DYNAMIC_DISPATCH(log_all)(x.data(), y.data(), x.size());
    return y;
}

std::vector<float> powers(const std::vector<float>& x, float beta) {
    std::vector<float> y(x.size());
    HWY_DYNAMIC_DISPATCH(power_all)(x.data(), beta, y.data(), x.size());
    return y;
}

// Every exponent, and many mantissas.
std::vector<float> normal_numbers() {
    std::vector<float> list;
    std::mt19937 rng(1);
    for (int exponent = -126; exponent < 128; ++exponent) {
        for (int i = 0; i < 64; ++i) {
            const double mantissa = 1.0 + static_cast<double>(rng() % (1u << 23)) / (1u << 23);
            list.push_back(static_cast<float>(std::ldexp(mantissa, exponent)));
        }
    }
    return list;
}

// Where m changes from one half of the interval to the other, around 1, and the ends.
std::vector<float> special_numbers() {
    std::vector<float> list;
    for (const float at : {1.0f, 2.0f, 0.5f, std::sqrt(0.5f), std::sqrt(2.0f)}) {
        float below = at;
        float above = at;
        for (int i = 0; i < 6; ++i) {
            list.push_back(below);
            list.push_back(above);
            below = std::nextafter(below, 0.0f);
            above = std::nextafter(above, 9.0f);
        }
    }
    list.push_back(std::numeric_limits<float>::min());
    list.push_back(std::numeric_limits<float>::max());
    list.resize((list.size() + kVector - 1) / kVector * kVector, 1.0f);
    return list;
}

TEST(Logarithm, IsGoodTo2e7) {
    test::on_every_target([](const std::string&) {
        for (const std::vector<float>& x : {normal_numbers(), special_numbers()}) {
            const std::vector<float> y = logs(x);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double want = std::log(static_cast<double>(x[i]));
                ASSERT_NEAR(y[i], want, 2e-7 * std::max(1.0, std::abs(want))) << "of " << x[i];
            }
        }
    });
}

TEST(Logarithm, OfOneIsZero) {
    test::on_every_target([](const std::string&) {
        EXPECT_EQ(logs(std::vector<float>(kVector, 1.0f)), std::vector<float>(kVector, 0.0f));
    });
}

TEST(NegativePower, OfQuartersIsMadeOfRoots) {
    test::on_every_target([](const std::string&) {
        std::vector<float> x = normal_numbers();
        for (const float beta : {1.0f, 0.75f, 0.5f, 0.25f}) {
            const std::vector<float> y = powers(x, beta);
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double want = std::pow(static_cast<double>(x[i]), -beta);
                if (want >= std::numeric_limits<float>::min()) {
                    ASSERT_NEAR(y[i] / want, 1.0, 3e-7) << x[i] << "^-" << beta;
                }
            }
        }
        x.assign(kVector, 16.0f);
        EXPECT_EQ(powers(x, 1.0f)[0], 0.0625f);
        EXPECT_EQ(powers(x, 0.75f)[0], 0.125f);
        EXPECT_EQ(powers(x, 0.5f)[0], 0.25f);
        EXPECT_EQ(powers(x, 0.25f)[0], 0.5f);
    });
}

TEST(NegativePower, IsGoodTo1e6WhereItIsNeitherHugeNorTiny) {
    test::on_every_target([](const std::string&) {
        const std::vector<float> x = normal_numbers();
        for (const float beta : {0.1f, 0.6f, 0.9f, 1.1f, 2.0f, 5.0f, -0.5f}) {
            const std::vector<float> y = powers(x, beta);
            std::size_t compared = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                const double want = std::pow(static_cast<double>(x[i]), -static_cast<double>(beta));
                if (want >= 1e-3 && want <= 1e3) {
                    ASSERT_NEAR(y[i] / want, 1.0, 1e-6) << x[i] << "^-" << beta;
                    ++compared;
                }
            }
            EXPECT_GT(compared, 100u) << beta;
        }
        EXPECT_EQ(powers(std::vector<float>(kVector, 7.0f), 0.0f)[0], 1.0f);
    });
}

// The same bits whatever the machine, and wherever a value stands in a vector.
TEST(Logarithm, HasTheSameBitsOnEveryTarget) {
    const std::vector<float> x = normal_numbers();
    std::vector<std::vector<float>> first;
    test::on_every_target([&](const std::string& target) {
        const std::vector<std::vector<float>> now{logs(x), powers(x, 0.75f), powers(x, 0.6f),
                                                  powers(x, 0.5f)};
        if (first.empty()) {
            first = now;
        }
        for (std::size_t i = 0; i < now.size(); ++i) {
            EXPECT_EQ(std::memcmp(now[i].data(), first[i].data(), 4 * x.size()), 0)
                << target << ", list " << i;
        }
    });
    std::vector<float> turned = x;
    std::rotate(turned.begin(), turned.begin() + 5, turned.end());
    std::vector<float> y = logs(turned);
    std::rotate(y.begin(), y.end() - 5, y.end());
    EXPECT_EQ(std::memcmp(y.data(), first[0].data(), 4 * x.size()), 0);
}

}  // namespace
}  // namespace fuseq::kernels
#endif  // HWY_ONCE
