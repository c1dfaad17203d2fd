// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using test::on_every_target;

constexpr std::size_t kLengths[] = {1, 2, 3, 4, 7, 15, 16, 17, 32, 33, 64, 100, 384, 1000, 5000};

// Bytes of the first target; all others must give the same.
class SameOnAll {
public:
    void expect(const std::string& key, const Bytes& bytes) {
        const auto [at, added] = seen_.try_emplace(key, bytes);
        EXPECT_TRUE(added || at->second == bytes) << key;
    }

private:
    std::map<std::string, Bytes> seen_;
};

std::vector<double> softmax_of(const float* x, std::size_t n) {
    const double max = *std::max_element(x, x + n);
    double sum = 0.0;
    std::vector<double> p(n);
    for (std::size_t i = 0; i < n; ++i) {
        p[i] = std::exp(x[i] - max);
        sum += p[i];
    }
    for (double& v : p) {
        v /= sum;
    }
    return p;
}

TEST(Softmax, CloseToDoublesAndTheSameOnEveryTarget) {
    SameOnAll same;
    on_every_target([&](const std::string&) {
        for (const std::size_t n : kLengths) {
            for (const ElementType type : {ElementType::f32, ElementType::u8, ElementType::i8}) {
                std::mt19937 rng(static_cast<unsigned>(n));
                const std::size_t rows = n <= 32 ? 150 : 11;  // fours of them and some more
                const std::vector<float> src = test::random_floats(rng, n * rows, -30.0f, 30.0f);
                const bool f32 = type == ElementType::f32;
                const SoftmaxParams params{.length = n,
                                           .dst_type = type,
                                           .scale = f32 ? 1.0f : 255.0f,
                                           .shift = type == ElementType::i8 ? -128.0f : 0.0f};
                check_softmax(params);
                Bytes dst(n * rows * size_of(type));
                softmax(params, src.data(), dst.data(), {1, rows});
                softmax(params, src.data(), dst.data(), {0, 1});
                std::vector<double> row;
                for (std::size_t i = 0; i < n * rows; ++i) {
                    if (i % n == 0) {
                        row = softmax_of(&src[i], n);
                    }
                    const double p = row[i % n];
                    const double tolerance = f32 ? 1e-5 * p + 1e-37 : 0.5001;
                    ASSERT_NEAR(test::element(dst, type, i), p * params.scale + params.shift,
                                tolerance)
                        << "n " << n << " element " << i;
                }
                same.expect(detail::cat(n, to_string(type)), dst);
            }
        }
    });
}

// Rows that lie between one another give what rows one after the other give.
// Whole blocks of short rows go another way than single ones.
TEST(Softmax, ShortRowsGiveTheSameBytesForEverySplit) {
    on_every_target([](const std::string&) {
        for (const std::size_t n : {2u, 3u, 4u, 5u}) {
            constexpr std::size_t kRows = 200;
            std::mt19937 rng(static_cast<unsigned>(n));
            std::vector<float> x = test::random_floats(rng, n * kRows, -100.0f, 100.0f);
            x[5 * n] = std::numeric_limits<float>::quiet_NaN();
            const SoftmaxParams params{.length = n, .scale = 3.0f, .shift = 0.25f};
            std::vector<float> alone(x.size());
            for (std::size_t r = 0; r < kRows; ++r) {
                softmax(params, x.data(), alone.data(), {r, r + 1});
            }
            softmax(params, x.data(), x.data(), {0, kRows});  // in place
            EXPECT_EQ(std::memcmp(x.data(), alone.data(), x.size() * sizeof(float)), 0) << n;
        }
    });
}

TEST(Softmax, ColumnsAreRowsTransposed) {
    on_every_target([](const std::string&) {
        for (const std::size_t inner : {2, 5, 16, 39}) {
            for (const std::size_t n : {1, 4, 21, 32}) {
                for (const ElementType type : {ElementType::f32, ElementType::u8}) {
                    SCOPED_TRACE(detail::cat("inner ", inner, " n ", n, " ", to_string(type)));
                    std::mt19937 rng(static_cast<unsigned>(inner * n));
                    const std::size_t rows = 3 * inner;
                    const std::vector<float> src = test::random_floats(rng, n * rows, -9.0f, 9.0f);
                    const auto place = [&](std::size_t row, std::size_t i) {
                        return (row / inner * n + i) * inner + row % inner;
                    };
                    std::vector<float> turned(src.size());
                    for (std::size_t i = 0; i < src.size(); ++i) {
                        turned[place(i / n, i % n)] = src[i];
                    }
                    SoftmaxParams params{.length = n, .dst_type = type};
                    params.scale = type == ElementType::f32 ? 1.0f : 255.0f;
                    Bytes want(src.size() * size_of(type));
                    softmax(params, src.data(), want.data(), {0, rows});
                    params.inner = inner;
                    check_softmax(params);
                    Bytes got(want.size());
                    const std::size_t cut = rng() % rows;
                    softmax(params, turned.data(), got.data(), {0, cut});
                    softmax(params, turned.data(), got.data(), {cut, rows});
                    for (std::size_t i = 0; i < src.size(); ++i) {
                        ASSERT_EQ(test::element(got, type, place(i / n, i % n)),
                                  test::element(want, type, i));
                    }
                }
            }
        }
    });
}

TEST(Softmax, InPlaceAndExtremes) {
    on_every_target([](const std::string&) {
        std::vector<float> x{1e30f, -1e30f, 1e30f, -std::numeric_limits<float>::infinity()};
        softmax({.length = 4}, x.data(), x.data(), {0, 1});
        EXPECT_EQ(x, (std::vector<float>{0.5f, 0.0f, 0.5f, 0.0f}));
        std::vector<float> nan{0.0f, std::numeric_limits<float>::quiet_NaN()};
        softmax({.length = 2}, nan.data(), nan.data(), {0, 1});
        EXPECT_TRUE(std::isnan(nan[0]) && std::isnan(nan[1]));
    });
}

// The same in rows that are not short, which exponentials reach on another way.
TEST(Softmax, ExtremesOfLongRows) {
    constexpr std::size_t kLength = 70;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    on_every_target([](const std::string&) {
        std::vector<float> x(4 * kLength, -kInfinity);
        x[3] = x[66] = 1e30f;                                // and nothing else
        std::fill_n(x.begin() + kLength, kLength, -87.31f);  // too small for an exponential
        x[kLength + 20] = 0.0f;
        x[3 * kLength + 5] = std::numeric_limits<float>::quiet_NaN();
        x[2 * kLength + 5] = -1e30f;
        softmax({.length = kLength}, x.data(), x.data(), {0, 4});
        for (std::size_t i = 0; i < kLength; ++i) {
            ASSERT_EQ(x[i], i == 3 || i == 66 ? 0.5f : 0.0f) << i;
            ASSERT_EQ(x[kLength + i], i == 20 ? 1.0f : 0.0f) << i;
            ASSERT_EQ(x[2 * kLength + i], i == 5 ? 1.0f : 0.0f) << i;
            ASSERT_TRUE(std::isnan(x[3 * kLength + i])) << i;
        }
    });
}

TEST(LayerNorm, CloseToDoublesAndTheSameOnEveryTarget) {
    SameOnAll same;
    on_every_target([&](const std::string&) {
        for (unsigned seed = 0; seed < 60; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            const std::size_t n = kLengths[rng() % std::size(kLengths)];
            const std::size_t rows = 2;
            const std::vector<float> src = test::random_floats(rng, n * rows, -3.0f, 5.0f);
            const std::vector<float> gamma =
                test::random_floats(rng, rng() % 3 == 0 ? rng() % 2 : n, 0.5f, 30.0f);
            const std::vector<float> beta =
                test::random_floats(rng, rng() % 3 == 0 ? rng() % 2 : n, -20.0f, 100.0f);
            const LayerNormParams params{.length = n,
                                         .dst_type = test::random_type(rng),
                                         .epsilon = 1e-3f,
                                         .epsilon_outside = rng() % 2 == 0,
                                         .normalize_variance = rng() % 4 != 0,
                                         .keep_mean = rng() % 4 == 0,
                                         .gamma = gamma,
                                         .beta = beta};
            check_layer_norm(params);
            Bytes dst(n * rows * size_of(params.dst_type));
            layer_norm(params, src.data(), dst.data(), {0, rows});
            const auto pick = [](const std::vector<float>& list, std::size_t i, double none) {
                return list.empty() ? none : list[list.size() == 1 ? 0 : i];
            };
            for (std::size_t r = 0; r < rows; ++r) {
                const float* x = &src[r * n];
                const double count = static_cast<double>(n);
                const double mean = params.keep_mean ? 0.0 : std::accumulate(x, x + n, 0.0) / count;
                double variance = 0.0;
                for (std::size_t i = 0; i < n; ++i) {
                    variance += (x[i] - mean) * (x[i] - mean) / count;
                }
                const double epsilon = params.epsilon;
                const double divisor = !params.normalize_variance ? 1.0
                                       : params.epsilon_outside   ? std::sqrt(variance) + epsilon
                                                                  : std::sqrt(variance + epsilon);
                for (std::size_t i = 0; i < n; ++i) {
                    const double v =
                        (x[i] - mean) / divisor * pick(gamma, i, 1.0) + pick(beta, i, 0.0);
                    const double low = params.dst_type == ElementType::u8 ? 0.0 : -128.0;
                    const double high = params.dst_type == ElementType::u8 ? 255.0 : 127.0;
                    const bool f32 = params.dst_type == ElementType::f32;
                    ASSERT_NEAR(test::element(dst, params.dst_type, r * n + i),
                                f32 ? v : std::clamp(v, low, high), f32 ? 3e-4 : 0.501);
                }
            }
            same.expect(detail::cat(seed), dst);
        }
    });
}

TEST(Rows, Refuse) {
    EXPECT_THAT([] { check_softmax({.length = 0}); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("softmax kernel: rows of 0")));
    const std::vector<float> two(2);
    EXPECT_THAT(
        [&] { check_layer_norm({.length = 3, .gamma = two}); },
        testing::ThrowsMessage<Error>(testing::HasSubstr("2 gammas, 0 betas for rows of 3")));
    EXPECT_THAT([&] { check_layer_norm({.length = 3, .dst_type = ElementType::i32}); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("f32 to i32")));
}

}  // namespace
}  // namespace fuseq::kernels
