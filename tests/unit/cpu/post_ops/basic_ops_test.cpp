// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/basic_ops.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

TEST(Values, EqualValuesBecomeOne) {
    EXPECT_TRUE(Values(std::vector<float>{2.0f, 2.0f, 2.0f}).per_tensor());
    const Values two(std::vector<float>{-1.0f, 3.0f});
    EXPECT_FALSE(two.per_tensor());
    EXPECT_EQ(two.size(), 2u);
    EXPECT_EQ(two.min(), -1.0f);
    EXPECT_EQ(two.max(), 3.0f);
    EXPECT_EQ(Values(0.5f)[17], 0.5f);
    EXPECT_THROW(Values(std::vector<float>{}), Error);
}

TEST(Evaluate, RunsTheListFromLeftToRight) {
    const std::vector<BasicOp> ops{Scale{Values({0.5f, 2.0f})}, Shift{1.0f}, Round{},
                                   Clip{0.0f, 10.0f}};
    EXPECT_EQ(evaluate_ops(ops, 3.0, 0), 2.0);  // 2.5 to even
    EXPECT_EQ(evaluate_ops(ops, 5.0, 0), 4.0);  // 3.5 to even
    EXPECT_EQ(evaluate_ops(ops, 3.0, 1), 7.0);
    EXPECT_EQ(evaluate_ops(ops, -3.0, 1), 0.0);
    EXPECT_EQ(evaluate_ops(ops, 30.0, 1), 10.0);
}

TEST(Evaluate, StoresRoundedAndSaturated) {
    EXPECT_EQ(evaluate({{}, ElementType::u8}, 254.5, 0), 254.0);
    EXPECT_EQ(evaluate({{}, ElementType::u8}, 300.0, 0), 255.0);
    EXPECT_EQ(evaluate({{}, ElementType::u8}, -1.0, 0), 0.0);
    EXPECT_EQ(evaluate({{}, ElementType::i8}, -128.6, 0), -128.0);
    EXPECT_EQ(evaluate({{}, ElementType::i32}, 3e9, 0), 2147483647.0);
    EXPECT_EQ(evaluate({{}, ElementType::f32}, 0.3, 0), 0.3);
    EXPECT_THROW(evaluate({{}, ElementType::u16}, 1.0, 0), Error);
}

TEST(Evaluate, ReadsExtraInputsDequantized) {
    const Chain add{{Binary{BinaryKind::kAdd, 1, ElementType::u8, 0.5f, 128.0f}}, ElementType::f32};
    EXPECT_EQ(evaluate(add, 1.0, 0, {99.0, 130.0}), 2.0);
    EXPECT_THROW(evaluate(add, 1.0, 0, {99.0}), Error);
    const Chain max{{Binary{BinaryKind::kMax, 0}}, ElementType::f32};
    EXPECT_EQ(evaluate(max, 1.0, 0, {7.0}), 7.0);
}

// Values from an independent source: tables of these functions to ten digits.
TEST(Apply, ActivationsAtOneAndMinusTwo) {
    struct Case {
        Eltwise op;
        double at_one;
        double at_minus_two;
    };
    const Case cases[] = {
        {{EltwiseKind::kRelu, 0.25f}, 1.0, -0.5},
        {{EltwiseKind::kTanh}, 0.7615941560, -0.9640275801},
        {{EltwiseKind::kElu, 1.0f}, 1.0, -0.8646647168},
        {{EltwiseKind::kSigmoid}, 0.7310585786, 0.1192029220},
        {{EltwiseKind::kSwish, 1.0f}, 0.7310585786, -0.2384058440},
        {{EltwiseKind::kHswish}, 4.0 / 6.0, -2.0 / 6.0},
        {{EltwiseKind::kHsigmoid}, 4.0 / 6.0, 1.0 / 6.0},
        {{EltwiseKind::kHardSigmoid, 0.25f, 0.5f}, 0.75, 0.0},
        {{EltwiseKind::kMish}, 0.8650983883, -0.2525014827},
        {{EltwiseKind::kSoftplus}, 1.3132616875, 0.1269280110},
        {{EltwiseKind::kGeluErf}, 0.8413447461, -0.0455002639},
        {{EltwiseKind::kGeluTanh}, 0.8411919906, -0.0454023059},
        {{EltwiseKind::kAbs}, 1.0, 2.0},
        {{EltwiseKind::kSquare}, 1.0, 4.0},
        {{EltwiseKind::kExp}, 2.7182818285, 0.1353352832},
        {{EltwiseKind::kPower, 3.0f, 2.0f}, 3.0, 12.0},
        {{EltwiseKind::kSoftsign}, 0.5, -2.0 / 3.0},
    };
    for (const Case& c : cases) {
        EXPECT_NEAR(apply(c.op, 1.0), c.at_one, 1e-9) << to_text(c.op);
        EXPECT_NEAR(apply(c.op, -2.0), c.at_minus_two, 1e-9) << to_text(c.op);
        Eltwise scaled = c.op;
        scaled.scale = -2.0f;
        EXPECT_NEAR(apply(scaled, 1.0), -2.0 * c.at_one, 1e-9) << to_text(scaled);
    }
    EXPECT_EQ(apply({EltwiseKind::kSqrt}, 9.0), 3.0);
    EXPECT_NEAR(apply({EltwiseKind::kLog}, 2.0), 0.6931471806, 1e-9);
}

TEST(Apply, StaysFiniteFarOut) {
    for (const double x : {-1000.0, 1000.0}) {
        for (const EltwiseKind kind :
             {EltwiseKind::kMish, EltwiseKind::kSoftplus, EltwiseKind::kSwish,
              EltwiseKind::kGeluTanh, EltwiseKind::kGeluErf, EltwiseKind::kSigmoid}) {
            const Eltwise op{kind, 1.0f};
            EXPECT_TRUE(std::isfinite(apply(op, x))) << to_text(op) << " at " << x;
        }
    }
}

TEST(ToText, NamesEveryOperation) {
    const Chain chain{{Scale{0.5f}, Shift{Values({1.0f, 2.0f})}, Eltwise{}, Round{},
                       Clip{0.0f, 255.0f}, Binary{BinaryKind::kAdd, 0, ElementType::u8, 0.02f},
                       Prelu{Values({0.1f, 0.2f})}, Eltwise{EltwiseKind::kSwish, 1.0f, 0.0f, 3.0f},
                       Binary{BinaryKind::kMul, 1, ElementType::i8, 1.0f, 3.0f}},
                      ElementType::u8};
    EXPECT_EQ(to_text(chain),
              "scale(0.5) shift(per_oc:2) relu round clip(0,255) add(#0 u8 *0.02) prelu(per_oc:2) "
              "swish(1)*3 mul(#1 i8 zp3) -> u8");
}

TEST(HasChannelValues, IsOfAnyOperation) {
    const Values two(std::vector<float>{1, 2});
    EXPECT_FALSE(has_channel_values({{}, ElementType::f32}));
    EXPECT_FALSE(
        has_channel_values({{Scale{2}, Shift{1}, Round{}, Clip{0, 255}}, ElementType::u8}));
    EXPECT_TRUE(has_channel_values({{Scale{two}}, ElementType::f32}));
    EXPECT_TRUE(has_channel_values({{Scale{2}, Shift{two}}, ElementType::f32}));
    EXPECT_TRUE(has_channel_values({{Clip{0, two}}, ElementType::f32}));
    EXPECT_TRUE(has_channel_values({{Clip{two, 3}}, ElementType::f32}));
    EXPECT_TRUE(has_channel_values({{Prelu{two}}, ElementType::f32}));
    // Equal values become one.
    EXPECT_FALSE(has_channel_values({{Scale{std::vector<float>{2, 2}}}, ElementType::f32}));
}

}  // namespace
}  // namespace fuseq::post_ops
