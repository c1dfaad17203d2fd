// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/epilogue_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "fuseq/error.hpp"
#include "unit/cpu/post_ops/random_chain.hpp"

namespace fuseq::post_ops {
namespace {

using ::testing::HasSubstr;
using Kind = EpilogueOp::Kind;

std::vector<Kind> kinds(const EpilogueProgram& program) {
    std::vector<Kind> result;
    for (const EpilogueOp& op : program.ops) {
        result.push_back(op.kind);
    }
    return result;
}

Emission emission(std::vector<PostOp> ops) {
    Emission e;
    e.output_scales = Values(std::vector<float>{0.5f, 0.25f});
    e.bias = {3.0f, 4.0f};
    e.post_ops = std::move(ops);
    e.dst_type = ElementType::u8;
    e.complete = true;
    return e;
}

TEST(AccumulatorEpilogue, ScaleAndBiasComeFirst) {
    const AccumulatorEpilogue epilogue = make_epilogue(emission({}), {});
    EXPECT_EQ(epilogue.refused, "");
    EXPECT_EQ(epilogue.scale, (std::vector<float>{0.5f, 0.25f}));
    EXPECT_EQ(epilogue.bias, (std::vector<float>{3.0f, 4.0f}));
    EXPECT_TRUE(epilogue.program.ops.empty());
}

// A quantization in the middle and a residual input, as in the blocks of a resnet.
TEST(AccumulatorEpilogue, NeighboursAreJoined) {
    const AccumulatorEpilogue epilogue = make_epilogue(
        emission(
            {EltwisePostOp{.algorithm = EltwiseAlgorithm::kRound},
             EltwisePostOp{.algorithm = EltwiseAlgorithm::kClip,
                           .alpha = 0.0f,
                           .beta = 255.0f,
                           .scale = 0.9f},
             EltwisePostOp{.algorithm = EltwiseAlgorithm::kLinear, .alpha = 1.0f, .beta = -119.0f},
             SumPostOp{.input = 2, .type = ElementType::i8, .scale = 1.9f}}),
        {.ops = {}, .dst_type = ElementType::u8});
    EXPECT_EQ(to_text(epilogue.program),
              "round_clip(0,255) affine(0.9,-119) sum(#2 i8 *1.9) -> u8");
}

// oneDNN rounds alpha * x + beta once: that is not a product and a sum.
TEST(AccumulatorEpilogue, LinearIsRoundedOnce) {
    const auto linear = [](float alpha, float beta) {
        return make_epilogue(
                   emission({EltwisePostOp{
                       .algorithm = EltwiseAlgorithm::kLinear, .alpha = alpha, .beta = beta}}),
                   {})
            .program;
    };
    EXPECT_EQ(kinds(linear(2.0f, 3.0f)), std::vector<Kind>{Kind::kLinear});
    EXPECT_EQ(kinds(linear(2.0f, 0.0f)), std::vector<Kind>{Kind::kScale});
    EXPECT_EQ(kinds(linear(1.0f, 3.0f)), std::vector<Kind>{Kind::kShift});
    EXPECT_TRUE(linear(1.0f, 0.0f).ops.empty());
}

TEST(AccumulatorEpilogue, ConstantsTensorsAndTheZeroPointOfDst) {
    Emission e =
        emission({ConstantPostOp{BinaryKind::kMul, Values({1.0f, 2.0f})},
                  ConstantPostOp{BinaryKind::kAdd, Values({3.0f, 4.0f})},
                  ConstantPostOp{BinaryKind::kMax, 0.5f}, ConstantPostOp{BinaryKind::kMin, 6.0f},
                  TensorPostOp{BinaryKind::kMul, 1, ElementType::f32},
                  TensorPostOp{BinaryKind::kAdd, 2, ElementType::u8},
                  EltwisePostOp{.algorithm = EltwiseAlgorithm::kRelu, .scale = 3.0f}});
    e.dst_zero_point = 7;
    EXPECT_EQ(to_text(make_epilogue(e, {.ops = {}, .dst_type = ElementType::u8}).program),
              "affine(per_oc:2,per_oc:2) max(0.5) min(6) mul(#1 f32) sum(#2 u8 *1) max(0) "
              "affine(3,7) -> u8");
}

TEST(AccumulatorEpilogue, TheRemainderOfTheChainFollows) {
    Emission e = emission({});
    e.complete = false;
    e.dst_type = ElementType::f32;
    const Chain remainder{
        .ops = {Prelu{Values(std::vector<float>{0.1f, 0.2f})}, Scale{8.0f}, Eltwise{}},
        .dst_type = ElementType::i8};
    EXPECT_EQ(to_text(make_epilogue(e, remainder).program),
              "prelu(per_oc:2) scale(8) max(0) -> i8");
}

TEST(AccumulatorEpilogue, RefusesWithAReason) {
    Emission e = emission({});
    e.possible = false;
    EXPECT_THAT(make_epilogue(e, {}).refused, HasSubstr("stores none of the types"));
    e = emission({});
    e.weight_scale = Values(2.0f);
    EXPECT_THAT(make_epilogue(e, {}).refused, HasSubstr("belongs to the weights"));
    // Rounded in between, for a fused eltwise to read.
    e = emission({});
    e.complete = false;
    EXPECT_EQ(make_epilogue(e, {.ops = {Scale{2.0f}}}).refused,
              "the part that maps would be rounded to u8 in between");
}

// A relu that is a relu in the chain stays one: max(0, x) has another zero for negative x.
TEST(EpilogueProgram, OfAChainChangesNoOperation) {
    const Chain chain{{Scale{2.0f}, Shift{3.0f}, Shift{1.0f}, Eltwise{}, Round{}, Clip{0.0f, 9.0f},
                       Binary{.input = 1, .type = ElementType::i8}},
                      ElementType::i8};
    EXPECT_EQ(to_text(make_epilogue(chain)),
              "affine(2,3) shift(1) relu round_clip(0,9) add(#1 i8) -> i8");
}

// What an operation of a program is, in double, written down a second time.
double evaluated(const EpilogueOp& op,
                 double x,
                 std::size_t channel,
                 const std::vector<double>& tensors) {
    const auto of = [&](const std::vector<float>& list) {
        return static_cast<double>(list.size() == 1 ? list[0] : list[channel]);
    };
    switch (op.kind) {
        case Kind::kLinear:
        case Kind::kAffine: return x * of(op.a) + of(op.b);
        case Kind::kScale: return x * of(op.a);
        case Kind::kShift: return x + of(op.a);
        case Kind::kRound: return std::nearbyint(x);
        case Kind::kClip: return std::min(std::max(x, of(op.a)), of(op.b));
        case Kind::kRoundClip: return std::min(std::max(std::nearbyint(x), of(op.a)), of(op.b));
        case Kind::kPrelu: return x > 0.0 ? x : x * of(op.a);
        case Kind::kMax: return std::max(x, of(op.a));
        case Kind::kMin: return std::min(x, of(op.a));
        case Kind::kEltwise: return apply(op.eltwise, x);
        case Kind::kBinary: return evaluate_ops({op.binary}, x, channel, tensors);
        case Kind::kSum: return tensors.at(op.binary.input) * op.binary.scale + x;
    }
    return x;
}

TEST(EpilogueProgram, HasTheValueOfItsChain) {
    const unsigned seed = 31;
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> values(-300.0, 300.0);
    const std::vector<ElementType> types{ElementType::u8, ElementType::i8, ElementType::f32};
    for (int i = 0; i < 2000; ++i) {
        testing::RandomOptions options{.channels = 5, .max_ops = 7};
        options.prelu = rng() % 2 == 0;
        const Chain chain = testing::random_chain(rng, options);
        const EpilogueProgram program = make_epilogue(chain);
        EXPECT_LE(program.ops.size(), chain.ops.size());
        for (int n = 0; n < 10; ++n) {
            const std::vector<double> tensors = testing::random_binary_sources(rng, types);
            const double x = values(rng);
            const std::size_t channel = rng() % 5;
            double got = x;
            for (const EpilogueOp& op : program.ops) {
                got = evaluated(op, got, channel, tensors);
            }
            ASSERT_EQ(got, evaluate_ops(chain.ops, x, channel, tensors))
                << to_text(chain) << " as " << to_text(program);
        }
    }
}

}  // namespace
}  // namespace fuseq::post_ops
