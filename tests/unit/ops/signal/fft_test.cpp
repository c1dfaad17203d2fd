// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/signal/fft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace fuseq::test {
namespace {

// The definition, a sum for each value.
std::vector<Complex> direct_transform(const std::vector<Complex>& x) {
    std::vector<Complex> sums(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
        for (std::size_t j = 0; j < x.size(); ++j) {
            const double turns =
                static_cast<double>(j * k % x.size()) / static_cast<double>(x.size());
            const double angle = -2 * std::numbers::pi * turns;
            sums[k] += x[j] * Complex(std::cos(angle), std::sin(angle));
        }
    }
    return sums;
}

double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

// Powers, products of small primes, and lengths with a prime factor above 31 (Bluestein).
TEST(Fft, EveryKindOfLength) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> values(-1, 1);
    for (const std::size_t length : {1,  2,  3,  4,  5,  6,  7,   8,   11,  12,   30,  31,
                                     37, 41, 49, 64, 74, 97, 210, 211, 400, 1000, 1009}) {
        std::vector<Complex> signal(length);
        for (Complex& value : signal) {
            value = {values(random), values(random)};
        }
        Fft fft(length);
        EXPECT_EQ(fft.length(), length);
        std::vector<Complex> line = signal;
        fft.transform(line, FftDirection::kForward);
        EXPECT_LT(largest_difference(line, direct_transform(signal)), 1e-11) << length;
        fft.transform(line, FftDirection::kInverse);
        EXPECT_LT(largest_difference(line, signal), 1e-13) << length;
    }
}

// 262147 is a prime: with n * n steps this test would not end.
TEST(Fft, LongLengths) {
    for (const std::size_t length : {std::size_t{1} << 18, std::size_t{262147}}) {
        std::vector<Complex> line(length);
        line[3] = 1;
        Fft fft(length);
        fft.transform(line, FftDirection::kForward);
        for (std::size_t k = 0; k < length; k += 1001) {
            const double angle =
                -6 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
            ASSERT_NEAR(line[k].real(), std::cos(angle), 1e-10) << length << " at " << k;
            ASSERT_NEAR(line[k].imag(), std::sin(angle), 1e-10) << length << " at " << k;
        }
    }
}

}  // namespace
}  // namespace fuseq::test
