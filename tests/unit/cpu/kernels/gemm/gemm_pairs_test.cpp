// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// 16-bit products in pairs, for machines without VNNI, on every instruction set that this one has.
#include <gtest/gtest.h>

#include <cmath>

#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::on_every_target;
using fuseq::test::random_elements;

Case pair_case(std::mt19937& rng) {
    Case c = random_case(rng);
    c.params.pairs = true;
    return c;
}

TEST(GemmPairs, RandomCasesAreExact) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 150; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            expect_exact(pair_case(rng));
        }
    });
}

// The largest sums: nothing saturates, as two products of vpmaddubsw would.
TEST(GemmPairs, ExtremeValuesDoNotSaturate) {
    on_every_target([](const std::string&) {
        for (const std::int32_t zero_point : {0, 255}) {
            for (const int weight : {-128, 127}) {
                SCOPED_TRACE(detail::cat("zero point ", zero_point, ", weights ", weight));
                Case c;
                c.params.shape = {
                    .src_channels = 129, .dst_channels = 19, .src_width = 11, .dst_width = 11};
                c.params.pairs = true;
                c.params.src_zero_point = zero_point;
                c.params.dst_type = ElementType::f32;
                c.weights.assign(129 * 19, static_cast<std::int8_t>(weight));
                c.scale = {1.0f};
                c.src.assign(11 * 129, zero_point == 0 ? 255 : 0);
                const float sum = static_cast<float>((zero_point == 0 ? 255 : -255) * weight * 129);
                const GemmVnni gemm(c.complete());
                const Bytes got = run(gemm, c, 1);
                for (std::size_t i = 0; i < c.elements(); ++i) {
                    ASSERT_EQ(fuseq::test::element(got, ElementType::f32, i), sum)
                        << "element " << i;
                }
            }
        }
    });
}

// Rows of a kernel of 3 x 3 with edges apart, more than a block of source, panels that are not
// full.
TEST(GemmPairs, ConvolutionsOfSeveralBlocks) {
    on_every_target([](const std::string&) {
        for (const std::size_t channels : {3, 16, 38, 64}) {
            SCOPED_TRACE(detail::cat(channels, " channels"));
            std::mt19937 rng(static_cast<unsigned>(channels));
            Case c;
            c.params.shape = {.src_channels = channels,
                              .dst_channels = 37,
                              .src_height = 33,
                              .src_width = 40,
                              .dst_height = 33,
                              .dst_width = 40,
                              .kernel_height = 3,
                              .kernel_width = 3,
                              .pad_top = 1,
                              .pad_left = 1};
            c.params.pairs = true;
            c.params.src_type = ElementType::i8;
            c.params.src_zero_point = -7;
            c.weights = random_weights(rng, 37 * channels * 9);
            c.scale = {0.001f};
            c.src = random_elements(rng, ElementType::i8, 33 * 40 * channels);
            expect_exact(c);
        }
    });
}

TEST(GemmPairs, MatrixProductOfSeveralBlocks) {
    on_every_target([](const std::string&) {
        for (const std::size_t rows : {1, 13, 700}) {
            SCOPED_TRACE(detail::cat(rows, " rows"));
            std::mt19937 rng(static_cast<unsigned>(rows));
            Case c;
            c.params.shape = {
                .src_channels = 1027, .dst_channels = 83, .src_width = rows, .dst_width = rows};
            c.params.pairs = true;
            c.params.src_zero_point = 3;
            c.params.dst_type = ElementType::f32;
            c.weights = random_weights(rng, 1027 * 83);
            c.scale = {0.5f};
            c.src = random_elements(rng, ElementType::u8, rows * 1027);
            expect_exact(c);
        }
    });
}

// An activation between other operations, to two units in the last place of f32.
TEST(GemmPairs, ActivationsRunOverTheTile) {
    on_every_target([](const std::string&) {
        std::mt19937 rng(5);
        for (const auto kind : {post_ops::EltwiseKind::kSwish, post_ops::EltwiseKind::kGeluErf,
                                post_ops::EltwiseKind::kElu, post_ops::EltwiseKind::kSigmoid}) {
            Case c = pair_case(rng);
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

TEST(GemmPairs, RefusesAPool) {
    std::mt19937 rng(1);
    Case c = pair_case(rng);
    c.params.shape.dst_height = c.params.shape.dst_width = 2;
    c.params.pool = true;
    try {
        const GemmVnni gemm(c.complete());
        FAIL() << "it was taken";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("16-bit products take no pool"), std::string::npos)
            << e.what();
    }
}

}  // namespace
}  // namespace fuseq::kernels
