// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/emission_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/attribute_emulator.hpp"

namespace fuseq::post_ops {
namespace {

using ::testing::HasSubstr;

Anchor anchor_of(AnchorKind kind, ElementType src = ElementType::u8) {
    const ElementType wei = src == ElementType::f32 ? ElementType::f32 : ElementType::i8;
    return {.kind = kind, .src_type = src, .wei_type = wei, .oc = 2};
}

// What each operation adds, one after the other.
TEST(EmissionBuilder, MapsOperationByOperation) {
    const Anchor anchor = anchor_of(AnchorKind::kConvolution);
    EmissionBuilder builder(anchor, ElementType::u8);
    const auto after = [&](const BasicOp& op) {
        EXPECT_EQ(builder.append(op, false), "");
        return to_text(builder.emission());
    };
    EXPECT_EQ(to_text(builder.emission()), "-> u8");
    EXPECT_EQ(after(Scale{0.5f}), "scale:0.5 -> u8");
    EXPECT_EQ(after(Scale{4.0f}), "scale:2 -> u8");
    EXPECT_EQ(after(Shift{6.0f}), "scale:2 bias -> u8");
    EXPECT_EQ(builder.emission().bias, (std::vector<float>{3.0f, 3.0f}));
    EXPECT_EQ(after(Eltwise{}), "scale:2 bias relu -> u8");
    EXPECT_EQ(after(Scale{3.0f}), "scale:2 bias relu*3 -> u8");
    EXPECT_EQ(after(Shift{1.0f}), "scale:2 bias relu*3 linear(1,1) -> u8");
    EXPECT_EQ(after(Scale{2.0f}), "scale:2 bias relu*3 linear(2,2) -> u8");
    EXPECT_EQ(after(Round{}), "scale:2 bias relu*3 linear(2,2) round -> u8");
    // acc 5: (5 + 3) * 2 = 16, * 3 = 48, * 2 + 2 = 98; acc -9: -12, 0, 2.
    EXPECT_EQ(testing::emulate(builder.emission(), 5, 0, {}), 98.0);
    EXPECT_EQ(testing::emulate(builder.emission(), -9, 1, {}), 2.0);
}

TEST(EmissionBuilder, ARefusedOperationLeavesEverythingAsItWas) {
    const Anchor anchor = anchor_of(AnchorKind::kConvolution);
    EmissionBuilder builder(anchor, ElementType::u8);
    ASSERT_EQ(builder.append(Eltwise{EltwiseKind::kSwish, 1.0f}, false), "");
    const Emission before = builder.emission();
    EXPECT_EQ(builder.append(Prelu{Values({0.5f, 0.25f})}, false),
              "prelu(per_oc:2) falls to a reference implementation");
    EXPECT_EQ(builder.append(Eltwise{EltwiseKind::kSwish, 2.0f}, false),
              "oneDNN runs a second activation of one kind with the parameters of the first");
    EXPECT_THAT(builder.append(Eltwise{EltwiseKind::kHsigmoid}, false),
                HasSubstr("has no post-op of its own"));
    Binary gate{BinaryKind::kMul, 1};
    gate.per_plane = true;
    EXPECT_EQ(builder.append(gate, false),
              "input #1 has one element a plane, no post-op takes that");
    EXPECT_EQ(builder.append(Binary{BinaryKind::kMul, 0, ElementType::u8, 1.0f, 3.0f}, false),
              "input #0 of a multiply has zero point 3");
    EXPECT_EQ(builder.append(Binary{BinaryKind::kMax, 0, ElementType::u8, -2.0f}, false),
              "input #0 has scale -2 in max(#0 u8 *-2)");
    EXPECT_EQ(builder.append(Binary{BinaryKind::kAdd, 0, ElementType::u8, 0x1p-140f}, false),
              "scale 7.17465e-43 of input #0 has no reciprocal");
    EXPECT_EQ(builder.emission(), before);
}

// A sum that was undone may still come.
TEST(EmissionBuilder, ARefusedOperationGivesTheSumBack) {
    Anchor anchor = anchor_of(AnchorKind::kConvolution);
    anchor.sum_inputs = {0, 1};
    EmissionBuilder builder(anchor, ElementType::u8);
    const Binary add{BinaryKind::kAdd, 0, ElementType::u8, 0.5f};
    ASSERT_EQ(builder.append(add, false), "");
    ASSERT_NE(builder.append(Prelu{Values({0.5f, 0.25f})}, false), "");
    ASSERT_EQ(builder.append(Binary{BinaryKind::kAdd, 1, ElementType::u8}, false), "");
    EXPECT_EQ(to_text(builder.emission()), "sum(#0 u8 *0.5) add(#1 u8) -> u8");
}

TEST(EmissionBuilder, RefusesMorePostOpsThanOneDnnTakes) {
    const Anchor anchor = anchor_of(AnchorKind::kConvolution);
    EmissionBuilder builder(anchor, ElementType::f32);
    ASSERT_EQ(builder.append(Round{}, false), "");
    std::string reason;
    std::size_t count = 0;
    while (reason.empty() && count < 100) {
        reason = builder.append(Scale{Values({1.5f, 2.0f})}, false);
        reason += reason.empty() ? builder.append(Shift{Values({1.0f, 2.0f})}, false) : "";
        ++count;
    }
    EXPECT_EQ(reason, "more post-ops than oneDNN takes");
    EXPECT_LE(builder.emission().post_ops.size(), 32u);
    EXPECT_GE(builder.emission().post_ops.size(), 16u);
}

// Sums of whole numbers in f32: a scale in the weights would make them inexact.
TEST(EmissionBuilder, WholeNumbersAreScaledAfterTheSum) {
    Anchor anchor = anchor_of(AnchorKind::kConvolution, ElementType::f32);
    anchor.whole_numbers = true;
    EmissionBuilder builder(anchor, ElementType::f32);
    ASSERT_EQ(builder.append(Scale{Values({0.5f, 0.25f})}, false), "");
    ASSERT_EQ(builder.append(Shift{4.0f}, false), "");
    const Emission emission = builder.emission();
    EXPECT_EQ(to_text(emission), "bias mul(per_oc) -> f32");
    EXPECT_EQ(emission.bias, (std::vector<float>{8.0f, 16.0f}));
    EXPECT_TRUE(emission.weight_scale.all_equal_to(1.0f));
    Anchor plain = anchor;
    plain.whole_numbers = false;
    EmissionBuilder weights(plain, ElementType::f32);
    ASSERT_EQ(weights.append(Scale{Values({0.5f, 0.25f})}, false), "");
    ASSERT_EQ(weights.append(Shift{4.0f}, false), "");
    EXPECT_EQ(to_text(weights.emission()), "weight_scale:per_oc bias -> f32");
    EXPECT_EQ(weights.emission().bias, (std::vector<float>{4.0f, 4.0f}));
}

// A reorder has scales and a zero point, nothing else.
TEST(EmissionBuilder, AReorderTakesALastIntegerShiftAsZeroPoint) {
    const Anchor anchor = anchor_of(AnchorKind::kReorder, ElementType::f32);
    EmissionBuilder builder(anchor, ElementType::u8);
    ASSERT_EQ(builder.append(Scale{2.0f}, false), "");
    EXPECT_THAT(builder.append(Shift{3.0f}, false), HasSubstr("after reorder"));
    EXPECT_THAT(builder.append(Shift{2.5f}, true), HasSubstr("after reorder"));
    EXPECT_THAT(builder.append(Shift{1e7f}, true), HasSubstr("after reorder"));
    EXPECT_THAT(builder.append(Round{}, true), HasSubstr("after reorder"));
    ASSERT_EQ(builder.append(Shift{-3.0f}, true), "");
    EXPECT_EQ(to_text(builder.emission()), "scale:2 zp:-3 -> u8");
}

// clip(2x, 0, 6) == 2 * clip(x, 0, 3): the factor rides on what is there anyway.
TEST(EmissionBuilder, AFactorMovesAfterTheClip) {
    const Anchor anchor = anchor_of(AnchorKind::kConvolution);
    EmissionBuilder builder(anchor, ElementType::u8);
    ASSERT_EQ(builder.append(Round{}, false), "");
    ASSERT_EQ(builder.append(Scale{2.0f}, false), "");
    EXPECT_EQ(to_text(builder.emission()), "round linear(2,0) -> u8");
    ASSERT_EQ(builder.append(Clip{0.0f, 6.0f}, false), "");
    EXPECT_EQ(to_text(builder.emission()), "round clip(0,3)*2 -> u8");
    // A negative factor would exchange the bounds.
    EmissionBuilder negative(anchor, ElementType::u8);
    ASSERT_EQ(negative.append(Round{}, false), "");
    ASSERT_EQ(negative.append(Scale{-2.0f}, false), "");
    ASSERT_EQ(negative.append(Clip{0.0f, 6.0f}, false), "");
    EXPECT_EQ(to_text(negative.emission()), "round linear(-2,0) clip(0,6) -> u8");
}

}  // namespace
}  // namespace fuseq::post_ops
