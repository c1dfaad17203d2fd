// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The table as a whole; values of each activation are in basic_ops_test.cpp.
#include "cpu/post_ops/activations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>

#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

constexpr auto kLast = EltwiseKind::kSoftsign;

template <class F>
void for_each_activation(F&& f) {
    for (int k = 0; k <= static_cast<int>(kLast); ++k) {
        f(activation(static_cast<EltwiseKind>(k)));
    }
}

TEST(Activations, EachHasItsRow) {
    std::set<std::string> names;
    for_each_activation([&](const Activation& row) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_NE(row.value, nullptr) << row.name;
        EXPECT_NE(row.image, nullptr) << row.name;
    });
    EXPECT_THROW(activation(static_cast<EltwiseKind>(static_cast<int>(kLast) + 1)), Error);
}

TEST(Activations, AreFoundByAlgorithmAndLayer) {
    for_each_activation([](const Activation& row) {
        if (row.algorithm) {
            EXPECT_EQ(activation_of(*row.algorithm), &row) << row.name;
        }
        if (!row.layer.empty()) {
            EXPECT_EQ(activation_of_layer(row.layer), &row) << row.name;
        }
    });
    EXPECT_EQ(activation_of(EltwiseAlgorithm::kClip), nullptr);
    EXPECT_EQ(activation_of_layer(""), nullptr);
    EXPECT_EQ(activation_of_layer("Convolution"), nullptr);
    EXPECT_EQ(activation_of_layer("SoftSign"), &activation(EltwiseKind::kSoftsign));
}

TEST(Activations, ImagesHoldAllValues) {
    const unsigned seed = 8;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> ends(-20.0, 20.0);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for_each_activation([&](const Activation& row) {
        for (int i = 0; i < 300; ++i) {
            const double a = ends(rng);
            const double b = ends(rng);
            const Interval x{std::min(a, b), std::max(a, b)};
            const Eltwise op{.kind = row.kind,
                             .alpha = static_cast<float>(2.0 * unit(rng) - 0.5),
                             .beta = static_cast<float>(unit(rng))};
            const Interval image = row.image(op, x);
            for (int n = 0; n < 50; ++n) {
                const double y = row.value(op, x.low + (x.high - x.low) * unit(rng));
                const double slack = 1e-6 * std::abs(y);  // a power of a negative x is no number
                ASSERT_TRUE(std::isnan(y) || (image.low - slack <= y && y <= image.high + slack))
                    << row.name << " of [" << x.low << ", " << x.high << "] gives " << y
                    << ", expected within [" << image.low << ", " << image.high << "], alpha "
                    << op.alpha;
            }
        }
    });
}

}  // namespace
}  // namespace fuseq::post_ops
