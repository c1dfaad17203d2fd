// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/simplify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/post_ops/lower.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/post_ops/random_chain.hpp"

namespace fuseq::post_ops {
namespace {

using ::testing::HasSubstr;
using Ops = std::vector<BasicOp>;
constexpr ElementType f32 = ElementType::f32;
constexpr ElementType u8 = ElementType::u8;
constexpr ElementType i8 = ElementType::i8;

std::string simple(Ops ops, ElementType dst, SimplifyOptions options = {}) {
    return to_text(simplify({std::move(ops), dst}, options).chain);
}

Ops joined(std::initializer_list<Ops> parts) {
    Ops out;
    for (const Ops& part : parts) {
        out.insert(out.end(), part.begin(), part.end());
    }
    return out;
}

Ops fq(double low, double high, double out_low, double out_high) {
    return *lower_fake_quantize({{low}, {high}, {out_low}, {out_high}, 256}).ops;
}

TEST(Simplify, DequantizeBiasReluQuantizeIsScaleAndShift) {
    EXPECT_EQ(
        simple(joined({{Scale{0.25f}, Shift{2.0f}, Eltwise{}}, fq(0.0, 127.5, 0.0, 255.0)}), u8),
        "scale(0.5) shift(4) -> u8");
}

TEST(Simplify, SignedFakeQuantizeCrossesItsShift) {
    EXPECT_EQ(simple(fq(-4.0, 3.96875, -128.0, 127.0), i8), "scale(32) -> i8");
    EXPECT_EQ(simple(joined({{Eltwise{}}, fq(-4.0, 3.96875, -128.0, 127.0)}), i8),
              "scale(32) relu -> i8");
}

TEST(Simplify, Relu6BeforeARangeInsideGoes) {
    EXPECT_EQ(simple(joined({{Clip{0.0f, 6.0f}}, fq(0.0, 5.1, 0.0, 255.0)}), u8),
              "scale(50) -> u8");
    EXPECT_EQ(simple(joined({{Clip{0.0f, 6.0f}}, fq(0.0, 12.75, 0.0, 255.0)}), u8),
              "scale(20) clip(0,120) -> u8");
}

TEST(Simplify, ReluBeforeAnAsymmetricQuantizerBecomesAClip) {
    EXPECT_EQ(simple({Eltwise{}, Scale{2.0f}, Shift{10.0f}, Round{}, Clip{0.0f, 255.0f}}, u8),
              "scale(2) shift(10) clip(10,255) -> u8");
}

TEST(Simplify, ResidualBlockMovesTheScaleAroundTheAdd) {
    const Ops ops =
        joined({{Scale{0.5f}, Shift{1.0f}, Binary{BinaryKind::kAdd, 0, u8, 0.25f, 4.0f}, Eltwise{}},
                fq(0.0, 63.75, 0.0, 255.0)});
    EXPECT_EQ(simple(ops, u8), "scale(2) add(#0 u8) -> u8");
}

TEST(Simplify, AFakeQuantizeInTheMiddleKeepsItsRound) {
    const Ops ops = joined({{Scale{0.5f}},
                            fq(0.0, 255.0, 0.0, 255.0),
                            {Binary{BinaryKind::kAdd, 0, u8, 1.0f}},
                            fq(0.0, 510.0, 0.0, 255.0)});
    EXPECT_EQ(simple(ops, u8), "scale(0.5) round clip(0,255) scale(0.5) add(#0 u8 *0.5) -> u8");
    const Simplified faithful = simplify({ops, u8});
    EXPECT_THAT(faithful.notes,
                ::testing::Contains(LawNote{
                    "drop_middle_round", false,
                    "a rounding in the middle of a chain stays, drop_middle_rounds is off"}));
    EXPECT_EQ(simple(ops, u8, {.drop_middle_rounds = true}),
              "scale(0.25) clip(0,127.5) add(#0 u8 *0.5) -> u8");
}

TEST(Simplify, NotesSayWhatWasDone) {
    const Simplified done = simplify({{Eltwise{}, Scale{0.5f}}, f32});
    ASSERT_EQ(done.notes.size(), 1u);
    EXPECT_EQ(done.notes[0],
              (LawNote{"scale_over_relu", true, "relu scale(0.5) => scale(0.5) relu"}));
}

TEST(Simplify, RefusesChannelsThatDiffer) {
    EXPECT_THROW(simplify({{Scale{Values({1.0f, 2.0f})}, Shift{Values({1.0f, 2.0f, 3.0f})}}, f32}),
                 Error);
}

// Two faithful results may differ by the rounding of floats, not by a step.
TEST(Simplify, KeepsTheValueOfRandomChains) {
    const unsigned seed = 20260;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const testing::RandomOptions options;
    std::size_t compared = 0;
    std::size_t skipped = 0;
    for (int i = 0; i < 20000; ++i) {
        const Chain chain = testing::random_chain(rng, options);
        const Simplified done = simplify(chain);
        ASSERT_EQ(to_text(simplified(chain)), to_text(done.chain));
        EXPECT_LE(done.chain.ops.size(), chain.ops.size() + 4) << to_text(chain);
        for (int sample = 0; sample < 12; ++sample) {
            const double x = std::uniform_real_distribution<double>(-200.0, 300.0)(rng);
            const std::size_t channel = rng() % options.channels;
            const auto binary_sources = testing::random_binary_sources(rng, options.source_types);
            if (testing::near_a_jump(chain, x, channel, binary_sources) ||
                testing::near_a_jump(done.chain, x, channel, binary_sources)) {
                ++skipped;
                continue;
            }
            ++compared;
            const double want = evaluate(chain, x, channel, binary_sources);
            const double got = evaluate(done.chain, x, channel, binary_sources);
            ASSERT_NEAR(got, want, 1e-3 + std::abs(want) * 1e-5)
                << to_text(chain) << "\n"
                << to_text(done.chain) << "\nx " << x << " channel " << channel;
        }
        const Simplified again = simplify(done.chain);
        ASSERT_EQ(to_text(again.chain), to_text(done.chain)) << "not a fixed point";
        ASSERT_EQ(simplify(chain).notes, done.notes) << "not deterministic";
    }
    EXPECT_GT(compared, 20 * skipped) << compared << " compared, " << skipped << " skipped";
}

}  // namespace
}  // namespace fuseq::post_ops
