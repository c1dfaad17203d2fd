// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// oneDNN itself runs the composed attributes; the exact sums and evaluate() say what must come out.
// ctest runs these tests once for each instruction set (DNNL_MAX_CPU_ISA).
#include "cpu/post_ops/dnnl_post_ops_composer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cpu/machine/isa_limit.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/post_ops/random_chain.hpp"
#include "unit/cpu/post_ops/small_anchor.hpp"

namespace fuseq::post_ops {
namespace {

using ::testing::HasSubstr;
using testing::SmallProblem;
using testing::SmallResult;
constexpr ElementType f32 = ElementType::f32;
constexpr ElementType u8 = ElementType::u8;
constexpr ElementType i8 = ElementType::i8;

constexpr AnchorKind kAccumulators[] = {AnchorKind::kConvolution, AnchorKind::kDeconvolution,
                                        AnchorKind::kMatMul, AnchorKind::kInnerProduct};

// Values so small that no pair of products overflows 16 bits, and even weights, because without
// VNNI oneDNN halves the weights of signed sources.
SmallProblem random_problem(std::mt19937& rng, ElementType src_type, std::size_t channels) {
    SmallProblem problem{.rows = 1 + rng() % 7, .depth = 3 + rng() % 14, .channels = channels};
    for (std::size_t i = 0; i < problem.rows * problem.depth; ++i) {
        const auto value = static_cast<float>(rng() % 12);
        problem.src.push_back(src_type == u8 ? value : value - 6.0f);
    }
    for (std::size_t i = 0; i < problem.channels * problem.depth; ++i) {
        problem.wei.push_back(2.0f * static_cast<float>(rng() % 7) - 6.0f);
    }
    return problem;
}

std::vector<std::vector<double>> random_tensors(std::mt19937& rng,
                                                const std::vector<ElementType>& types,
                                                std::size_t count) {
    std::vector<std::vector<double>> out(types.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto one = testing::random_binary_sources(rng, types);
        for (std::size_t e = 0; e < types.size(); ++e) {
            out[e].push_back(one[e]);
        }
    }
    return out;
}

Anchor random_anchor(std::mt19937& rng, std::size_t channels) {
    static constexpr ElementType kSrc[] = {u8, u8, i8, f32};
    Anchor anchor{.kind = kAccumulators[rng() % 4],
                  .src_type = kSrc[rng() % 4],
                  .oc = channels,
                  .isa = cpu::isa_level()};
    anchor.wei_type = anchor.int8() ? i8 : f32;
    anchor.whole_numbers = !anchor.int8() && rng() % 2 == 0;
    if (rng() % 2 == 0) {
        anchor.sum_inputs = {0, 1, 2};
    }
    return anchor;
}

struct Tally {
    std::size_t compared = 0;
    std::size_t skipped = 0;
    std::size_t complete = 0;
};

// One anchor, one chain: oneDNN and then the rest of the chain, against the chain.
void check(const Chain& chain, const Anchor& anchor, std::mt19937& rng, Tally& tally) {
    const std::vector<ElementType> types{u8, i8, f32};
    const DnnlPostOpsComposer composer(chain);
    const Mapped mapped = composer.map(anchor);
    const Emission& emission = mapped.emission;
    ASSERT_TRUE(emission.possible);
    const SmallProblem problem = random_problem(rng, anchor.src_type, anchor.oc);
    const auto binary_sources = random_tensors(rng, types, problem.rows * problem.channels);
    SCOPED_TRACE(::testing::Message()
                 << to_text(chain) << "\n  " << to_text(composer.chain()) << "\n  "
                 << to_text(emission) << " | " << to_text(mapped.remainder) << "\n  on "
                 << to_string(anchor.kind) << " of " << to_string(anchor.src_type));
    const SmallResult result = run_small(problem, anchor, emission, binary_sources, types);
    EXPECT_EQ(fault_of(result.implementation, anchor, emission), "");
    const std::vector<double> exact = problem.exact();
    tally.complete += emission.complete ? 1 : 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const std::size_t channel = i % problem.channels;
        const std::vector<double> one{binary_sources[0][i], binary_sources[1][i],
                                      binary_sources[2][i]};
        if (testing::near_a_jump(chain, exact[i], channel, one, 60.0)) {
            ++tally.skipped;
            continue;
        }
        ++tally.compared;
        const double want = evaluate(chain, exact[i], channel, one);
        const double got = emission.complete
                               ? result.dst[i]
                               : evaluate(mapped.remainder, result.dst[i], channel, one);
        // oneDNN's activations are polynomials, good to about 1e-5 of their range.
        ASSERT_NEAR(got, want, 1e-2 + std::abs(want) * 1e-4)
            << result.implementation << ", sum " << exact[i] << ", channel " << channel;
    }
}

TEST(DnnlPostOpsComposer, OneDnnComputesWhatTheChainSays) {
    const unsigned seed = 99;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    Tally tally;
    for (int i = 0; i < 1500 && !HasFatalFailure(); ++i) {
        const std::size_t channels = rng() % 2 == 0 ? 5 : 16;
        testing::RandomOptions options{.channels = channels, .max_ops = 6};
        options.prelu = rng() % 3 == 0;
        const Chain chain = testing::random_chain(rng, options);
        check(chain, random_anchor(rng, channels), rng, tally);
    }
    EXPECT_GT(tally.compared, 40000u);
    EXPECT_GT(tally.compared, 4 * tally.skipped);
    EXPECT_GT(tally.complete, 600u);
}

// The facts of capabilities.cpp: what is emitted never lands on a reference implementation.
TEST(DnnlPostOpsComposer, EveryActivationHasAFastImplementation) {
    std::mt19937 rng(5);
    for (const AnchorKind kind : kAccumulators) {
        for (const ElementType src : {u8, i8, f32}) {
            for (int k = 0; k <= static_cast<int>(EltwiseKind::kSoftsign); ++k) {
                const auto eltwise = static_cast<EltwiseKind>(k);
                const bool positive = eltwise == EltwiseKind::kSqrt ||
                                      eltwise == EltwiseKind::kLog ||
                                      eltwise == EltwiseKind::kPower;
                Chain chain{{Scale{0.02f}}, src == f32 ? f32 : u8};
                if (positive) {
                    chain.ops.emplace_back(Clip{0.5f, 3.0f});
                }
                chain.ops.emplace_back(Eltwise{eltwise, 1.0f, positive ? 2.5f : 0.5f, 40.0f});
                Anchor anchor{.kind = kind, .src_type = src, .oc = 16, .isa = cpu::isa_level()};
                Tally tally;
                check(chain, anchor, rng, tally);
                const bool is_line =
                    eltwise == EltwiseKind::kHsigmoid || eltwise == EltwiseKind::kHardSigmoid;
                EXPECT_EQ(tally.complete, activation(eltwise).algorithm || is_line ? 1u : 0u)
                    << to_text(chain);
            }
        }
    }
}

TEST(DnnlPostOpsComposer, AChannelWithScaleZeroKeepsItsShift) {
    std::mt19937 rng(6);
    const Chain chain{{Scale{Values({0.5f, 0.0f, 0.25f, 0.0f, 1.0f})},
                       Shift{Values({4.0f, 77.0f, 3.0f, 0.0f, 2.0f})}},
                      u8};
    for (const AnchorKind kind : kAccumulators) {
        Tally tally;
        check(chain, {.kind = kind, .oc = 5, .isa = cpu::isa_level()}, rng, tally);
        EXPECT_EQ(tally.complete, 1u);
    }
}

// Two thirds of a chain for the anchor: what is left stores the type of the whole one.
TEST(DnnlPostOpsComposer, MapsTheBeginningOfAChain) {
    const DnnlPostOpsComposer composer(
        {{Scale{0.5f}, Eltwise{EltwiseKind::kTanh}, Shift{0.5f}, Round{}, Scale{0.5f}}, u8});
    const Anchor anchor{.oc = 5, .isa = cpu::isa_level()};
    const Mapped part = composer.map(anchor, 2);
    EXPECT_FALSE(part.complete);
    EXPECT_EQ(part.emission.dst_type, f32);
    EXPECT_EQ(to_text(part.remainder), "shift(0.5) round scale(0.5) -> u8");
    const Mapped all = composer.map(anchor);
    EXPECT_TRUE(all.complete);
    EXPECT_EQ(to_text(all.remainder), "-> u8");
    EXPECT_EQ(to_text(composer.program()), "scale(0.5) tanh shift(0.5) round scale(0.5) -> u8");
}

// What was asked before does not matter: another number of channels, another tensor that may be
// overwritten.
TEST(DnnlPostOpsComposer, MapsEpiloguesAsMapAndEpilogueDo) {
    const DnnlPostOpsComposer composer(
        {{Scale{0.5f}, Binary{.input = 0, .type = u8, .scale = 0.25f}, Round{}, Clip{0.0f, 9.0f}},
         u8});
    const Anchor alone{.kind = AnchorKind::kMatMul, .oc = 5, .isa = cpu::IsaLevel::kAvx512Vnni};
    Anchor over = alone;
    over.sum_inputs = {0};
    Anchor wide = alone;
    wide.oc = 16;
    for (const Anchor& anchor : {alone, over, wide, over, alone, alone}) {
        const Mapped mapped = composer.map(anchor);
        const AccumulatorEpilogue epilogue = DnnlPostOpsComposer::epilogue(mapped);
        const auto both = composer.mapped_epilogue(anchor);
        EXPECT_EQ(both->anchor, anchor);
        EXPECT_EQ(both->emission, mapped.emission);
        EXPECT_EQ(both->epilogue.scale, epilogue.scale);
        EXPECT_EQ(both->epilogue.bias, epilogue.bias);
        EXPECT_EQ(both->epilogue.refused, epilogue.refused);
        EXPECT_EQ(to_text(both->epilogue.program), to_text(epilogue.program));
        EXPECT_EQ(both, composer.mapped_epilogue(anchor));
    }
}

// Of the chain as it was given; the simplified one has them no more.
TEST(DnnlPostOpsComposer, NotesWhatLawsDidAndRefuse) {
    const DnnlPostOpsComposer composer({{Scale{0.5f}, Scale{4.0f}, Round{}, Scale{0.3f}}, u8});
    EXPECT_EQ(to_text(composer.chain()), "scale(2) round scale(0.3) -> u8");
    const std::vector<LawNote> notes = composer.notes();
    EXPECT_THAT(notes, ::testing::Contains(
                           LawNote{"fold_scales", true, "scale(0.5) scale(4) => scale(2)"}));
    EXPECT_THAT(notes,
                ::testing::Contains(LawNote{
                    "drop_middle_round", false,
                    "a rounding in the middle of a chain stays, drop_middle_rounds is off"}));
}

TEST(ComposeAttributes, RefusesWhatDoesNotFit) {
    cpu::fix_isa_level();
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const dnnl::memory::desc dst({1, 4, 2, 2}, dnnl::memory::data_type::u8,
                                 dnnl::memory::format_tag::nhwc);
    Emission emission;
    emission.post_ops = {ConstantPostOp{BinaryKind::kAdd, Values({1.0f, 2.0f})}};
    EXPECT_THROW(compose_attributes(emission, dst, 1, engine), Error);
    EXPECT_THROW(compose_attributes(Emission{}, dst, 4, engine), Error);
    const dnnl::memory::desc blocked({1, 16, 2, 2}, dnnl::memory::data_type::u8,
                                     dnnl::memory::format_tag::nChw16c);
    EXPECT_THROW(compose_attributes(Emission{}, blocked, 1, engine), Error);
    emission.post_ops = {TensorPostOp{BinaryKind::kAdd, 0, ElementType::i64}};
    try {
        compose_attributes(emission, dst, 1, engine);
        FAIL() << "expected an Error";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("a post-op cannot read i64"));
    }
}

}  // namespace
}  // namespace fuseq::post_ops
