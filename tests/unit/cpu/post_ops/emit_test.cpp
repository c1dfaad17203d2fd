// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/emit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cpu/post_ops/simplify.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/post_ops/attribute_emulator.hpp"
#include "unit/cpu/post_ops/random_chain.hpp"

namespace fuseq::post_ops {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using Ops = std::vector<BasicOp>;
constexpr ElementType f32 = ElementType::f32;
constexpr ElementType u8 = ElementType::u8;
constexpr ElementType i8 = ElementType::i8;

const Eltwise kRelu{};

Anchor int8(AnchorKind kind, IsaLevel isa = IsaLevel::kAvx512Vnni) {
    return {.kind = kind, .oc = 3, .isa = isa};
}
Anchor real(AnchorKind kind, IsaLevel isa = IsaLevel::kAvx512Vnni) {
    return {.kind = kind, .src_type = f32, .wei_type = f32, .oc = 3, .isa = isa};
}
Anchor with_sum(Anchor anchor) {
    anchor.sum_inputs = {0};
    return anchor;
}
const Anchor kConv = int8(AnchorKind::kConvolution);

std::string text(Ops ops, ElementType dst, const Anchor& anchor) {
    const Chain chain{std::move(ops), dst};
    const Emission emission = emit(chain, anchor);
    std::string out = to_text(emission);
    if (!emission.complete) {
        out += " | " + to_text(remainder_of(chain, emission));
    }
    return out;
}

TEST(Emit, ScaleAndShiftBecomeOutputScaleAndBias) {
    const Emission emission =
        emit({{Scale{Values({0.5f, 0.25f, 1.0f})}, Shift{Values({4.0f, 1.0f, 3.0f})}}, u8}, kConv);
    EXPECT_TRUE(emission.complete);
    EXPECT_EQ(to_text(emission), "scale:per_oc bias -> u8");
    EXPECT_EQ(emission.bias, (std::vector<float>{8.0f, 4.0f, 3.0f}));  // before the output scale
    // A shift before the scale is the bias itself.
    EXPECT_EQ(emit({{Shift{4.0f}, Scale{0.5f}}, u8}, kConv).bias, std::vector<float>(3, 4.0f));
}

TEST(Emit, AChannelWithScaleZeroKeepsItsShift) {
    const Chain chain{{Scale{Values({0.5f, 0.0f, 0.0f})}, Shift{Values({4.0f, 7.0f, 0.0f})}}, u8};
    const Emission emission = emit(chain, kConv);
    EXPECT_TRUE(emission.complete);
    EXPECT_TRUE(emission.post_ops.empty());
    EXPECT_EQ(testing::emulate(emission, 1e9, 1, {}), 7.0);
    EXPECT_EQ(testing::emulate(emission, 1e9, 2, {}), 0.0);
}

TEST(Emit, PerTensorIsEltwisePerChannelIsBinary) {
    const Values each({1.0f, 2.0f, 3.0f});
    EXPECT_EQ(text({kRelu, Scale{2.0f}, Shift{1.0f}, Round{}, Clip{0.0f, 15.0f}}, u8, kConv),
              "relu*2 linear(1,1) round clip(0,15) -> u8");
    EXPECT_EQ(text({kRelu, Scale{each}, Shift{each}, Clip{each, 9.0f}, Scale{2.0f}}, u8, kConv),
              "relu mul(per_oc) add(per_oc) max(per_oc) min(9) linear(2,0) -> u8");
    EXPECT_EQ(text({Eltwise{EltwiseKind::kSwish, 1.0f}, Scale{3.0f}}, u8, kConv),
              "swish(1)*3 -> u8");
}

TEST(Emit, ResidualIsSumWhenTheBufferMayBeOverwritten) {
    const Binary add{BinaryKind::kAdd, 0, u8, 0.5f};
    EXPECT_EQ(text({Scale{2.0f}, add, kRelu}, u8, with_sum(kConv)),
              "scale:2 sum(#0 u8 *0.5) relu -> u8");
    // Another sign is summed by convolution and matmul only.
    EXPECT_EQ(text({add}, i8, with_sum(kConv)), "sum(#0 u8 *0.5) -> i8");
    EXPECT_EQ(text({add}, i8, with_sum(int8(AnchorKind::kDeconvolution))),
              "scale:2 add(#0 u8) linear(0.5,0) -> i8");
    // An f32 dst has no room for u8 elements.
    EXPECT_EQ(text({add}, f32, with_sum(kConv)), "scale:2 add(#0 u8) linear(0.5,0) -> f32");
    // Its zero point is a shift.
    const Emission emission =
        emit({{Scale{2.0f}, Binary{BinaryKind::kAdd, 0, u8, 0.5f, 8.0f}}, u8}, with_sum(kConv));
    EXPECT_EQ(emission.bias, std::vector<float>(3, -2.0f));
}

TEST(Emit, OnlyOneSum) {
    Anchor anchor = kConv;
    anchor.sum_inputs = {0, 1};
    EXPECT_EQ(text({Binary{BinaryKind::kAdd, 0, u8}, Binary{BinaryKind::kAdd, 1, u8}}, u8, anchor),
              "sum(#0 u8) add(#1 u8) -> u8");
}

TEST(Emit, ASumThatIsNotFirstIsForConvolutionsOnly) {
    const Ops ops{kRelu, Binary{BinaryKind::kAdd, 0, u8}};
    EXPECT_EQ(text(ops, u8, with_sum(kConv)), "relu sum(#0 u8) -> u8");
    for (const AnchorKind kind :
         {AnchorKind::kMatMul, AnchorKind::kInnerProduct, AnchorKind::kDeconvolution}) {
        EXPECT_EQ(text(ops, u8, with_sum(int8(kind))), "relu add(#0 u8) -> u8");
    }
    const Ops f32_ops{kRelu, Binary{BinaryKind::kAdd, 0, f32}};
    EXPECT_EQ(text(f32_ops, f32, with_sum(real(AnchorKind::kConvolution))),
              "relu sum(#0 f32) -> f32");
    EXPECT_EQ(text(f32_ops, f32, with_sum(real(AnchorKind::kConvolution, IsaLevel::kAvx2))),
              "relu add(#0 f32) -> f32");
}

TEST(Emit, BinaryAddKeepsTheRawIntegersAndMovesTheScaleAround) {
    const Binary add{BinaryKind::kAdd, 0, i8, 0.25f};
    EXPECT_EQ(text({Scale{2.0f}, add}, u8, kConv), "scale:8 add(#0 i8) linear(0.25,0) -> u8");
    // The scale after it rides on what follows.
    EXPECT_EQ(text({Scale{2.0f}, add, kRelu}, u8, kConv), "scale:8 add(#0 i8) relu*0.25 -> u8");
    EXPECT_EQ(text({Scale{2.0f}, add, Clip{0.0f, 6.0f}}, u8, kConv),
              "scale:8 add(#0 i8) clip(0,24)*0.25 -> u8");
    EXPECT_EQ(text({Scale{2.0f}, Binary{BinaryKind::kMul, 0, u8, 0.25f}}, u8, kConv),
              "scale:0.5 mul(#0 u8) -> u8");
    EXPECT_EQ(text({Binary{BinaryKind::kMax, 0, u8, 0.5f, 4.0f}}, f32, kConv),
              "scale:2 bias max(#0 u8) linear(0.5,-2) -> f32");
}

TEST(Emit, RefusesPreluPerChannelAndStoresF32BeforeIt) {
    const Prelu prelu{Values({0.1f, 0.2f, 0.3f})};
    const Chain chain{{Scale{2.0f}, Shift{1.0f}, prelu, Scale{4.0f}}, u8};
    const Emission emission = emit(chain, kConv);
    EXPECT_FALSE(emission.complete);
    EXPECT_EQ(emission.consumed, 2u);
    EXPECT_EQ(to_text(emission), "scale:2 bias -> f32");
    EXPECT_EQ(to_text(remainder_of(chain, emission)), "prelu(per_oc:3) scale(4) -> u8");
    EXPECT_THAT(emission.refused,
                Contains("prelu(per_oc:3): prelu(per_oc:3) falls to a reference implementation"));
    // With one slope it is a leaky relu.
    EXPECT_EQ(text({Eltwise{EltwiseKind::kRelu, 0.1f}}, u8, kConv), "relu(0.1) -> u8");
}

TEST(Emit, ASplitDoesNotSumIntoAnF32Buffer) {
    const Ops ops{Binary{BinaryKind::kAdd, 0, u8, 0.5f}, Prelu{Values({0.1f, 0.2f, 0.3f})}};
    EXPECT_EQ(text(ops, u8, with_sum(kConv)),
              "scale:2 add(#0 u8) linear(0.5,0) -> f32 | prelu(per_oc:3) -> u8");
}

TEST(Emit, AnF32ConvolutionHasASumOrAFullBinary) {
    const Ops ops{Binary{BinaryKind::kAdd, 0, f32, 0.5f}, kRelu,
                  Binary{BinaryKind::kAdd, 1, f32, 1.0f}};
    const Anchor conv = with_sum(real(AnchorKind::kConvolution));
    EXPECT_EQ(text(ops, f32, conv), "sum(#0 f32 *0.5) relu -> f32 | add(#1 f32) -> f32");
    EXPECT_THAT(emit({ops, f32}, conv).refused, Contains(HasSubstr("beside a sum")));
    const Ops other{Binary{BinaryKind::kAdd, 1, f32, 1.0f}, kRelu,
                    Binary{BinaryKind::kAdd, 0, f32, 0.5f}};
    EXPECT_EQ(text(other, f32, conv), "add(#1 f32) relu*2 add(#0 f32) linear(0.5,0) -> f32");
}

TEST(Emit, F32AnchorsScaleTheirWeights) {
    const Ops ops{Scale{Values({1.0f, 2.0f, 3.0f})}, Shift{1.0f}, kRelu};
    EXPECT_EQ(text(ops, f32, real(AnchorKind::kConvolution)),
              "weight_scale:per_oc bias relu -> f32");
    EXPECT_EQ(emit({ops, f32}, real(AnchorKind::kConvolution)).bias, std::vector<float>(3, 1.0f));
    Anchor two_activations = real(AnchorKind::kMatMul);
    two_activations.constant_weights = false;
    EXPECT_EQ(text(ops, f32, two_activations), "mul(per_oc) linear(1,1) relu -> f32");
    EXPECT_EQ(text({Scale{0.125f}}, f32, two_activations), "linear(0.125,0) -> f32");
}

// The bias joins the sum and the scale comes after, as in an int8 anchor: the same rounding.
TEST(Emit, WholeNumbersAreNotScaledBeforeTheyAreAdded) {
    Anchor anchor = real(AnchorKind::kConvolution);
    anchor.whole_numbers = true;
    const Ops ops{Scale{Values({1.0f, 2.0f, 4.0f})}, Shift{8.0f}, kRelu};
    EXPECT_EQ(text(ops, f32, anchor), "bias mul(per_oc) relu -> f32");
    EXPECT_EQ(emit({ops, f32}, anchor).bias, (std::vector<float>{8.0f, 4.0f, 2.0f}));
    EXPECT_EQ(emit({ops, f32}, kConv).bias, (std::vector<float>{8.0f, 4.0f, 2.0f}));
    EXPECT_EQ(text({kRelu}, f32, anchor), "relu -> f32");
    // A sum that must be the first post-op has no place after the scale.
    anchor.isa = IsaLevel::kAvx2;
    const Ops sum{Scale{0.5f}, Binary{BinaryKind::kAdd, 0, f32, 1.0f}};
    EXPECT_EQ(text(sum, f32, with_sum(anchor)), "mul(0.5) add(#0 f32) -> f32");
}

TEST(Emit, F32AnchorsLeaveTheIntegerStore) {
    EXPECT_EQ(text({Scale{2.0f}, kRelu}, u8, real(AnchorKind::kConvolution)),
              "weight_scale:2 relu -> f32 | -> u8");
    EXPECT_THAT(emit({{Scale{2.0f}}, u8}, real(AnchorKind::kConvolution)).refused,
                Contains("convolution of f32 does not store u8"));
}

TEST(Emit, Pooling) {
    EXPECT_EQ(text({}, u8, int8(AnchorKind::kMaxPool)), "-> u8");
    EXPECT_EQ(text({Scale{2.0f}}, u8, int8(AnchorKind::kMaxPool)), "-> u8 | scale(2) -> u8");
    EXPECT_THAT(emit({{Scale{2.0f}}, u8}, int8(AnchorKind::kMaxPool)).refused,
                Contains(HasSubstr("slow or refused after max pooling")));
    EXPECT_EQ(text({Scale{2.0f}, Shift{1.0f}}, u8, int8(AnchorKind::kAvgPool)),
              "linear(2,1) -> u8");
    EXPECT_FALSE(emit({{Scale{2.0f}}, f32}, int8(AnchorKind::kAvgPool)).possible);
    EXPECT_EQ(text({Scale{2.0f}, kRelu}, f32, real(AnchorKind::kAvgPool)), "relu*2 -> f32");
}

TEST(Emit, ReorderTakesAScaleAndAnIntegerZeroPoint) {
    EXPECT_EQ(text({Scale{2.0f}, Shift{3.0f}}, u8, real(AnchorKind::kReorder)),
              "scale:2 zp:3 -> u8");
    EXPECT_EQ(text({Scale{2.0f}, Shift{0.5f}}, u8, real(AnchorKind::kReorder)),
              "-> f32 | scale(2) shift(0.5) -> u8");
}

TEST(Emit, BinaryAnchor) {
    EXPECT_EQ(text({Scale{2.0f}, kRelu}, u8, real(AnchorKind::kBinary)), "relu*2 -> u8");
    EXPECT_FALSE(emit({{}, f32}, int8(AnchorKind::kBinary)).possible);
}

TEST(Emit, RefusesMulWithAZeroPoint) {
    EXPECT_THAT(emit({{Binary{BinaryKind::kMul, 0, u8, 0.5f, 3.0f}}, u8}, kConv).refused,
                Contains(HasSubstr("input #0 of a multiply has zero point 3")));
}

TEST(Emit, RefusesATensorOfOneElementAPlane) {
    EXPECT_THAT(emit({{Binary{BinaryKind::kMul, 0, u8, 0.5f, 0.0f, true}}, u8}, kConv).refused,
                Contains(HasSubstr("input #0 has one element a plane")));
}

TEST(Emit, RefusesChannelsThatAreNotTheAnchors) {
    EXPECT_THROW(emit({{Scale{Values({1.0f, 2.0f})}}, u8}, kConv), Error);
}

TEST(Emit, ASecondEltwiseOfOneKindIsWrittenDifferently) {
    EXPECT_EQ(
        text({Clip{0.0f, 6.0f}, Round{}, Clip{0.0f, 4.0f}, Round{}, Clip{1.0f, 2.0f}}, u8, kConv),
        "clip(0,6) round clip_v2(0,4) round max(1) min(2) -> u8");
    const Values each({1.0f, 2.0f, 3.0f});
    EXPECT_EQ(text({Round{}, Shift{2.0f}, Scale{each}, Scale{3.0f}, Shift{1.0f}}, u8, kConv),
              "round linear(1,2) mul(per_oc) mul(3) add(1) -> u8");
    EXPECT_EQ(text({kRelu, Shift{each}, kRelu}, u8, kConv), "relu add(per_oc) relu -> u8");
    EXPECT_EQ(text({kRelu, Shift{each}, kRelu, Scale{2.0f}}, u8, kConv),
              "relu add(per_oc) max(0) mul(2) -> u8");
    EXPECT_EQ(text({Eltwise{EltwiseKind::kTanh}, Eltwise{EltwiseKind::kTanh}}, u8, kConv),
              "tanh tanh -> u8");
    const Ops two_leaks{Eltwise{EltwiseKind::kRelu, 0.1f}, Shift{1.0f},
                        Eltwise{EltwiseKind::kRelu, 0.2f}};
    EXPECT_EQ(text(two_leaks, u8, kConv), "relu(0.1) linear(1,1) -> f32 | relu(0.2) -> u8");
    EXPECT_THAT(emit({two_leaks, u8}, kConv).refused,
                Contains(HasSubstr("with the parameters of the first")));
}

TEST(FaultOf, NamesWhatMustNotBeUsed) {
    Emission emission;
    EXPECT_EQ(fault_of("brgconv:avx512_core_vnni", kConv, emission), "");
    EXPECT_EQ(fault_of("ref_int8:any", kConv, emission), "oneDNN has only ref_int8:any for it");
    EXPECT_EQ(fault_of("x64:gemm:jit", kConv, emission), "");
    emission.post_ops = {TensorPostOp{}};
    EXPECT_THAT(fault_of("x64:gemm:jit", kConv, emission),
                HasSubstr("reads the tensor of a binary post-op wrongly"));
    EXPECT_THAT(fault_of("x64:gemm_s8u8s32:jit", kConv, emission),
                HasSubstr("reads the tensor of a binary post-op wrongly"));
    EXPECT_EQ(fault_of("x64:gemm:jit", int8(AnchorKind::kInnerProduct), emission), "");
}

TEST(FaultOf, KnowsThatThreeSpatialDimensionsAreReadWrongly) {
    Emission emission;
    emission.post_ops = {ConstantPostOp{BinaryKind::kMul, Values({1.0f, 2.0f, 3.0f})}};
    Anchor anchor = real(AnchorKind::kConvolution);
    EXPECT_EQ(fault_of("x64:gemm:jit", anchor, emission), "");
    anchor.spatial_dims = 3;
    EXPECT_THAT(fault_of("x64:gemm:jit", anchor, emission), HasSubstr("wrongly"));
    emission.post_ops = {ConstantPostOp{BinaryKind::kMul, Values(2.0f)}};
    EXPECT_EQ(fault_of("x64:gemm:jit", anchor, emission), "");
}

Anchor random_anchor(std::mt19937& rng, std::size_t channels) {
    static constexpr AnchorKind kKinds[] = {AnchorKind::kConvolution,   AnchorKind::kConvolution,
                                            AnchorKind::kDeconvolution, AnchorKind::kMatMul,
                                            AnchorKind::kInnerProduct,  AnchorKind::kBinary,
                                            AnchorKind::kAvgPool,       AnchorKind::kReorder};
    Anchor anchor;
    anchor.kind = kKinds[rng() % 8];
    anchor.oc = channels;
    anchor.isa = static_cast<IsaLevel>(rng() % 6);
    anchor.constant_weights = rng() % 3 != 0;
    const bool need_f32 = anchor.kind == AnchorKind::kBinary || anchor.kind == AnchorKind::kAvgPool;
    anchor.src_type = need_f32 || rng() % 3 == 0 ? f32 : u8;
    anchor.whole_numbers = !anchor.int8() && rng() % 2 == 0;
    for (std::size_t i = 0; i < 3; ++i) {
        if (rng() % 3 != 0) {
            anchor.sum_inputs.push_back(i);
        }
    }
    return anchor;
}

TEST(Emit, KeepsTheValueOfRandomChains) {
    const unsigned seed = 4711;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    const testing::RandomOptions options;
    std::size_t compared = 0;
    std::size_t complete = 0;
    std::size_t sums = 0;
    for (int i = 0; i < 10000; ++i) {
        const Chain original = testing::random_chain(rng, options);
        const Chain chain = rng() % 4 == 0 ? original : simplify(original).chain;
        const Anchor anchor = random_anchor(rng, options.channels);
        const Emission emission = emit(chain, anchor);
        ASSERT_TRUE(emission.possible) << to_text(chain);
        ASSERT_LE(emission.consumed, chain.ops.size());
        ASSERT_TRUE(emission.complete || !emission.refused.empty()) << to_text(chain);
        complete += emission.complete ? 1 : 0;
        const Chain rest = remainder_of(chain, emission);
        for (const PostOp& op : emission.post_ops) {
            sums += std::holds_alternative<SumPostOp>(op) ? 1 : 0;
        }
        for (int sample = 0; sample < 10; ++sample) {
            const double x = static_cast<double>(rng() % 500) - 200.0;
            const std::size_t channel = rng() % options.channels;
            const auto binary_sources = testing::random_binary_sources(rng, options.source_types);
            if (anchor.kind == AnchorKind::kReorder && anchor.int8() && (x < 0.0 || x > 255.0)) {
                continue;
            }
            if (testing::near_a_jump(chain, x, channel, binary_sources)) {
                continue;
            }
            ++compared;
            const double want = evaluate(chain, x, channel, binary_sources);
            const double stored = testing::emulate(emission, x, channel, binary_sources);
            const double got =
                emission.complete ? stored : evaluate(rest, stored, channel, binary_sources);
            ASSERT_NEAR(got, want, 1e-3 + std::abs(want) * 1e-5)
                << to_text(chain) << "\n"
                << to_text(emission) << " | " << to_text(rest) << "\nx " << x << " channel "
                << channel << " on " << to_string(anchor.kind);
        }
    }
    EXPECT_GT(compared, 60000u);
    EXPECT_GT(complete, 3000u);
    EXPECT_GT(sums, 200u);
}

}  // namespace
}  // namespace fuseq::post_ops
