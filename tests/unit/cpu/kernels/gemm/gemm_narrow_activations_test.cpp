// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Activations after the integer product with panels of 16 channels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/cpu/kernels/gemm/gemm_narrow_forms.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::random_elements;
using GemmNarrowActivations = GemmNarrow;

INSTANTIATE_TEST_SUITE_P(Forms,
                         GemmNarrowActivations,
                         testing::ValuesIn(kNarrowForms),
                         name_of_form);

// An activation between other operations, to two units in the last place of f32.
TEST_P(GemmNarrowActivations, ActivationsRunOverTheTile) {
    on_every_target([] {
        std::mt19937 rng(5);
        for (const auto kind : {post_ops::EltwiseKind::kSwish, post_ops::EltwiseKind::kGeluErf,
                                post_ops::EltwiseKind::kElu, post_ops::EltwiseKind::kSigmoid}) {
            Case c = random_case(rng);
            c.params.dst_type = ElementType::f32;
            c.params.ops = {
                {.kind = GemmOp::Kind::kEltwise, .eltwise = {.kind = kind, .alpha = 1.0f}},
                {.kind = GemmOp::Kind::kScale, .a = {3.0f}}};
            const GemmVnni gemm(c.complete());
            const Bytes got = run(gemm, c, 2);
            const std::vector<float> want = expected(c);
            for (std::size_t i = 0; i < want.size(); ++i) {
                ASSERT_NEAR(fuseq::test::element(got, ElementType::f32, i), want[i],
                            1e-6f * std::max(1.0f, std::abs(want[i])))
                    << post_ops::to_text(c.params.ops[0].eltwise) << ", element " << i;
            }
        }
    });
}

// Rounded to bytes, gelu is its table: within one of the exact value, and nearly always that.
TEST_P(GemmNarrowActivations, AGeluOfBytesIsItsTable) {
    on_every_target([] {
        std::mt19937 rng(6);
        std::size_t count = 0;
        std::size_t off = 0;
        for (int i = 0; i < 12; ++i) {
            Case c = random_case(rng);
            c.params.dst_type = i % 2 == 0 ? ElementType::i8 : ElementType::u8;
            const auto kind =
                i % 3 == 0 ? post_ops::EltwiseKind::kGeluTanh : post_ops::EltwiseKind::kGeluErf;
            c.params.ops = {
                {.kind = GemmOp::Kind::kEltwise, .eltwise = {.kind = kind, .scale = 20.0f}}};
            if (i % 4 == 3) {
                c.params.ops.push_back({.kind = GemmOp::Kind::kShift, .a = {3.0f}});
            }
            const GemmVnni gemm(c.complete());
            const Bytes got = run(gemm, c, 2);
            const std::vector<float> want = expected(c);
            for (std::size_t n = 0; n < want.size(); ++n) {
                const double error =
                    std::abs(fuseq::test::element(got, c.params.dst_type, n) - want[n]);
                ASSERT_LE(error, 1.0) << "case " << i << ", element " << n;
                off += error != 0.0 ? 1 : 0;
            }
            count += want.size();
        }
        EXPECT_LE(off * 10000, count);
    });
}

// Results of 8 bits take shorter ways to the activations, alone, in lists that are compiled as one and
// in others: they may differ where the exact value is a tie to within a few times 1e-5.
TEST_P(GemmNarrowActivations, ActivationsOfBytesAreNearest) {
    using Kind = GemmOp::Kind;
    using K = post_ops::EltwiseKind;
    on_every_target([] {
        for (const K kind : {K::kElu, K::kSigmoid, K::kSwish, K::kTanh, K::kMish}) {
            for (unsigned seed = 0; seed < 12; ++seed) {
                SCOPED_TRACE(detail::cat("seed ", seed));
                std::mt19937 rng(seed);
                Case c;
                c.params.shape = {
                    .src_channels = 8, .dst_channels = 40, .src_width = 301, .dst_width = 301};
                c.params.form = GetParam();
                c.params.src_zero_point = 128;
                c.params.dst_type = seed % 2 == 0 ? ElementType::u8 : ElementType::i8;
                c.weights = random_weights(rng, 8 * 40);
                c.scale = {seed % 3 == 0 ? 3e-3f : 1e-4f};  // values up to 180, up to 6
                c.src = random_elements(rng, ElementType::u8, 8 * 301);
                const GemmOp activation{
                    .kind = Kind::kEltwise,
                    .eltwise = {
                        .kind = kind, .alpha = 1.1f, .scale = seed % 4 == 0 ? 1.0f : 40.0f}};
                switch (seed % 4) {
                    case 0:
                        c.params.ops = {activation,
                                        {.kind = Kind::kAffine, .a = {37.0f}, .b = {9.0f}}};
                        break;
                    case 1:
                        c.params.ops = {activation, {.kind = Kind::kShift, .a = {11.0f}}};
                        break;
                    case 2: c.params.ops = {{.kind = Kind::kScale, .a = {0.7f}}, activation}; break;
                    default: c.params.ops = {activation}; break;
                }
                const Bytes got = run(GemmVnni(c.complete()), c, 1);
                const ElementType type = c.params.dst_type;
                c.params.dst_type = ElementType::f32;
                const std::vector<float> exact = expected(c);
                const float low = type == ElementType::u8 ? 0.0f : -128.0f;
                for (std::size_t i = 0; i < exact.size(); ++i) {
                    const float limited = std::min(std::max(exact[i], low), low + 255.0f);
                    ASSERT_LE(std::abs(fuseq::test::element(got, type, i) - limited), 0.50005f)
                        << post_ops::to_text(activation.eltwise) << ", element " << i << " is "
                        << exact[i];
                }
            }
        }
    });
}

// The elu after a quantization and a residual input: the lists of residual blocks.
TEST_P(GemmNarrowActivations, AnEluOfASumIsNearest) {
    using Kind = GemmOp::Kind;
    on_every_target([] {
        for (const bool two_scales : {false, true}) {
            std::mt19937 rng(two_scales ? 1 : 2);
            Case c;
            c.params.shape = {
                .src_channels = 8, .dst_channels = 48, .src_width = 75, .dst_width = 75};
            c.params.form = GetParam();
            c.params.src_zero_point = 128;
            c.params.dst_type = ElementType::u8;
            c.weights = random_weights(rng, 8 * 48);
            c.scale = {3e-3f};
            c.bias = {128.0f / 3e-3f};
            c.src = random_elements(rng, ElementType::u8, 8 * 75);
            const GemmOp round_clip{.kind = Kind::kRoundClip, .a = {0.0f}, .b = {255.0f}};
            const GemmOp sum{
                .kind = Kind::kSum,
                .binary = {.type = ElementType::u8, .scale = two_scales ? 1.0f : 0.03f}};
            const GemmOp elu{
                .kind = Kind::kEltwise,
                .eltwise = {.kind = post_ops::EltwiseKind::kElu, .alpha = 1.0f, .scale = 7.0f}};
            const GemmOp shift{.kind = Kind::kShift, .a = {7.0f}};
            if (two_scales) {
                c.params.ops = {round_clip,
                                {.kind = Kind::kScale, .a = {0.03f}},
                                {.kind = Kind::kLinear, .a = {29.0f}, .b = {-240.0f}},
                                sum,
                                {.kind = Kind::kScale, .a = {0.034f}},
                                elu,
                                shift};
            } else {
                c.params.ops = {round_clip,
                                {.kind = Kind::kAffine, .a = {0.03f}, .b = {-8.0f}},
                                sum,
                                elu,
                                shift};
            }
            c.binary_sources = {random_elements(rng, ElementType::u8, 48 * 75)};
            const Bytes got = run(GemmVnni(c.complete()), c, 1);
            c.params.dst_type = ElementType::f32;
            const std::vector<float> exact = expected(c);
            for (std::size_t i = 0; i < exact.size(); ++i) {
                const float limited = std::min(std::max(exact[i], 0.0f), 255.0f);
                ASSERT_LE(std::abs(fuseq::test::element(got, ElementType::u8, i) - limited),
                          0.50005f)
                    << "two scales " << two_scales << ", element " << i << " is " << exact[i];
            }
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
