// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Each law: where it holds, and where it must refuse, with its reason.
#include "cpu/post_ops/laws/laws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;
using Ops = std::vector<BasicOp>;
constexpr ElementType f32 = ElementType::f32;
constexpr ElementType u8 = ElementType::u8;
constexpr ElementType i8 = ElementType::i8;
constexpr float kInf = std::numeric_limits<float>::infinity();

const Eltwise kRelu{};
const Eltwise kTanh{EltwiseKind::kTanh};
const Binary kAdd{BinaryKind::kAdd, 0, u8, 0.5f};

Values oc(std::vector<float> values) {
    return {std::move(values)};
}

// The chain after the law at its first place, or "refused: ...", or "nothing".
std::string run(Result (*law)(const Site&),
                Ops ops,
                ElementType dst = f32,
                SimplifyOptions options = {}) {
    const Chain chain{std::move(ops), dst};
    std::string refused = "nothing";
    for (std::size_t at = 0; at < chain.ops.size(); ++at) {
        const Result result = law({chain, at, options});
        if (result.kind == Result::Kind::kRefused) {
            refused = "refused: " + result.reason;
        } else if (result.kind == Result::Kind::kApplied) {
            Chain after = chain;
            const auto begin = after.ops.begin() + static_cast<std::ptrdiff_t>(at);
            const auto next =
                after.ops.erase(begin, begin + static_cast<std::ptrdiff_t>(result.replaced));
            after.ops.insert(next, result.by.begin(), result.by.end());
            return to_text(after);
        }
    }
    return refused;
}

TEST(RemoveIdentity, RemovesWhatChangesNothing) {
    EXPECT_EQ(run(remove_identity, {Scale{1.0f}}), "-> f32");
    EXPECT_EQ(run(remove_identity, {Shift{0.0f}, Round{}}), "round -> f32");
    EXPECT_EQ(run(remove_identity, {Clip{-kInf, kInf}}), "-> f32");
    EXPECT_EQ(run(remove_identity, {Eltwise{EltwiseKind::kRelu, 1.0f}}), "-> f32");
    EXPECT_EQ(run(remove_identity, {Prelu{1.0f}}), "-> f32");
}
TEST(RemoveIdentity, KeepsTheRest) {
    EXPECT_EQ(run(remove_identity, {Scale{oc({1.0f, 2.0f})}, Shift{1.0f}, kRelu}), "nothing");
}

TEST(UsePlainForm, WritesActivationsAsLinesAndClips) {
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kHardSigmoid, 0.2f, 0.5f, 3.0f}}),
              "scale(0.2) shift(0.5) clip(0,1) scale(3) -> f32");
    EXPECT_THAT(run(use_plain_form, {Eltwise{EltwiseKind::kHsigmoid}}),
                HasSubstr("shift(0.5) clip(0,1) scale(1)"));
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kRelu, 0.1f, 0.0f, 2.0f}}),
              "scale(2) relu(0.1) -> f32");
    EXPECT_EQ(run(use_plain_form, {Prelu{0.25f}}), "relu(0.25) -> f32");
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kPower, 3.0f, 1.0f}}),
              "scale(3) scale(1) -> f32");
}
TEST(UsePlainForm, KeepsANegativeScaleOfARelu) {
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kRelu, 0.0f, 0.0f, -2.0f}}), "nothing");
    EXPECT_EQ(run(use_plain_form, {Eltwise{EltwiseKind::kPower, 3.0f, 2.0f}}), "nothing");
}

TEST(SplitZeroPointOfAdd, MakesAShift) {
    EXPECT_EQ(run(split_zero_point_of_add, {Binary{BinaryKind::kAdd, 0, u8, 0.5f, 128.0f}}),
              "shift(-64) add(#0 u8 *0.5) -> f32");
}
TEST(SplitZeroPointOfAdd, OnlyForAdd) {
    EXPECT_EQ(run(split_zero_point_of_add, {Binary{BinaryKind::kMul, 0, u8, 0.5f, 128.0f}}),
              "nothing");
    EXPECT_THAT(run(split_zero_point_of_add, {Binary{BinaryKind::kAdd, 0, u8, 1e38f, 128.0f}}),
                HasSubstr("refused: zero point times scale of input #0 does not fit"));
}

TEST(FoldScales, MultipliesPerTensorAndPerChannel) {
    EXPECT_EQ(run(fold_scales, {Scale{2.0f}, Scale{0.25f}}), "scale(0.5) -> f32");
    const Result result =
        fold_scales({Chain{{Scale{oc({2.0f, 4.0f})}, Scale{0.5f}}, f32}, 0, SimplifyOptions{}});
    ASSERT_EQ(result.by.size(), 1u);
    EXPECT_EQ(std::get<Scale>(result.by[0]).by.list(), (std::vector<float>{1.0f, 2.0f}));
}
TEST(FoldScales, RefusesOverflowAndVanishing) {
    EXPECT_THAT(run(fold_scales, {Scale{1e30f}, Scale{1e30f}}), HasSubstr("does not fit a float"));
    EXPECT_THAT(run(fold_scales, {Scale{1e-30f}, Scale{1e-30f}}), HasSubstr("does not fit"));
    EXPECT_EQ(run(fold_scales, {Scale{0.0f}, Scale{1e30f}}), "scale(0) -> f32");
}

TEST(FoldShifts, Adds) {
    EXPECT_EQ(run(fold_shifts, {Shift{2.0f}, Shift{-0.5f}}), "shift(1.5) -> f32");
    EXPECT_THAT(run(fold_shifts, {Shift{3e38f}, Shift{3e38f}}), HasSubstr("does not fit a float"));
}

TEST(ScaleBeforeShift, Distributes) {
    EXPECT_EQ(run(scale_before_shift, {Shift{3.0f}, Scale{2.0f}}, u8), "scale(2) shift(6) -> u8");
    EXPECT_EQ(run(scale_before_shift, {Shift{-1000.0f}, Scale{255.0f}}, f32),
              "scale(255) shift(-255000) -> f32");
}
TEST(ScaleBeforeShift, RefusesWhenStepsWouldBeLost) {
    EXPECT_THAT(run(scale_before_shift, {Shift{-1000.0f}, Scale{255.0f}}, u8),
                HasSubstr("refused: the range begins 255000 steps from zero"));
    EXPECT_THAT(run(scale_before_shift, {Shift{-1000.0f}, Scale{255.0f}, Round{}}, f32),
                HasSubstr("refused: the range begins"));
    EXPECT_THAT(run(scale_before_shift, {Shift{1e30f}, Scale{1e30f}}),
                HasSubstr("shift times scale does not fit"));
}

TEST(LastShiftCrossesRound, JoinsTheInputShift) {
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Clip{0.0f, 255.0f}, Shift{-128.0f}}, i8),
              "shift(-128) round clip(-128,127) -> i8");
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Shift{3.0f}}, u8), "shift(3) round -> u8");
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Shift{oc({3.0f, 4.0f})}}, u8),
              "shift(per_oc:2) round -> u8");
}
TEST(LastShiftCrossesRound, Refuses) {
    EXPECT_THAT(run(last_shift_crosses_round, {Round{}, Clip{0.0f, 255.0f}, Shift{0.5f}}, u8),
                HasSubstr("refused: the last shift is 0.5 in channel 0, which is not an integer"));
    EXPECT_THAT(
        run(last_shift_crosses_round, {Round{}, Clip{0.0f, 9.0f}, Shift{oc({1.0f, 2.0f})}}, u8),
        HasSubstr("would make the clip per-channel"));
    // In the middle of a chain, or before a real store, ties would be seen.
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Shift{3.0f}, kRelu}, u8), "nothing");
    EXPECT_EQ(run(last_shift_crosses_round, {Round{}, Shift{3.0f}}, f32), "nothing");
}

TEST(DropLastRound, TheStoreRounds) {
    EXPECT_EQ(run(drop_last_round, {Scale{2.0f}, Round{}}, u8), "scale(2) -> u8");
    EXPECT_EQ(run(drop_last_round, {Round{}, Clip{0.0f, 15.0f}}, u8), "clip(0,15) -> u8");
    EXPECT_EQ(run(drop_last_round, {Round{}, kRelu}, i8), "relu -> i8");
}
TEST(DropLastRound, Refuses) {
    EXPECT_THAT(run(drop_last_round, {Round{}, Clip{0.5f, 15.0f}}, u8),
                HasSubstr("refused: the clip after the last round has a bound"));
    EXPECT_EQ(run(drop_last_round, {Round{}}, f32), "nothing");
    EXPECT_EQ(run(drop_last_round, {Round{}, Scale{2.0f}}, u8), "nothing");
}

TEST(DropRoundOfIntegers, FollowsIntegers) {
    EXPECT_EQ(run(drop_round_of_integers,
                  {Round{}, Clip{0.0f, 255.0f}, Shift{-128.0f}, kRelu, Round{}, Scale{0.5f}}),
              "round clip(0,255) shift(-128) relu scale(0.5) -> f32");
    EXPECT_EQ(run(drop_round_of_integers, {Round{}, Shift{0.5f}, Round{}}), "nothing");
    EXPECT_EQ(run(drop_round_of_integers, {Round{}, kTanh, Round{}}), "nothing");
    EXPECT_EQ(run(drop_round_of_integers, {Round{}, kAdd, Round{}}), "nothing");
}

TEST(DropMiddleRound, OnlyWhenAsked) {
    const Ops ops{Round{}, Clip{0.0f, 255.0f}, Scale{0.5f}, kAdd};
    EXPECT_EQ(run(drop_middle_round, ops, u8, {.drop_middle_rounds = true}),
              "clip(0,255) scale(0.5) add(#0 u8 *0.5) -> u8");
    EXPECT_EQ(run(drop_middle_round, ops, u8),
              "refused: a rounding in the middle of a chain stays, drop_middle_rounds is off");
    EXPECT_EQ(run(drop_middle_round, ops, f32, {.drop_middle_rounds = true}),
              "refused: the last rounding is the result");
}

TEST(JoinClips, ClipsTheBounds) {
    EXPECT_EQ(run(join_clips, {kRelu, Clip{-1.0f, 6.0f}}), "clip(0,6) -> f32");
    EXPECT_EQ(run(join_clips, {Clip{-1.0f, 6.0f}, kRelu}), "clip(0,6) -> f32");
    EXPECT_EQ(run(join_clips, {Clip{5.0f, 9.0f}, Clip{0.0f, 4.0f}}), "clip(4,4) -> f32");
    EXPECT_EQ(run(join_clips, {kRelu, kRelu}), "relu -> f32");
    EXPECT_EQ(run(join_clips, {Eltwise{EltwiseKind::kRelu, 0.1f}, Clip{0.0f, 4.0f}}), "nothing");
}

TEST(DropClipInRange, FollowsTheRange) {
    EXPECT_EQ(run(drop_clip_in_range, {Eltwise{EltwiseKind::kSigmoid}, Clip{0.0f, 1.0f}}),
              "sigmoid -> f32");
    EXPECT_EQ(run(drop_clip_in_range, {Clip{2.0f, 6.0f}, Shift{-1.0f}, kRelu}),
              "clip(2,6) shift(-1) -> f32");
    EXPECT_EQ(run(drop_clip_in_range, {kRelu, Prelu{oc({0.1f, 0.2f})}}), "relu -> f32");
    EXPECT_EQ(
        run(drop_clip_in_range, {Scale{0.5f}, kRelu}, f32, {.input_low = 0.0, .input_high = 255.0}),
        "scale(0.5) -> f32");
    EXPECT_EQ(run(drop_clip_in_range, {kRelu, kAdd, kRelu}), "relu add(#0 u8 *0.5) -> f32");
}
TEST(DropClipInRange, KeepsWhatMayClip) {
    EXPECT_EQ(run(drop_clip_in_range, {kRelu, Scale{-1.0f}, kRelu}), "nothing");
    EXPECT_EQ(run(drop_clip_in_range, {kRelu, Binary{BinaryKind::kAdd, 0, i8, 0.5f}, kRelu}),
              "nothing");
    EXPECT_EQ(run(drop_clip_in_range, {Eltwise{EltwiseKind::kSigmoid}, Clip{0.1f, 1.0f}}),
              "nothing");
}

TEST(DropClipBeforeQuantize, TheQuantizerClips) {
    const Clip levels{0.0f, 255.0f};
    EXPECT_EQ(run(drop_clip_before_quantize, {kRelu, Round{}, levels}), "round clip(0,255) -> f32");
    EXPECT_EQ(run(drop_clip_before_quantize, {Clip{0.0f, 254.7f}, Round{}, levels}),
              "round clip(0,255) -> f32");
    EXPECT_THAT(run(drop_clip_before_quantize, {Clip{0.0f, 200.0f}, Round{}, levels}),
                HasSubstr("refused: clip to [0, 200] is narrower than the quantized range"));
}

TEST(DropClipBeforeStore, TheStoreSaturates) {
    EXPECT_EQ(run(drop_clip_before_store, {kRelu}, u8), "-> u8");
    EXPECT_EQ(run(drop_clip_before_store, {Clip{-128.0f, 127.0f}}, i8), "-> i8");
    EXPECT_EQ(run(drop_clip_before_store, {Clip{-5.0f, 255.2f}}, u8), "-> u8");
    EXPECT_EQ(run(drop_clip_before_store, {Clip{0.0f, 127.0f}}, i8), "relu -> i8");
    EXPECT_EQ(run(drop_clip_before_store, {kRelu}, i8),
              "refused: clip to [0, inf] is narrower than i8");
    EXPECT_EQ(run(drop_clip_before_store, {Clip{0.0f, 254.4f}}, u8),
              "refused: clip to [0, 254.4] is narrower than u8");
    EXPECT_EQ(run(drop_clip_before_store, {kRelu}, f32), "nothing");
}

TEST(ScaleOverRelu, MovesPositiveScales) {
    EXPECT_EQ(run(scale_over_relu, {kRelu, Scale{0.5f}}), "scale(0.5) relu -> f32");
    EXPECT_EQ(run(scale_over_relu, {Eltwise{EltwiseKind::kRelu, 0.1f}, Scale{oc({0.5f, 0.0f})}}),
              "scale(per_oc:2) relu(0.1) -> f32");
    EXPECT_EQ(run(scale_over_relu, {Prelu{oc({0.1f, 0.2f})}, Scale{2.0f}}),
              "scale(2) prelu(per_oc:2) -> f32");
    EXPECT_EQ(run(scale_over_relu, {Eltwise{EltwiseKind::kAbs}, Scale{2.0f}}),
              "scale(2) abs -> f32");
}
TEST(ScaleOverRelu, RefusesANegativeChannel) {
    EXPECT_EQ(run(scale_over_relu, {kRelu, Scale{oc({0.5f, -0.5f})}}),
              "refused: negative scale -0.5 after relu");
}

TEST(ScaleOverClip, ScalesTheBounds) {
    EXPECT_EQ(run(scale_over_clip, {Clip{0.0f, 6.0f}, Scale{2.0f}}), "scale(2) clip(0,12) -> f32");
    EXPECT_EQ(run(scale_over_clip, {Clip{-1.0f, 6.0f}, Scale{-2.0f}}),
              "scale(-2) clip(-12,2) -> f32");
    EXPECT_EQ(run(scale_over_clip, {Clip{0.0f, kInf}, Scale{oc({2.0f, 3.0f})}}),
              "scale(per_oc:2) clip(0,inf) -> f32");
}
TEST(ScaleOverClip, Refuses) {
    EXPECT_THAT(run(scale_over_clip, {Round{}, Clip{0.0f, 255.0f}, Scale{0.5f}}),
                HasSubstr("refused: the clip belongs to a quantizer"));
    EXPECT_THAT(run(scale_over_clip, {Clip{0.0f, 6.0f}, Scale{oc({2.0f, 3.0f})}}),
                HasSubstr("would make the clip per-channel"));
    EXPECT_THAT(run(scale_over_clip, {Clip{0.0f, 1e30f}, Scale{1e30f}}), HasSubstr("does not fit"));
}

TEST(ScaleOverBinary, ScalesBothSides) {
    EXPECT_EQ(run(scale_over_binary, {kAdd, Scale{4.0f}}), "scale(4) add(#0 u8 *2) -> f32");
    EXPECT_EQ(
        run(scale_over_binary, {Binary{BinaryKind::kMul, 0, u8, 0.5f}, Scale{oc({4.0f, 1.0f})}}),
        "scale(per_oc:2) mul(#0 u8 *0.5) -> f32");
    EXPECT_EQ(run(scale_over_binary, {Binary{BinaryKind::kMax, 0, u8, 0.5f}, Scale{4.0f}}),
              "scale(4) max(#0 u8 *2) -> f32");
}
TEST(ScaleOverBinary, Refuses) {
    EXPECT_THAT(run(scale_over_binary, {kAdd, Scale{oc({4.0f, 1.0f})}}),
                HasSubstr("refused: the scale is per-channel and input #0 has one scale"));
    EXPECT_THAT(run(scale_over_binary, {Binary{BinaryKind::kMax, 0, u8, 0.5f}, Scale{-4.0f}}),
                HasSubstr("refused: scale -4 after max"));
    EXPECT_THAT(run(scale_over_binary, {kAdd, Scale{0.0f}}), HasSubstr("refused: scale 0"));
}

TEST(ScaleIntoEltwise, JoinsItsScale) {
    EXPECT_EQ(
        run(scale_into_eltwise, {Eltwise{EltwiseKind::kSwish, 1.0f, 0.0f, 2.0f}, Scale{3.0f}}),
        "swish(1)*6 -> f32");
    EXPECT_EQ(run(scale_into_eltwise, {kTanh, Scale{oc({1.0f, 2.0f})}}),
              "refused: per-channel scale after tanh, which has one scale");
}

TEST(ShiftOverClip, ShiftsTheBounds) {
    EXPECT_EQ(run(shift_over_clip, {Clip{0.0f, 6.0f}, Shift{2.0f}}), "shift(2) clip(2,8) -> f32");
    EXPECT_EQ(run(shift_over_clip, {kRelu, Shift{3.0f}}), "shift(3) clip(3,inf) -> f32");
}
TEST(ShiftOverClip, Refuses) {
    EXPECT_THAT(run(shift_over_clip, {Round{}, Clip{0.0f, 255.0f}, Shift{-1.0f}}),
                HasSubstr("refused: the clip belongs to a quantizer"));
    EXPECT_THAT(run(shift_over_clip, {kRelu, Shift{oc({1.0f, 2.0f})}}),
                HasSubstr("would make the clip per-channel"));
    EXPECT_EQ(run(shift_over_clip, {Eltwise{EltwiseKind::kRelu, 0.1f}, Shift{1.0f}}), "nothing");
}

TEST(ShiftOverBinary, OnlyOverAdd) {
    EXPECT_EQ(run(shift_over_binary, {kAdd, Shift{oc({1.0f, 2.0f})}}),
              "shift(per_oc:2) add(#0 u8 *0.5) -> f32");
    EXPECT_THAT(run(shift_over_binary, {Binary{BinaryKind::kMul, 0, u8}, Shift{1.0f}}),
                HasSubstr("refused: a shift after mul(#0 u8) does not commute"));
}

}  // namespace
}  // namespace fuseq::post_ops::laws
