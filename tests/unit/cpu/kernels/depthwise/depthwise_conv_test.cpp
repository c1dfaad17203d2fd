// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_conv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/depthwise/depthwise_case.hpp"
#include "unit/cpu/kernels/depthwise/vnni256_encodings.hpp"

namespace fuseq::kernels {
namespace {

using namespace depthwise_case;  // NOLINT(google-build-using-namespace)
using fuseq::test::on_every_target;

TEST(DepthwiseConv, MatchesPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; seed < 120; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            Case c = random_case(rng);
            ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kColumns, rng));
            ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kPortable, rng));
        }
    });
}

TEST(DepthwiseConv, DotProductsIn256BitsMatchPlainLoops) {
    const bool ran = fuseq::test::with_each_encoding([] {
        for (unsigned seed = 0; seed < 320; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            Case c = random_case(rng);
            if (c.params.shape.src_channels >= 32 || c.params.shape.src_channels == 24) {
                ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kQuads, rng));
            }
        }
    });
    if (!ran) {
        GTEST_SKIP() << "this machine has no dot products of bytes in 256 bits";
    }
}

TEST(DepthwiseConv, VnniMatchesPlainLoops) {
    try {
        Case c;
        std::mt19937 rng(0);
        c.params.shape = {{.src_channels = 4,
                           .dst_channels = 4,
                           .src_height = 4,
                           .src_width = 4,
                           .dst_height = 4,
                           .dst_width = 4}};
        fill_values(c, rng);
        expect_exact(c, DepthwisePath::kVnni512, rng);
    } catch (const Error& e) {
        EXPECT_STREQ(e.what(), "compile: depthwise kernel: this machine has no AVX-512 VNNI");
        GTEST_SKIP() << e.what();
    }
    for (unsigned seed = 0; seed < 1500; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        Case c = random_case(rng);
        ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kStrips, rng));
    }
}

TEST(DepthwiseConv, FlatRowsMatchPlainLoops) {
    if (!has_avx512_vnni()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    for (unsigned seed = 0; seed < 600; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        Case c = random_flat_case(rng);
        ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kFlat, rng));
    }
}

// As in quantized networks: u8 to u8, scales above zero without ties. Sums are floats then.
void expect_exact_quantized_layers(DepthwisePath path) {
    for (unsigned seed = 0; seed < 80; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        Case c = random_case(rng);
        DepthwiseShape& s = c.params.shape;
        s.kernel_height = s.kernel_width = pick<std::size_t>(rng, {3, 5});
        s.stride_height = s.stride_width = between(rng, 1, 2);
        s.dilation_height = s.dilation_width = seed % 4 == 0 ? between(rng, 2, 4) : 1;
        c.params = {.shape = s};
        fill_values(c, rng);
        c.slope.clear();
        c.zero_point.assign(rng() % 2, 131);
        std::uniform_real_distribution<float> real(0.001f, 0.008f);
        std::generate(c.scale.begin(), c.scale.end(), [&] { return real(rng); });
        ASSERT_NO_FATAL_FAILURE(expect_exact(c, path, rng));
    }
}

TEST(DepthwiseConv, QuantizedLayersMatchPlainLoopsOnEveryTarget) {
    on_every_target(
        [](const std::string&) { expect_exact_quantized_layers(DepthwisePath::kAuto); });
}

TEST(DepthwiseConv, QuantizedLayersMatchPlainLoopsInEachForm) {
    if (!has_avx512_vnni()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    expect_exact_quantized_layers(DepthwisePath::kStrips);
    expect_exact_quantized_layers(DepthwisePath::kFlat);
}

// 255 * 127 + 255 * 127 does not fit in 16 bits.
TEST(DepthwiseConv, DoesNotSaturateAt16Bits) {
    on_every_target([](const std::string&) {
        Case c;
        c.params.shape = {{.src_channels = 70,
                           .dst_channels = 70,
                           .src_height = 3,
                           .src_width = 3,
                           .dst_height = 1,
                           .dst_width = 1,
                           .kernel_height = 3,
                           .kernel_width = 3}};
        c.params.dst_type = ElementType::f32;
        c.src.assign(9 * 70, 255);
        c.weights.assign(9 * 70, 127);
        c.scale = {1.0f};
        attach(c);
        std::vector<float> dst(70);
        DepthwiseConv(c.params).run(c.src.data(), dst.data());
        EXPECT_THAT(dst, testing::Each(9 * 255 * 127.0f));
    });
}

// Values beyond 32-bit integers must saturate, not wrap.
TEST(DepthwiseConv, HugeScaleSaturates) {
    on_every_target([](const std::string&) {
        Case c;
        c.params.shape = {{.src_channels = 2, .dst_channels = 2}};
        c.src = {200, 200};
        c.weights = {100, -100};
        c.scale = {1e9f};
        for (const ElementType type : {ElementType::u8, ElementType::i8}) {
            c.params.dst_type = type;
            attach(c);
            std::uint8_t dst[2] = {1, 1};
            DepthwiseConv(c.params).run(c.src.data(), dst);
            EXPECT_EQ(dst[0], type == ElementType::u8 ? 255 : 127);
            EXPECT_EQ(dst[1], type == ElementType::u8 ? 0 : 0x80);
        }
    });
}

TEST(DepthwiseConv, Refuses) {
    Case c;
    c.params.shape = {{.src_channels = 2, .dst_channels = 2}};
    c.weights = {1, 2};
    c.scale = {1.0f};
    attach(c);
    ASSERT_EQ(refusal(c.params), "accepted");
    DepthwiseParams p = c.params;
    const std::vector<std::int32_t> too_large = {0, 256};
    p.src_zero_point = too_large;
    EXPECT_THAT(refusal(p), testing::HasSubstr("zero point 256 is no u8"));
    p = c.params;
    p.shape.kernel_width = 2;
    EXPECT_THAT(refusal(p), testing::HasSubstr("2 weights for 2 channels of 1x2"));
    p = c.params;
    p.shape.kernel_width = 300;
    EXPECT_THAT(refusal(p), testing::HasSubstr("at most 256 taps"));
    const std::vector<std::int8_t> long_weights(2 * 256);
    p = c.params;
    p.shape.kernel_width = 256;
    p.weights = long_weights;
    p.path = DepthwisePath::kColumns;
    EXPECT_THAT(refusal(p), testing::HasSubstr(
                                "kernel 1x256 of 2 channels is no kernel for strips of columns"));
    p.path = DepthwisePath::kPortable;
    EXPECT_EQ(refusal(p), "accepted");
    p = c.params;
    p.dst_type = ElementType::i32;
    EXPECT_THAT(refusal(p), testing::HasSubstr("destination type i32"));
    p = c.params;
    p.shape.src_height = 0;
    EXPECT_THAT(refusal(p), testing::HasSubstr("a size of 0"));
    p = c.params;
    p.shape.dst_channels = 3;
    EXPECT_THAT(refusal(p), testing::HasSubstr("3 channels of dst, expected 2"));
    const std::vector<float> three(3, 1.0f);
    p = c.params;
    p.scale = three;
    EXPECT_THAT(refusal(p), testing::HasSubstr("3 scales"));
    const std::vector<std::int32_t> far = {0, (1 << 24) + 1};
    p = c.params;
    p.offset = far;
    EXPECT_THAT(refusal(p), testing::HasSubstr("an offset of 16777217, expected -2^24 to 2^24"));
    p.offset = std::span(far).first(0);
    EXPECT_EQ(refusal(p), "accepted");
    const std::vector<std::int32_t> three_offsets(3);
    p.offset = three_offsets;
    EXPECT_THAT(refusal(p), testing::HasSubstr("3 offsets for 2 channels"));
    p = c.params;
    p.low = 2.0f;
    p.high = 1.0f;
    EXPECT_THAT(refusal(p), testing::HasSubstr("low > high"));
}

}  // namespace
}  // namespace fuseq::kernels
