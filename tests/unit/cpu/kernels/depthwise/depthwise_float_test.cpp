// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_float.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::on_every_target;

DepthwiseAxis random_axis(std::mt19937& rng, std::size_t largest) {
    DepthwiseAxis a;
    a.src = 1 + rng() % largest;
    a.kernel = 1 + rng() % 4;
    a.stride = 1 + rng() % 3;
    a.dilation = 1 + rng() % 2;
    a.pad = static_cast<std::ptrdiff_t>(rng() % 6) - 1;  // windows that lie in the padding, too
    a.dst = 1 + rng() % 6;
    return a;
}

// Calls tap(position of the kernel, position in src) for those inside of src.
template <class Function>
void for_taps(const DepthwiseAxis& a, std::size_t position, const Function& tap) {
    for (std::size_t k = 0; k < a.kernel; ++k) {
        const auto at = static_cast<std::ptrdiff_t>(position * a.stride + k * a.dilation) - a.pad;
        if (at >= 0 && at < static_cast<std::ptrdiff_t>(a.src)) {
            tap(k, static_cast<std::size_t>(at));
        }
    }
}

TEST(DepthwiseFloat, MatchesPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 120; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            constexpr std::size_t kChannels[] = {1, 3, 16, 19, 64, 70, 130};
            DepthwiseFloatParams p;
            p.batch = 1 + rng() % 2;
            p.channels = kChannels[rng() % std::size(kChannels)];
            p.depth = random_axis(rng, 4);
            p.height = random_axis(rng, 6);
            p.width = random_axis(rng, 9);
            const std::size_t pixels = p.depth.src * p.height.src * p.width.src;
            const auto src = test::random_floats(rng, p.batch * pixels * p.channels, -2, 2);
            const auto weights = test::random_floats(rng, p.channels * p.taps(), -1, 1);
            std::vector<float> packed(weights.size());
            pack_depthwise_float(p, weights.data(), packed.data());
            std::vector<float> to(p.width.dst * p.channels);
            for (std::size_t row = 0; row < p.rows(); ++row) {
                depthwise_float_row(p, src.data(), packed.data(), row, to.data());
                const std::size_t image = row / p.height.dst / p.depth.dst;
                for (std::size_t i = 0; i < to.size(); ++i) {
                    const std::size_t c = i % p.channels;
                    double want = 0;
                    for_taps(p.depth, row / p.height.dst % p.depth.dst, [&](auto kz, auto z) {
                        for_taps(p.height, row % p.height.dst, [&](auto ky, auto y) {
                            for_taps(p.width, i / p.channels, [&](auto kx, auto x) {
                                const std::size_t tap =
                                    (kz * p.height.kernel + ky) * p.width.kernel + kx;
                                const std::size_t pixel = (z * p.height.src + y) * p.width.src + x;
                                want += static_cast<double>(weights[c * p.taps() + tap]) *
                                        src[(image * pixels + pixel) * p.channels + c];
                            });
                        });
                    });
                    ASSERT_NEAR(to[i], want, 2e-5) << "row " << row << ", element " << i;
                }
            }
        }
    });
}

TEST(DepthwiseFloat, KnownNumbers) {
    on_every_target([](const std::string&) {
        DepthwiseFloatParams p;
        p.channels = 2;
        p.depth = {.src = 2, .dst = 1, .kernel = 2};
        p.width = {.src = 2, .dst = 2, .kernel = 2, .pad = 1};
        // Channel 0: 1 2 | 3 4, weights 1 10 | 100 1000. Channel 1: 5 times 0.5 of the same.
        const float src[] = {1, 5, 2, 10, 3, 15, 4, 20};
        const float weights[] = {1, 10, 100, 1000, 0.5f, 5, 50, 500};
        float packed[8] = {};
        pack_depthwise_float(p, weights, packed);
        float to[4] = {};
        depthwise_float_row(p, src, packed, 0, to);
        EXPECT_THAT(to, testing::ElementsAre(3010, 7525, 4321, 10802.5f));
    });
}

}  // namespace
}  // namespace fuseq::kernels
