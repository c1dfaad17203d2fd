// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Elus in the depthwise kernel: the bytes of its floats and a fused eltwise after them, and the
// exponential of a double but for ties.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/machine/instructions.hpp"
#include "unit/cpu/kernels/depthwise/depthwise_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace depthwise_case;  // NOLINT(google-build-using-namespace)

class DepthwiseElu3x3 : public testing::Test {
protected:
    void SetUp() override {
        if (!has_avx512_vnni()) {
            GTEST_SKIP() << "this machine has no AVX-512 VNNI";
        }
    }
};

// 3x3 to bytes. Values around zero, beyond the bytes, and where the exponential is nothing.
Case elu_case(std::mt19937& rng, Case c) {
    DepthwiseShape& s = c.params.shape;
    s.kernel_height = s.kernel_width = 3;
    s.stride_height = s.stride_width = between(rng, 1, 2);
    s.dilation_height = s.dilation_width = s.stride_width == 1 && rng() % 4 == 0 ? 2 : 1;
    c.params.dst_type = pick(rng, {ElementType::u8, ElementType::i8});
    c.params.low = -std::numeric_limits<float>::infinity();
    c.params.high = std::numeric_limits<float>::infinity();
    fill_values(c, rng);
    c.slope.clear();
    const float largest = pick(rng, {3e-5f, 1e-3f});
    std::uniform_real_distribution<float> real(0.1f * largest, largest);
    std::generate(c.scale.begin(), c.scale.end(), [&] { return real(rng); });
    c.params.elu = DepthwiseElu{.alpha = pick(rng, {1.0f, 0.7f, 1.6f}),
                                .scale = pick(rng, {0.9f, 3.67f, 13.0f, 40.0f})};
    c.params.shift = pick(rng, {0.0f, 14.0f, 3.3f});
    return c;
}

// The floats before the elu.
std::vector<float> floats_of(const Case& c) {
    Case plain = c;
    attach(plain);
    plain.params.elu.reset();
    plain.params.shift = 0.0f;
    plain.params.dst_type = ElementType::f32;
    std::vector<float> floats(dst_bytes(plain.params) / sizeof(float), 0.0f);
    DepthwiseConv(plain.params).run(plain.src.data(), floats.data());
    return floats;
}

std::vector<std::uint8_t> by_fused_eltwise(const Case& c, const std::vector<float>& floats) {
    const DepthwiseShape& s = c.params.shape;
    post_ops::Chain chain{.ops = {post_ops::Eltwise{.kind = post_ops::EltwiseKind::kElu,
                                                    .alpha = c.params.elu->alpha,
                                                    .scale = c.params.elu->scale}},
                          .dst_type = c.params.dst_type};
    if (c.params.shift != 0.0f) {
        chain.ops.emplace_back(post_ops::Shift{c.params.shift});
    }
    const std::size_t stride = stride_of(s.dst_pixel_stride, s.src_channels);
    std::vector<std::uint8_t> dst(dst_bytes(c.params), 0xA5);
    EltwiseKernel(chain, ElementType::f32, s.src_channels, EltwiseLayout::kRows)
        .run({.src = {floats.data(), stride}, .dst = dst.data(), .dst_stride = stride}, 0,
             s.batch * s.dst_height * s.dst_width);
    return dst;
}

void expect_near_definition(const Case& c,
                            const std::vector<float>& floats,
                            const std::vector<std::uint8_t>& dst) {
    const DepthwiseShape& s = c.params.shape;
    const std::size_t stride = stride_of(s.dst_pixel_stride, s.src_channels);
    const bool is_signed = c.params.dst_type == ElementType::i8;
    for (std::size_t i = 0; i < dst.size(); ++i) {
        if (i % stride >= s.src_channels) {
            continue;
        }
        const auto x = static_cast<double>(floats[i]);
        const double elu = x > 0 ? x : static_cast<double>(c.params.elu->alpha) * std::expm1(x);
        const double exact =
            elu * static_cast<double>(c.params.elu->scale) + static_cast<double>(c.params.shift);
        const int got = is_signed ? static_cast<std::int8_t>(dst[i]) : int{dst[i]};
        const double limited =
            std::clamp(exact, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0);
        ASSERT_LE(std::abs(got - limited), 0.5001) << "elu of " << x << ", " << describe(c);
    }
}

void expect_elu(Case c, DepthwisePath path, std::mt19937& rng) {
    attach(c);
    c.params.path = path;
    const DepthwiseConv conv(c.params);
    SCOPED_TRACE(conv.implementation());
    std::vector<std::uint8_t> dst(dst_bytes(c.params), 0xA5);
    conv.run(c.src.data(), dst.data());
    const std::vector<float> floats = floats_of(c);
    ASSERT_EQ(dst, by_fused_eltwise(c, floats)) << describe(c);
    ASSERT_NO_FATAL_FAILURE(expect_near_definition(c, floats, dst));
    ASSERT_EQ(run_split(conv, c, rng), dst) << describe(c);
}

TEST_F(DepthwiseElu3x3, StripsHaveTheBytesOfAFusedEltwise) {
    for (unsigned seed = 0; seed < 500; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        Case c = elu_case(rng, random_case(rng));
        attach(c);
        ASSERT_TRUE(DepthwiseConv::stores_elu(c.params));
        ASSERT_NO_FATAL_FAILURE(expect_elu(std::move(c), DepthwisePath::kStrips, rng));
    }
}

TEST_F(DepthwiseElu3x3, FlatRowsHaveTheBytesOfAFusedEltwise) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        Case c = elu_case(rng, random_flat_case(rng));
        DepthwiseShape& s = c.params.shape;
        s.stride_height = s.stride_width = s.dilation_height = s.dilation_width = 1;
        ASSERT_NO_FATAL_FAILURE(expect_elu(std::move(c), DepthwisePath::kFlat, rng));
    }
}

TEST_F(DepthwiseElu3x3, AreRefusedElsewhere) {
    std::mt19937 rng(3);
    Case c = elu_case(rng, random_case(rng));
    const auto refused = [](Case other) {
        attach(other);
        return refusal(other.params);
    };
    EXPECT_EQ(refused(c), "accepted");
    Case other = c;
    other.params.dst_type = ElementType::f32;
    EXPECT_EQ(refused(other),
              "compile: depthwise kernel: elus are for bytes, without a slope, a rule or bounds");
    other = c;
    other.params.path = DepthwisePath::kPortable;
    EXPECT_NE(refused(other), "accepted");
    other = c;
    other.params.elu->alpha = INFINITY;
    EXPECT_EQ(refused(other), "compile: depthwise kernel: the elu is not finite");
    other = c;
    other.scale.assign(1, 1e7f);
    attach(other);
    EXPECT_FALSE(DepthwiseConv::stores_elu(other.params));
    EXPECT_NE(refused(other), "accepted");
    other = c;
    other.params.shape.kernel_height = 5;
    attach(other);
    EXPECT_FALSE(DepthwiseConv::stores_elu(other.params));
}

}  // namespace
}  // namespace fuseq::kernels
