// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Activations after a matrix product.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::element;
using fuseq::test::random_elements;
using Kind = GemmOp::Kind;

TEST_F(GemmVnniTest, ActivationsInFloat) {
    using K = post_ops::EltwiseKind;
    for (const K kind : {K::kRelu, K::kTanh, K::kElu, K::kSigmoid, K::kSwish, K::kHswish,
                         K::kHsigmoid, K::kHardSigmoid, K::kMish, K::kSoftplus, K::kGeluErf,
                         K::kGeluTanh, K::kAbs, K::kSquare, K::kExp, K::kSoftsign}) {
        const post_ops::Eltwise eltwise{.kind = kind, .alpha = 0.3f, .beta = 0.4f, .scale = 1.5f};
        SCOPED_TRACE(post_ops::to_text(eltwise));
        std::mt19937 rng(7);
        Case c;
        c.params.shape = {.src_channels = 8, .dst_channels = 40, .src_width = 50, .dst_width = 50};
        c.params.src_zero_point = 128;
        c.params.dst_type = ElementType::f32;
        c.weights = random_weights(rng, 8 * 40);
        c.scale = {1.5e-4f};  // values from -8 to 8
        c.src = random_elements(rng, ElementType::u8, 8 * 50);
        c.params.ops = {{.kind = Kind::kEltwise, .eltwise = eltwise}};
        const Bytes got = run(GemmVnni(c.complete()), c, 1);
        const std::vector<float> want = expected(c);
        for (std::size_t i = 0; i < want.size(); ++i) {
            ASSERT_NEAR(element(got, ElementType::f32, i), want[i], 2e-6 * (1 + std::abs(want[i])))
                << "element " << i;
        }
    }
}

// Results of 8 bits take shorter ways to the activations; they may differ where the exact value is
// a tie to within a few times 1e-5.
TEST_F(GemmVnniTest, RoundedActivations) {
    using K = post_ops::EltwiseKind;
    for (const K kind : {K::kGeluErf, K::kElu, K::kSigmoid, K::kSwish, K::kTanh, K::kMish,
                         K::kSoftplus, K::kGeluTanh, K::kHswish, K::kSoftsign}) {
        for (const float range : {1e-4f, 3e-3f}) {  // values up to 6, up to 180
            const post_ops::Eltwise eltwise{.kind = kind, .alpha = 1.1f, .scale = 40.0f};
            SCOPED_TRACE(testing::Message() << post_ops::to_text(eltwise) << " " << range);
            std::mt19937 rng(5);
            Case c;
            c.params.shape = {
                .src_channels = 8, .dst_channels = 40, .src_width = 500, .dst_width = 500};
            c.params.src_zero_point = 128;
            c.params.dst_type = ElementType::i8;
            c.weights = random_weights(rng, 8 * 40);
            c.scale = {range};
            c.src = random_elements(rng, ElementType::u8, 8 * 500);
            c.params.ops = {{.kind = Kind::kEltwise, .eltwise = eltwise}};
            const Bytes got = run(GemmVnni(c.complete()), c, 1);
            c.params.dst_type = ElementType::f32;
            const std::vector<float> exact = expected(c);
            for (std::size_t i = 0; i < exact.size(); ++i) {
                const float limited = std::min(std::max(exact[i], -128.0f), 127.0f);
                ASSERT_LE(std::abs(element(got, ElementType::i8, i) - limited), 0.50005f)
                    << "element " << i << " is " << exact[i];
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::kernels
