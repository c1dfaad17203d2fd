// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The largest of 2 x 2 results, taken of the accumulators, is what a max pooling after the
// convolution gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::element;
using Kind = GemmOp::Kind;

// The definition: the convolution's results, then the largest of each 2 x 2.
std::vector<float> expected_pooled(const Case& c) {
    const GemmShape& s = c.params.shape;
    const std::vector<float> all = expected(c);
    std::vector<float> result;
    for (std::size_t row = 0; row < s.batch * s.dst_height; row += 2) {
        for (std::size_t x = 0; x < s.dst_width; x += 2) {
            for (std::size_t k = 0; k < s.dst_channels; ++k) {
                const auto at = [&](std::size_t dy, std::size_t dx) {
                    return all[((row + dy) * s.dst_width + x + dx) * s.dst_channels + k];
                };
                result.push_back(std::max({at(0, 0), at(0, 1), at(1, 0), at(1, 1)}));
            }
        }
    }
    return result;
}

void expect_pooled(const Case& c, GemmForm form) {
    const std::vector<float> want = expected_pooled(c);
    GemmParams params = c.complete();
    params.pool = true;
    params.form = form;
    const GemmVnni gemm(params);
    SCOPED_TRACE(gemm.implementation());
    for (const std::size_t parts : {1, 2, 3}) {
        constexpr std::size_t kMarks = 64;
        Bytes dst(want.size() + kMarks, 0xA5);
        AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes() * parts, 0x3C);
        const GemmSplit split = gemm.split(parts);
        for (std::size_t part = parts; part-- > 0;) {
            gemm.run({.src = c.src.data(), .dst = dst.data(), .scratch = scratch.data()}, part,
                     split);
        }
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < want.size(); ++i) {
            wrong += element(dst, params.dst_type, i) != want[i] ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0u) << "of " << want.size() << " in " << parts << " parts";
        EXPECT_EQ(
            std::count(dst.begin() + static_cast<std::ptrdiff_t>(want.size()), dst.end(), 0xA5),
            static_cast<std::ptrdiff_t>(kMarks));
    }
}

void expect_pooled(const Case& c) {
    expect_pooled(c, c.params.form);
    if (suits_amx(c)) {
        expect_pooled(c, GemmForm::kAmx);
    }
}

// Kernels of 1 to 3, stride 1 or 2, any padding on the left and at the top; a relu, a leaky relu
// by channels with a zero point, or a quantization in the middle.
Case random_pooled(std::mt19937& rng) {
    const auto between = [&](std::size_t low, std::size_t high) {
        return low + rng() % (high - low + 1);
    };
    Case c;
    GemmShape& s = c.params.shape;
    s.batch = between(1, 2);
    s.src_channels = between(1, 40);
    s.dst_channels = between(1, 70);
    s.kernel_height = s.kernel_width = between(1, 3);
    s.stride_height = s.stride_width = between(1, 2);
    s.pad_top = s.pad_left = static_cast<std::ptrdiff_t>(between(0, s.kernel_height - 1));
    s.dst_height = 2 * between(1, 5);
    s.dst_width = 2 * between(1, 20);
    s.src_height = s.dst_height * s.stride_height;
    s.src_width = s.dst_width * s.stride_width;
    c.params.src_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
    c.params.dst_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
    c.params.src_zero_point = static_cast<std::int32_t>(between(0, 5));
    c.weights =
        random_weights(rng, s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width);
    c.src = fuseq::test::random_elements(rng, c.params.src_type,
                                         s.batch * s.src_height * s.src_width * s.src_channels);
    c.scale = fuseq::test::random_floats(rng, s.dst_channels, 0.0f, 0.02f);
    c.bias = fuseq::test::random_floats(rng, s.dst_channels, -4000.0f, 4000.0f);
    const auto op = [&](Kind kind, std::vector<float> a, std::vector<float> b) {
        c.params.ops.push_back({.kind = kind, .a = std::move(a), .b = std::move(b)});
    };
    if (rng() % 3 == 0) {
        op(Kind::kPrelu, fuseq::test::random_floats(rng, s.dst_channels, 0.0f, 1.5f), {});
        op(Kind::kShift, {16.0f}, {});
    } else if (rng() % 2 == 0) {
        op(Kind::kRoundClip, {-20.0f}, {90.0f});
        op(Kind::kLinear, {1.7f}, {3.0f});
        op(Kind::kMin, {100.0f}, {});
    }
    return c;
}

TEST_F(GemmVnniTest, PoolsLikeAMaxPoolingAfterIt) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 rng(seed);
    for (int i = 0; i < 60 && !HasFailure(); ++i) {
        const Case c = random_pooled(rng);
        SCOPED_TRACE(testing::Message()
                     << "case " << i << ": " << c.params.shape.dst_height << " x "
                     << c.params.shape.dst_width << " x " << c.params.shape.dst_channels);
        expect_pooled(c);
    }
}

TEST(GemmNarrowPool, OfEveryFormIsAMaxPoolingAfterIt) {
    const auto seed = std::random_device{}();
    std::mt19937 rng(seed);
    const auto expect_form = [&](GemmForm form, const std::string& target) {
        for (int i = 0; i < 20 && !testing::Test::HasFailure(); ++i) {
            Case c = random_pooled(rng);
            c.params.form = form;
            const GemmShape& s = c.params.shape;
            SCOPED_TRACE(testing::Message()
                         << "seed " << seed << ", " << target << ", form " << static_cast<int>(form)
                         << ", case " << i << ": " << s.dst_height << " x " << s.dst_width << " x "
                         << s.dst_channels);
            expect_pooled(c);
        }
    };
    if (has_avx_vnni() || has_avx_vnni_in_evex() || has_avx512_vnni()) {
        expect_form(GemmForm::kVnni256, "this machine");
    }
    fuseq::test::on_every_target([&](const std::string& target) {
        expect_form(GemmForm::kBytes, target);
        expect_form(GemmForm::kPairs, target);
    });
}

TEST_F(GemmVnniTest, PooledByHand) {
    // 1 x 1 kernel, two channels out: src and its negative; 2 x 4 pixels become 1 x 2.
    Case c;
    c.params.shape = {.src_channels = 1,
                      .dst_channels = 2,
                      .src_height = 2,
                      .src_width = 4,
                      .dst_height = 2,
                      .dst_width = 4};
    c.params.dst_type = ElementType::i8;
    c.weights = {1, -1};
    c.scale = {1.0f};
    c.src = {1, 2, 50, 60,  //
             4, 3, 80, 70};
    GemmParams params = c.complete();
    params.pool = true;
    const GemmVnni gemm(params);
    Bytes dst(4);
    AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes());
    gemm.run({.src = c.src.data(), .dst = dst.data(), .scratch = scratch.data()}, 0, {});
    EXPECT_EQ(dst, (Bytes{4, 255, 80, 206}));  // 4, -1, 80, -50
    EXPECT_EQ(gemm.implementation(), "gemm_vnni512:28x1:pool");
}

TEST_F(GemmVnniTest, OnlyWhatRisesWithTheAccumulatorIsPooled) {
    GemmParams params;
    const std::vector<float> scale{0.5f, 0.0f};
    params.scale = scale;
    EXPECT_TRUE(is_monotonic(params));
    const auto with = [&](const GemmOp& op) {
        GemmParams p = params;
        p.ops = {op};
        return is_monotonic(p);
    };
    for (const Kind kind : {Kind::kLinear, Kind::kScale, Kind::kAffine, Kind::kPrelu}) {
        EXPECT_TRUE(with({.kind = kind, .a = {0.1f}, .b = {-3.0f}}));
        EXPECT_FALSE(with({.kind = kind, .a = {0.1f, -0.1f}, .b = {-3.0f}}));
    }
    for (const Kind kind :
         {Kind::kShift, Kind::kRound, Kind::kClip, Kind::kRoundClip, Kind::kMax, Kind::kMin}) {
        EXPECT_TRUE(with({.kind = kind, .a = {-1.0f}, .b = {1.0f}}));
    }
    for (const Kind kind : {Kind::kEltwise, Kind::kBinary, Kind::kSum}) {
        EXPECT_FALSE(with({.kind = kind}));
    }
    const std::vector<float> falls{0.5f, -0.5f};
    params.scale = falls;
    EXPECT_FALSE(is_monotonic(params));
    params.scale = scale;
    params.dst_type = ElementType::f32;
    EXPECT_FALSE(is_monotonic(params));
    params.dst_type = ElementType::u8;
    params.wei_zero_point = scale;
    EXPECT_FALSE(is_monotonic(params));
}

std::string refusal_of(const GemmParams& params) {
    try {
        const GemmVnni gemm(params);
    } catch (const Error& e) {
        return e.what();
    }
    return "none";
}

TEST_F(GemmVnniTest, RefusesToPoolWhatItCannot) {
    Case c;
    c.params.shape = {.src_channels = 1,
                      .dst_channels = 1,
                      .src_height = 2,
                      .src_width = 3,
                      .dst_height = 2,
                      .dst_width = 3};
    c.weights = {1};
    c.scale = {1.0f};
    GemmParams params = c.complete();
    params.pool = true;
    EXPECT_NE(refusal_of(params).find("2 x 2 pixels of 2 x 3 are to become one"),
              std::string::npos);
    params.shape.dst_width = 2;
    EXPECT_EQ(refusal_of(params), "none");
    const std::vector<float> falls{-1.0f};
    params.scale = falls;
    EXPECT_NE(refusal_of(params).find("not that of the largest accumulator"), std::string::npos);
}

}  // namespace
}  // namespace fuseq::kernels
