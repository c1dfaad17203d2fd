// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/wide_product.hpp"

#include <gmock/gmock.h>

#include <random>

#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using testing::Each;

struct Problem {
    std::size_t pixels, taps, depth, channels;
    std::ptrdiff_t src_step = 0;
    std::vector<std::int16_t> src{};
    std::vector<std::int32_t> wei{};  // [tap][depth][channel]
    std::vector<WideTap> list{};

    std::int32_t weight(std::size_t t, std::size_t k, std::size_t c) const {
        return wei[(t * depth + k) * channels + c];
    }
    WideWeights packed(std::int64_t max_src) const {
        return {taps, depth, channels, max_src,
                [this](std::size_t t, std::size_t k, std::size_t c) { return weight(t, k, c); }};
    }
    std::int64_t expected(std::size_t pixel, std::size_t c) const {
        std::int64_t sum = 0;
        for (const WideTap& tap : list) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(pixel) * src_step + tap.src;
            for (std::size_t k = 0; k < depth; ++k) {
                sum += std::int64_t{src[static_cast<std::size_t>(at) + k]} * weight(tap.wei, k, c);
            }
        }
        return sum;
    }
    std::vector<std::int64_t> sums(const WideWeights& weights) const {
        std::vector<std::int64_t> result(pixels * weights.row(), -7);
        wide_product({.src = src.data(),
                      .src_step = src_step,
                      .pixels = pixels,
                      .taps = list,
                      .weights = &weights,
                      .sums = result.data()});
        return result;
    }
};

// Some taps in any order, some of them more than once, of values up to the largest.
Problem random_problem(std::mt19937& rng, int max_weight) {
    Problem p{.pixels = 1 + rng() % kWidePixels,
              .taps = 1 + rng() % 9,
              .depth = 1 + rng() % 70,
              .channels = 1 + rng() % 40};
    p.src_step = static_cast<std::ptrdiff_t>(rng() % 90);
    p.src.resize(p.pixels * 90 + p.taps * 100 + p.depth + 1);
    for (std::int16_t& value : p.src) {
        value = rng() % 4 == 0 ? std::int16_t{-32768} : static_cast<std::int16_t>(rng());
    }
    for (std::size_t i = 0; i < p.taps * p.depth * p.channels; ++i) {
        const int range = 2 * max_weight + 1;
        p.wei.push_back(static_cast<int>(rng() % static_cast<unsigned>(range)) - max_weight);
    }
    for (std::size_t i = rng() % (2 * p.taps); i > 0; --i) {
        p.list.push_back(
            {.src = static_cast<std::ptrdiff_t>(rng() % (p.taps * 100)), .wei = rng() % p.taps});
    }
    return p;
}

TEST(WideProduct, SumsAreThoseOfPlainLoops) {
    const auto seed = std::random_device{}();
    fuseq::test::on_every_target([&](const std::string&) {
        std::mt19937 rng(seed);
        for (const int max_weight : {127, 255, 2048, 32767}) {
            for (int i = 0; i < 60 && !testing::Test::HasFailure(); ++i) {
                const Problem p = random_problem(rng, max_weight);
                SCOPED_TRACE(testing::Message()
                             << "seed " << seed << ", weights to " << max_weight << ", case " << i
                             << ": " << p.pixels << " pixels, " << p.list.size() << " taps of "
                             << p.depth << ", " << p.channels << " channels");
                const WideWeights weights = p.packed(32768);
                const std::vector<std::int64_t> sums = p.sums(weights);
                for (std::size_t at = 0; at < sums.size(); ++at) {
                    const std::size_t c = at % weights.row();
                    ASSERT_EQ(sums[at], c < p.channels ? p.expected(at / weights.row(), c) : 0)
                        << "sum " << at;
                }
            }
        }
    });
}

// All of the largest magnitude: 5000 * 2^15 * 127 leaves 32 bits ten times over.
TEST(WideProduct, SumsBeyond32BitsAreExact) {
    fuseq::test::on_every_target([](const std::string&) {
        Problem p{.pixels = 4, .taps = 1, .depth = 5000, .channels = 16};
        p.src.assign(5001, -32768);
        p.wei.assign(5000 * 16, -127);
        p.list = {{}};
        EXPECT_THAT(p.sums(p.packed(32768)), Each(std::int64_t{5000} * 32768 * 127));
    });
}

// Of weights that are stored in two parts too; -32768 is -128 * 256.
TEST(WideProduct, WeightsOf16BitsAreExact) {
    fuseq::test::on_every_target([](const std::string&) {
        for (const std::int32_t weight : {-32768, 32767, 2048, -2049, 128, -129, 0x7f80}) {
            Problem p{.pixels = 2, .taps = 1, .depth = 3000, .channels = 16};
            p.src.assign(3001, -32768);
            p.wei.assign(3000 * 16, weight);
            p.list = {{}};
            EXPECT_THAT(p.sums(p.packed(32768)), Each(std::int64_t{-32768} * 3000 * weight));
        }
    });
}

TEST(WideWeights, SumsThoseOfATap) {
    const WideWeights weights(2, 3, 17, 1, [](std::size_t t, std::size_t k, std::size_t c) {
        return static_cast<std::int32_t>(100 * t + 10 * k + c) - 116;
    });
    EXPECT_EQ(weights.tap_sums(0)[5], -303);  // -111 - 101 - 91
    EXPECT_EQ(weights.tap_sums(1)[16], 30);   // 0 + 10 + 20
    EXPECT_EQ(weights.tap_sums(1)[17], 0);
}

TEST(WideWeights, SaysWhatFits32Bits) {
    const auto pairs = [](std::int64_t max_src, std::int32_t weight) {
        return WideWeights(1, 2, 1, max_src,
                           [&](std::size_t, std::size_t, std::size_t) { return weight; })
            .pairs_in_32_bits();
    };
    EXPECT_EQ(pairs(32768, -128), 255u);  // 256 pairs are 2^31
    EXPECT_EQ(pairs(32768, 127), 258u);
    EXPECT_EQ(pairs(32768, 2047), 16u);
    EXPECT_EQ(pairs(32768, 2048), 255u);  // from here on in two parts, of 128 at most
    EXPECT_EQ(pairs(32768, -32768), 255u);
    EXPECT_EQ(pairs(255, 127), 33155u);
    EXPECT_EQ(pairs(255, 0), 4210752u);
}

TEST(WideWeights, AreWholeGroupsAndPairs) {
    const WideWeights weights(2, 3, 17, 1, [](std::size_t t, std::size_t k, std::size_t c) {
        return static_cast<std::int32_t>(100 * t + 10 * k + c);
    });
    EXPECT_EQ(weights.groups(), 2u);
    EXPECT_EQ(weights.row(), 32u);
    EXPECT_EQ(weights.pairs(), 2u);
    EXPECT_EQ(weights.of(0, 1, 0)[2 * 5], 105);         // first value of channel 5
    EXPECT_EQ(weights.of(0, 1, 0)[2 * 5 + 1], 115);     // second
    EXPECT_EQ(weights.of(0, 1, 0)[32 + 2 * 5], 125);    // third, of the second pair
    EXPECT_EQ(weights.of(0, 1, 0)[32 + 2 * 5 + 1], 0);  // there is no fourth
    EXPECT_EQ(weights.of(1, 0, 0)[0], 16);              // channel 16
    EXPECT_EQ(weights.of(1, 0, 0)[2], 0);               // there is no channel 17
}

}  // namespace
}  // namespace fuseq::kernels
