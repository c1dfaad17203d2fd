// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/chain_head.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace fuseq::post_ops {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Chain chain_of(std::vector<BasicOp> ops) {
    return {.ops = std::move(ops), .dst_type = ElementType::u8};
}

TEST(AffineHead, AScaleAndAShiftInThisOrder) {
    const AffineHead both = affine_head(chain_of({Scale{2.0f}, Shift{3.0f}, Shift{1.0f}}));
    EXPECT_EQ(both.scale, Values(2.0f));
    EXPECT_EQ(both.shift, Values(3.0f));
    EXPECT_EQ(both.consumed, 2u);
    const AffineHead shift = affine_head(chain_of({Shift{3.0f}, Scale{2.0f}}));
    EXPECT_EQ(shift.scale, std::nullopt);
    EXPECT_EQ(shift.consumed, 1u);
    EXPECT_EQ(affine_head(chain_of({Round{}, Scale{2.0f}})).consumed, 0u);
}

TEST(AffineHead, IsTheWholeChainOrSaysWhatFollows) {
    EXPECT_TRUE(is_affine(chain_of({})));
    EXPECT_TRUE(is_affine(chain_of({Scale{2.0f}, Shift{3.0f}})));
    const Support more = is_affine(chain_of({Scale{2.0f}, Eltwise{EltwiseKind::kTanh}}));
    EXPECT_FALSE(more);
    EXPECT_EQ(more.reason(), "its epilogue is a scale and a shift, tanh comes after them");
}

TEST(Requantization, IsAScaleAndAShiftBeforeBytesOrAStore) {
    EXPECT_TRUE(is_requantization(chain_of({})));
    EXPECT_TRUE(is_requantization(chain_of({Scale{2.0f}, Shift{3.0f}})));
    EXPECT_TRUE(is_requantization(chain_of({Shift{3.0f}})));
    EXPECT_FALSE(is_requantization(chain_of({Shift{3.0f}, Scale{2.0f}})));
    EXPECT_FALSE(is_requantization(chain_of({Scale{2.0f}, Eltwise{EltwiseKind::kTanh}})));
    EXPECT_TRUE(is_requantization({{}, ElementType::f32}));
    EXPECT_FALSE(is_requantization({{Scale{2.0f}}, ElementType::f32}));
}

TEST(PiecewiseLinearHead, EachPartInItsPlaceOrAbsent) {
    const PiecewiseLinearHead all = piecewise_linear_head(
        chain_of({Scale{2.0f}, Shift{Values({1.0f, 2.0f})}, Prelu{Values({0.1f, 0.2f})},
                  Shift{7.0f}, Clip{0.0f, 99.0f}, Scale{3.0f}}));
    EXPECT_THAT(all.scale, ElementsAre(2.0f));
    EXPECT_THAT(all.bias, ElementsAre(1.0f, 2.0f));
    EXPECT_THAT(all.slope, ElementsAre(0.1f, 0.2f));
    EXPECT_EQ(all.shift, 7.0f);
    EXPECT_EQ(all.low, 0.0f);
    EXPECT_EQ(all.high, 99.0f);
    EXPECT_EQ(all.consumed, 5u);
    const PiecewiseLinearHead relu =
        piecewise_linear_head(chain_of({Eltwise{.alpha = 0.5f}, Clip{Values({1.0f, 2.0f}), 3.0f}}));
    EXPECT_THAT(relu.slope, ElementsAre(0.5f));
    EXPECT_EQ(relu.consumed, 1u);  // its bounds are per tensor
    EXPECT_EQ(piecewise_linear_head(chain_of({Eltwise{.scale = 2.0f}})).consumed, 0u);
    EXPECT_EQ(piecewise_linear_head(chain_of({Eltwise{EltwiseKind::kTanh}})).consumed, 0u);
}

TEST(PiecewiseLinearHead, EndsWhereANumberIsNotFinite) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Chain chain = chain_of({Scale{0.5f}, Shift{Values({1.0f, kInfinity})}, Clip{0.0f, 255.0f}});
    EXPECT_EQ(piecewise_linear_head(chain).consumed, 1u);
    EXPECT_THAT(piecewise_linear_head(chain).bias, IsEmpty());
    chain.ops[1] = Shift{Values({1.0f, 2.0f})};
    EXPECT_EQ(piecewise_linear_head(chain).consumed, 3u);
    EXPECT_THAT(piecewise_linear_head(chain).bias, ElementsAre(1.0f, 2.0f));
}

TEST(EluTail, IsAnEluAndOneShiftAtTheEnd) {
    const Eltwise elu{.kind = EltwiseKind::kElu, .alpha = 0.5f, .scale = 3.0f};
    const auto alone = elu_tail(chain_of({Scale{2.0f}, elu}), 1);
    ASSERT_TRUE(alone);
    EXPECT_EQ(alone->alpha, 0.5f);
    EXPECT_EQ(alone->scale, 3.0f);
    EXPECT_EQ(alone->shift, 0.0f);
    const auto shifted = elu_tail(chain_of({elu, Shift{7.0f}}), 0);
    ASSERT_TRUE(shifted);
    EXPECT_EQ(shifted->shift, 7.0f);
    EXPECT_FALSE(elu_tail(chain_of({Scale{2.0f}, elu}), 0));
    EXPECT_FALSE(elu_tail(chain_of({elu}), 1));
    EXPECT_FALSE(elu_tail(chain_of({elu, Scale{7.0f}}), 0));
    EXPECT_FALSE(elu_tail(chain_of({elu, Shift{Values({1.0f, 2.0f})}}), 0));
    EXPECT_FALSE(elu_tail(chain_of({elu, Shift{7.0f}, Round{}}), 0));
    EXPECT_FALSE(elu_tail(chain_of({Eltwise{EltwiseKind::kTanh}}), 0));
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    EXPECT_FALSE(elu_tail(chain_of({Eltwise{EltwiseKind::kElu, kInfinity}}), 0));
    EXPECT_FALSE(elu_tail(chain_of({elu, Shift{kInfinity}}), 0));
}

TEST(ChainParts, AreTheChain) {
    const Chain chain = chain_of({Scale{0.5f}, Round{}, Clip{0.0f, 255.0f}});
    EXPECT_EQ(to_text(chain_until(chain, 1, ElementType::f32)), "scale(0.5) -> f32");
    EXPECT_EQ(to_text(chain_from(chain, 1)), "round clip(0,255) -> u8");
    EXPECT_EQ(to_text(chain_from(chain, 3)), "-> u8");
}

}  // namespace
}  // namespace fuseq::post_ops
