// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How good the activations of chains are, against the functions of the C library in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using post_ops::Chain;
using post_ops::Eltwise;
using post_ops::EltwiseKind;
using post_ops::Scale;
using post_ops::Shift;
using post_ops::Values;

// Largest relative error of an activation over a grid; results below 1e-30 are taken for 0.
double worst_error(const Eltwise& op, float low, float high) {
    constexpr std::size_t kCount = 20001;
    std::vector<float> src(kCount);
    std::vector<float> dst(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
        src[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(kCount - 1);
    }
    const EltwiseKernel kernel({{op}, ElementType::f32}, ElementType::f32, 1, EltwiseLayout::kRows);
    kernel.run({.src = {src.data(), 1}, .dst = dst.data(), .dst_stride = 1}, 0, kCount);
    double worst = 0.0;
    for (std::size_t i = 0; i < kCount; ++i) {
        const double want = post_ops::apply(op, src[i]);
        const double error = std::abs(dst[i] - want) / std::max(std::abs(want), 1e-30);
        worst = std::max(worst, error);
    }
    return worst;
}

TEST(EltwiseKernelActivations, AreGoodToOneMillionth) {
    test::on_every_target([](const std::string&) {
        const Eltwise ops[] = {
            {EltwiseKind::kTanh},        {EltwiseKind::kElu, 1.3f},
            {EltwiseKind::kSigmoid},     {EltwiseKind::kSwish, 1.0f},
            {EltwiseKind::kSwish, 1.7f}, {EltwiseKind::kHswish},
            {EltwiseKind::kHsigmoid},    {EltwiseKind::kMish},
            {EltwiseKind::kSoftplus},    {EltwiseKind::kGeluErf},
            {EltwiseKind::kAbs},         {EltwiseKind::kSquare},
            {EltwiseKind::kExp},         {EltwiseKind::kHardSigmoid, 0.5f, 0.25f},
            {EltwiseKind::kSoftsign}};
        for (const Eltwise& op : ops) {
            EXPECT_LT(worst_error(op, -1.0f, 1.0f), 1e-6) << to_text(op);
            EXPECT_LT(worst_error(op, -0.01f, 0.01f), 1e-6) << to_text(op);
            EXPECT_LT(worst_error(op, -2.5f, 30.0f), 1e-6) << to_text(op);
        }
        // Far below zero the argument of the exponential itself is a float with an error.
        for (const Eltwise& op : ops) {
            EXPECT_LT(worst_error(op, -60.0f, 0.0f), 1e-5) << to_text(op);
        }
        EXPECT_LT(worst_error({EltwiseKind::kGeluTanh}, -2.0f, 30.0f), 1e-6);
        EXPECT_LT(worst_error({EltwiseKind::kGeluTanh}, -8.0f, 0.0f), 1e-5);
        EXPECT_LT(worst_error({EltwiseKind::kSqrt}, 0.0f, 100.0f), 1e-6);
        EXPECT_LT(worst_error({EltwiseKind::kLog}, 1e-3f, 100.0f), 1e-6);
        EXPECT_LT(worst_error({EltwiseKind::kPower, 2.0f, 2.5f}, 0.0f, 100.0f), 1e-6);
    });
}

// The difference to the true value, a channel for each point, times 2^22: no more than 1 in bytes.
TEST(EltwiseKernelActivations, AnEluOfWhichBytesRemainIsGoodToAFifthOfAMillionth) {
    constexpr std::size_t kPoints = 4001;
    for (const float alpha : {1.0f, 0.3f}) {
        std::vector<float> src;
        std::vector<float> minus;
        for (std::size_t i = 0; i < kPoints; ++i) {
            src.push_back(-20.0f * static_cast<float>(i) / static_cast<float>(kPoints - 1));
            minus.push_back(static_cast<float>(-2.0 * alpha * std::expm1(src.back())));
        }
        const Eltwise elu{EltwiseKind::kElu, alpha, 0.0f, 2.0f};
        const Chain chain{{elu, Shift{Values(minus)}, Scale{0x1p21f / alpha}}, ElementType::i8};
        test::on_every_target([&](const std::string&) {
            const EltwiseKernel kernel(chain, ElementType::f32, kPoints, EltwiseLayout::kRows);
            std::vector<std::int8_t> dst(kPoints);
            kernel.run({.src = {src.data(), kPoints}, .dst = dst.data(), .dst_stride = kPoints}, 0,
                       1);
            EXPECT_EQ(dst[0], 0);
            EXPECT_THAT(dst, testing::Each(testing::AllOf(testing::Ge(-1), testing::Le(1))));
        });
    }
}

TEST(EltwiseKernelActivations, AnEluOfWhichBytesRemainIsExactAtItsEnds) {
    const std::vector<float> src{-1e30f, -100.0f, -30.0f, -0.0f, 0.0f, 3.0f, 1e30f};
    const Chain chain{{Eltwise{EltwiseKind::kElu, 0.5f}, Shift{0.5f}, Scale{0x1p30f}},
                      ElementType::i8};
    test::on_every_target([&](const std::string&) {
        const EltwiseKernel kernel(chain, ElementType::f32, 1, EltwiseLayout::kRows);
        std::vector<std::int8_t> dst(src.size());
        kernel.run({.src = {src.data(), 1}, .dst = dst.data(), .dst_stride = 1}, 0, src.size());
        EXPECT_THAT(dst, testing::ElementsAre(0, 0, 0, 127, 127, 127, 127));
    });
}

TEST(EltwiseKernelActivations, StayFiniteFarOut) {
    test::on_every_target([](const std::string&) {
        for (const EltwiseKind kind :
             {EltwiseKind::kTanh, EltwiseKind::kSigmoid, EltwiseKind::kSwish, EltwiseKind::kMish,
              EltwiseKind::kSoftplus, EltwiseKind::kGeluErf, EltwiseKind::kGeluTanh}) {
            const Eltwise op{kind, 1.0f};
            const EltwiseKernel kernel({{op}, ElementType::f32}, ElementType::f32, 1,
                                       EltwiseLayout::kRows);
            const std::vector<float> src{-1e4f, -200.0f, -90.0f, 90.0f, 200.0f, 1e4f};
            std::vector<float> dst(src.size());
            kernel.run({.src = {src.data(), 1}, .dst = dst.data(), .dst_stride = 1}, 0, src.size());
            for (std::size_t i = 0; i < src.size(); ++i) {
                EXPECT_NEAR(dst[i], post_ops::apply(op, src[i]), 1e-6 * std::abs(src[i]))
                    << to_text(op) << " at " << src[i];
            }
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
