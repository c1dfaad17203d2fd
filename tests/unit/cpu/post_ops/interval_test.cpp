// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/interval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/post_ops/values.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/post_ops/random_chain.hpp"

namespace fuseq::post_ops {
namespace {

using Ops = std::vector<BasicOp>;
constexpr float kInf = std::numeric_limits<float>::infinity();

Interval after(Ops ops, double low, double high) {
    const Chain chain{std::move(ops), ElementType::f32};
    return interval_before(chain, chain.ops.size(), {.input_low = low, .input_high = high});
}

void expect(const Interval& got, double low, double high) {
    EXPECT_EQ(got.low, low);
    EXPECT_EQ(got.high, high);
}

TEST(Interval, OfTheInputWhenNothingStandsBefore) {
    expect(after({}, -3.0, 7.0), -3.0, 7.0);
}

TEST(Interval, ANegativeScaleTurnsItRound) {
    expect(after({Scale{-2.0f}, Shift{1.0f}}, -3.0, 7.0), -13.0, 7.0);
}

// The least of all channels and the largest of all channels.
TEST(Interval, IsThatOfAllChannels) {
    expect(after({Scale{Values({-1.0f, 2.0f})}}, 0.0, 4.0), -4.0, 8.0);
    expect(after({Shift{Values({-1.0f, 2.0f})}}, 0.0, 4.0), -1.0, 6.0);
    expect(after({Clip{Values({0.0f, 3.0f}), Values({5.0f, 6.0f})}}, -9.0, 9.0), 0.0, 6.0);
}

// Zero times anything is zero: a scale of zero has one value, infinite bounds or not.
TEST(Interval, AScaleOfZeroLeavesNothingOfInfinity) {
    expect(after({Scale{0.0f}}, -kInf, kInf), 0.0, 0.0);
    expect(after({Clip{0.0f, kInf}, Scale{0.0f}, Shift{3.0f}}, -kInf, kInf), 3.0, 3.0);
}

TEST(Interval, AClipOutsideOfItLeavesOneValue) {
    expect(after({Clip{10.0f, 20.0f}}, -3.0, 7.0), 10.0, 10.0);
    expect(after({Clip{-20.0f, -10.0f}}, -3.0, 7.0), -10.0, -10.0);
}

TEST(Interval, OfTensorsOfBytesIsKnown) {
    const Binary add{BinaryKind::kAdd, 0, ElementType::u8, 2.0f, 10.0f};
    expect(after({add}, 0.0, 1.0), -20.0, 491.0);
    Binary product = add;
    product.kind = BinaryKind::kMul;
    expect(after({product}, -2.0, 1.0), -980.0, 490.0);
    Binary largest{BinaryKind::kMax, 0, ElementType::i8, 1.0f};
    expect(after({largest}, -500.0, 0.0), -128.0, 127.0);
    largest.type = ElementType::f32;
    expect(after({largest}, -500.0, 0.0), -500.0, kInf);
}

// A sum of two values without bounds has none: not the numbers that infinity - infinity is.
TEST(Interval, NothingIsKnownOfWhatIsNoNumber) {
    const Binary add{BinaryKind::kAdd, 0, ElementType::f32};
    const Interval got = after({Shift{kInf}, add}, -kInf, kInf);
    EXPECT_FALSE(std::isnan(got.low) || std::isnan(got.high));
    EXPECT_EQ(got.high, kInf);
}

TEST(Interval, OfTypesIsWhatAStoreCanHold) {
    expect(range_of(ElementType::u8), 0.0, 255.0);
    expect(range_of(ElementType::i8), -128.0, 127.0);
    expect(range_of(ElementType::i32), -2147483648.0, 2147483647.0);
    EXPECT_THAT([] { range_of(ElementType::f32); },
                ::testing::ThrowsMessage<Error>(::testing::HasSubstr("cannot store f32")));
}

// Every value that an input of the interval can become lies in the interval after.
TEST(Interval, HoldsEveryValueOfRandomChains) {
    const unsigned seed = 77;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const testing::RandomOptions random;
    for (int i = 0; i < 4000; ++i) {
        const Chain chain = testing::random_chain(rng, random);
        std::uniform_real_distribution<double> bound(-150.0, 150.0);
        const double a = bound(rng);
        const double b = bound(rng);
        const SimplifyOptions options{.input_low = std::min(a, b), .input_high = std::max(a, b)};
        for (int sample = 0; sample < 8; ++sample) {
            const double share = sample < 2 ? sample : static_cast<double>(rng() % 1000) / 999.0;
            const double x =
                std::min(options.input_high,
                         options.input_low + share * (options.input_high - options.input_low));
            const std::size_t channel = rng() % random.channels;
            const auto binary_sources = testing::random_binary_sources(rng, random.source_types);
            Ops before;
            for (std::size_t at = 0; at <= chain.ops.size(); ++at) {
                const double v = evaluate_ops(before, x, channel, binary_sources);
                const Interval known = interval_before(chain, at, options);
                ASSERT_LE(known.low, v) << "before " << at << " of " << to_text(chain);
                ASSERT_GE(known.high, v) << "before " << at << " of " << to_text(chain);
                if (integers_before(chain, at)) {
                    ASSERT_EQ(v, std::nearbyint(v)) << "before " << at << " of " << to_text(chain);
                }
                if (at < chain.ops.size()) {
                    before.push_back(chain.ops[at]);
                }
            }
        }
    }
}

bool integers(Ops ops) {
    const Chain chain{std::move(ops), ElementType::f32};
    return integers_before(chain, chain.ops.size());
}

TEST(IntegersBefore, StayWhatTheyAreUnderWholeNumbers) {
    EXPECT_FALSE(integers({}));
    EXPECT_TRUE(integers({Round{}}));
    EXPECT_TRUE(integers({Round{}, Shift{3.0f}, Scale{Values({2.0f, -1.0f})}, Clip{0.0f, 255.0f}}));
    EXPECT_TRUE(integers({Round{}, Clip{-kInf, kInf}, Eltwise{}, Eltwise{EltwiseKind::kAbs}}));
}

TEST(IntegersBefore, EndWithAFraction) {
    EXPECT_FALSE(integers({Round{}, Shift{Values({1.0f, 0.5f})}}));
    EXPECT_FALSE(integers({Round{}, Scale{0.5f}}));
    EXPECT_FALSE(integers({Round{}, Clip{0.5f, 9.0f}}));
    EXPECT_FALSE(integers({Round{}, Eltwise{EltwiseKind::kRelu, 0.1f}}));
    EXPECT_FALSE(integers({Round{}, Eltwise{EltwiseKind::kRelu, 0.0f, 0.0f, 0.5f}}));
    EXPECT_FALSE(integers({Round{}, Binary{BinaryKind::kMax, 0, ElementType::u8}}));
    EXPECT_TRUE(integers({Scale{0.5f}, Round{}}));
}

}  // namespace
}  // namespace fuseq::post_ops
