// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_conv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/conv_taps.hpp"
#include "unit/cpu/kernels/common/exact_floor.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/depthwise/vnni256_encodings.hpp"

namespace fuseq::kernels {
namespace {

using test::on_every_target;

struct Case {
    DepthwiseParams params;
    std::vector<std::int8_t> weights;
    std::vector<float> scale, bias, slope, rest, below;
    std::vector<std::uint8_t> src;  // bytes of u8 or i8
    std::vector<std::int32_t> zero_point;
    std::vector<std::int32_t> offset;
};

std::size_t stride_of(std::size_t stride, std::size_t channels) {
    return stride == 0 ? channels : stride;
}

std::size_t src_elements(const DepthwiseShape& s) {
    return s.batch * s.src_height * s.src_width * stride_of(s.src_pixel_stride, s.src_channels);
}

std::size_t dst_bytes(const DepthwiseParams& p) {
    const DepthwiseShape& s = p.shape;
    return s.batch * s.dst_height * s.dst_width * stride_of(s.dst_pixel_stride, s.src_channels) *
           size_of(p.dst_type);
}

std::int32_t zero_point_of(const Case& c, std::size_t channel) {
    return c.zero_point.empty() ? 0 : c.zero_point[c.zero_point.size() == 1 ? 0 : channel];
}

// The integer of rule_form.hpp.
float integer_of(RuleForm rule, float sum, float scale, float rest, float bias) {
    if (rule == RuleForm::kReal) {
        return std::nearbyint(sum * scale) + bias;
    }
    return rule == RuleForm::kRealZeroFirst ? std::nearbyint(sum * scale + bias)
                                            : test::exact_floor(sum, scale, rest, bias);
}

// The definition in the header, one output element at a time.
float expected_value(const Case& c, std::size_t n, std::size_t y, std::size_t x, std::size_t ch) {
    const DepthwiseShape& s = c.params.shape;
    const std::size_t stride = stride_of(s.src_pixel_stride, s.src_channels);
    const std::size_t taps = s.kernel_height * s.kernel_width;
    std::int64_t acc = c.offset.empty() ? 0 : c.offset[c.offset.size() == 1 ? 0 : ch];
    fuseq::test::for_each_tap(s, {n, y, x}, [&](std::size_t pixel, std::size_t tap) {
        const std::size_t at = pixel * stride + ch;
        const int value = c.params.src_type == ElementType::i8 ? static_cast<std::int8_t>(c.src[at])
                                                               : int{c.src[at]};
        acc += (value - zero_point_of(c, ch)) * c.weights[ch * taps + tap];
    });
    const auto pick = [ch](const std::vector<float>& list) {
        return list[list.size() == 1 ? 0 : ch];
    };
    const bool is_below = acc < 0 && !c.below.empty();
    const float bias = is_below ? pick(c.below) : c.bias.empty() ? 0.0f : pick(c.bias);
    const auto sum = static_cast<float>(acc);
    float v = c.params.rule ? integer_of(*c.params.rule, sum, pick(c.scale),
                                         c.rest.empty() ? 0.0f : pick(c.rest), bias)
                            : std::fma(sum, pick(c.scale), bias);
    if (!c.slope.empty() && !(v > 0.0f)) {
        v *= pick(c.slope);
    }
    v += c.params.shift;
    return std::min(std::max(v, c.params.low), c.params.high);
}

std::vector<std::uint8_t> expected(const Case& c) {
    const DepthwiseShape& s = c.params.shape;
    const std::size_t stride = stride_of(s.dst_pixel_stride, s.src_channels);
    std::vector<std::uint8_t> dst(dst_bytes(c.params), 0xA5);
    std::size_t pixel = 0;
    for (std::size_t n = 0; n < s.batch; ++n) {
        for (std::size_t y = 0; y < s.dst_height; ++y) {
            for (std::size_t x = 0; x < s.dst_width; ++x, ++pixel) {
                for (std::size_t ch = 0; ch < s.src_channels; ++ch) {
                    const float v = expected_value(c, n, y, x, ch);
                    const std::size_t at = pixel * stride + ch;
                    if (c.params.dst_type == ElementType::f32) {
                        std::memcpy(&dst[at * 4], &v, 4);
                    } else if (c.params.dst_type == ElementType::u8) {
                        dst[at] =
                            static_cast<std::uint8_t>(std::clamp(std::nearbyint(v), 0.f, 255.f));
                    } else {
                        dst[at] = static_cast<std::uint8_t>(
                            static_cast<std::int8_t>(std::clamp(std::nearbyint(v), -128.f, 127.f)));
                    }
                }
            }
        }
    }
    return dst;
}

template <class T>
T pick(std::mt19937& rng, std::initializer_list<T> of) {
    return *(of.begin() + rng() % of.size());
}

std::size_t between(std::mt19937& rng, std::size_t low, std::size_t high) {
    return low + rng() % (high - low + 1);
}

void fill_values(Case& c, std::mt19937& rng) {
    const DepthwiseShape& s = c.params.shape;
    c.src.resize(src_elements(s));
    for (auto& v : c.src) {
        v = static_cast<std::uint8_t>(rng());
    }
    c.weights.resize(s.src_channels * s.kernel_height * s.kernel_width);
    for (auto& w : c.weights) {
        w = static_cast<std::int8_t>(rng());
    }
    std::uniform_real_distribution<float> real(-1.0f, 1.0f);
    const float taps = std::sqrt(static_cast<float>(s.kernel_height * s.kernel_width));
    c.scale.resize(rng() % 4 == 0 ? 1 : s.src_channels);
    for (float& v : c.scale) {
        // Powers of two make ties, which must go to even.
        v = rng() % 2 == 0 ? 1.0f / 128.0f : real(rng) / (100.0f * taps);
    }
    c.bias.resize(rng() % 3 == 0 ? 0 : s.src_channels);
    for (float& v : c.bias) {
        v = rng() % 2 == 0 ? 32.0f : 50.0f * real(rng);
    }
}

Case random_case(std::mt19937& rng) {
    Case c;
    DepthwiseShape& s = c.params.shape;
    s.batch = between(rng, 1, 2);
    s.src_channels = pick<std::size_t>(rng, {1,  3,  7,  8,  9,  15, 16,  17,  24,  31,  32, 33,
                                             48, 63, 64, 65, 80, 96, 100, 127, 128, 144, 200});
    s.dst_channels = s.src_channels;
    const auto size = pick<std::size_t>(rng, {3, 3, 3, 5, 5, 0});
    s.kernel_height = size != 0 ? size : between(rng, 1, 7);
    s.kernel_width = size != 0 ? size : between(rng, 1, 7);
    const std::size_t stride = between(rng, 1, 2);
    s.stride_height = size != 0 ? stride : between(rng, 1, 3);
    s.stride_width = size != 0 ? stride : between(rng, 1, 3);
    s.dilation_height = rng() % 4 == 0 ? between(rng, 1, 5) : 1;
    s.dilation_width = rng() % 8 == 0 ? between(rng, 1, 3) : s.dilation_height;
    s.src_height = between(rng, 1, 12);
    s.src_width = between(rng, 1, 24);
    s.dst_height = between(rng, 1, 12);
    s.dst_width = between(rng, 1, 20);
    s.pad_top = static_cast<std::ptrdiff_t>(between(rng, 0, s.kernel_height + 1)) - 1;
    s.pad_left = static_cast<std::ptrdiff_t>(between(rng, 0, s.kernel_width + 1)) - 1;
    s.src_pixel_stride = rng() % 4 == 0 ? s.src_channels + between(rng, 0, 70) : 0;
    s.dst_pixel_stride = rng() % 4 == 0 ? s.src_channels + between(rng, 0, 70) : 0;
    c.params.src_type = pick(rng, {ElementType::u8, ElementType::i8});
    c.params.dst_type = pick(rng, {ElementType::u8, ElementType::i8, ElementType::f32});
    const int lowest = c.params.src_type == ElementType::u8 ? 0 : -128;
    c.zero_point.assign(rng() % 4 == 0 ? 0 : rng() % 2 == 0 ? 1 : s.src_channels, 0);
    for (std::int32_t& z : c.zero_point) {
        z = static_cast<int>(between(rng, 0, 255)) + lowest;
    }
    fill_values(c, rng);
    if (rng() % 3 == 0) {
        c.slope.assign(rng() % 2 == 0 ? 1 : s.src_channels, 0.0f);
        for (float& v : c.slope) {
            v = static_cast<float>(rng() % 200) / 100.0f - 0.5f;
        }
    }
    c.params.shift = rng() % 3 == 0 ? 7.25f : 0.0f;
    if (rng() % 3 == 0) {
        c.params.low = static_cast<float>(rng() % 20) - 20.0f;
        c.params.high = static_cast<float>(rng() % 100);
    }
    c.offset.assign(rng() % 2 == 0 ? 0 : rng() % 2 == 0 ? 1 : s.src_channels, 0);
    for (std::int32_t& offset : c.offset) {
        offset = static_cast<int>(between(rng, 0, 40000)) - 20000;
    }
    return c;
}

void attach(Case& c) {
    c.params.weights = c.weights;
    c.params.scale = c.scale;
    c.params.bias = c.bias;
    c.params.slope = c.slope;
    c.params.rest = c.rest;
    c.params.below = c.below;
    c.params.src_zero_point = c.zero_point;
    c.params.offset = c.offset;
}

std::string describe(const Case& c) {
    const DepthwiseShape& s = c.params.shape;
    return detail::cat("n", s.batch, " c", s.src_channels, " src ", s.src_height, "x", s.src_width,
                       " dst ", s.dst_height, "x", s.dst_width, " k ", s.kernel_height, "x",
                       s.kernel_width, " s ", s.stride_height, "x", s.stride_width, " d ",
                       s.dilation_height, "x", s.dilation_width, " p ", s.pad_top, ",", s.pad_left,
                       " ", to_string(c.params.src_type), "->", to_string(c.params.dst_type),
                       " zps ", c.zero_point.size(), " offsets ", c.offset.size(), " slope ",
                       c.slope.size(), " shift ", c.params.shift, " strides ", s.src_pixel_stride,
                       ",", s.dst_pixel_stride);
}

// Runs a split of the rows and blocks.
std::vector<std::uint8_t> run_split(const DepthwiseConv& conv, const Case& c, std::mt19937& rng) {
    std::vector<std::uint8_t> dst(dst_bytes(c.params), 0xA5);
    const std::size_t rows = conv.rows();
    const std::size_t row = between(rng, 0, rows);
    const std::size_t block = between(rng, 0, conv.blocks());
    for (const Range r : {Range{0, row}, Range{row, rows}}) {
        conv.run(c.src.data(), dst.data(), r, {0, block});
        conv.run(c.src.data(), dst.data(), r, {block, conv.blocks()});
    }
    return dst;
}

// -0 and 0 are the same result.
std::vector<std::uint8_t> without_negative_zero(std::vector<std::uint8_t> bytes, ElementType type) {
    for (std::size_t i = 0; type == ElementType::f32 && i < bytes.size(); i += 4) {
        float v = 0.0f;
        std::memcpy(&v, &bytes[i], 4);
        v += 0.0f;
        std::memcpy(&bytes[i], &v, 4);
    }
    return bytes;
}

void expect_exact(Case& c, DepthwisePath path, std::mt19937& rng) {
    attach(c);
    c.params.path = path;
    const std::vector<std::uint8_t> want = without_negative_zero(expected(c), c.params.dst_type);
    const DepthwiseConv conv(c.params);
    SCOPED_TRACE(conv.implementation());
    std::vector<std::uint8_t> dst(want.size(), 0xA5);
    conv.run(c.src.data(), dst.data());
    ASSERT_EQ(without_negative_zero(dst, c.params.dst_type), want) << describe(c);
    ASSERT_EQ(run_split(conv, c, rng), dst) << describe(c);
}

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
        for (unsigned seed = 0; seed < 160; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            Case c = random_case(rng);
            if (c.params.shape.src_channels >= 32) {
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

// Rows of one to many vectors, with and without columns outside of src.
Case random_flat_case(std::mt19937& rng) {
    Case c = random_case(rng);
    DepthwiseShape& s = c.params.shape;
    s.src_channels = s.dst_channels = pick<std::size_t>(rng, {1, 2, 4, 8, 16, 32, 64});
    s.kernel_height = s.kernel_width = 3;
    s.stride_height = s.stride_width = s.dilation_height = s.dilation_width = 1;
    s.src_pixel_stride = s.dst_pixel_stride = 0;
    c.zero_point.resize(c.zero_point.size() < 2 ? c.zero_point.size() : s.src_channels);
    c.slope.resize(c.slope.size() < 2 ? c.slope.size() : s.src_channels);
    c.offset.resize(c.offset.size() < 2 ? c.offset.size() : s.src_channels);
    fill_values(c, rng);
    return c;
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

void make_rule(std::mt19937& rng, Case& c) {
    c.params.rule = pick(
        rng, {RuleForm::kFloor, RuleForm::kTwoFloors, RuleForm::kReal, RuleForm::kRealZeroFirst});
    const bool is_floor = fuseq::kernels::is_floor(*c.params.rule);
    c.params.dst_type = pick(rng, {ElementType::u8, ElementType::i8});
    c.params.shift = 0.0f;
    c.slope.clear();
    c.scale.resize(c.params.shape.src_channels, 1.0f / 128.0f);
    for (float& bias : c.bias) {
        bias = is_floor ? bias : std::nearbyint(bias);
    }
    for (std::size_t i = 0; is_floor && i < c.scale.size(); ++i) {
        const auto parts = static_cast<float>(static_cast<int>(rng() % 128) - 64);
        c.rest.push_back(rng() % 4 == 0 ? 0.0f : c.scale[i] * parts * 0x1p-31f);
        if (c.params.rule == RuleForm::kTwoFloors) {
            c.below.push_back(parts / 8.0f);
        }
    }
}

// Many sums with a scale of 2^-7 are integers, and floats rounded to the nearest would be above
// many of the others.
TEST(DepthwiseConv, RulesMatchPlainLoopsInEachForm) {
    if (!has_avx512_vnni()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    for (unsigned seed = 0; seed < 900; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        const bool is_flat = seed % 3 == 0;
        Case c = is_flat ? random_flat_case(rng) : random_case(rng);
        make_rule(rng, c);
        const auto path = is_flat ? DepthwisePath::kFlat : DepthwisePath::kStrips;
        ASSERT_NO_FATAL_FAILURE(expect_exact(c, path, rng));
    }
}

TEST(DepthwiseConv, RulesMatchPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; DepthwiseConv::stores_rules() && seed < 200; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            Case c = random_case(rng);
            make_rule(rng, c);
            ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kPortable, rng));
            ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kAuto, rng));
        }
    });
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

std::string refusal(const DepthwiseParams& params) {
    try {
        DepthwiseConv conv(params);
        return "accepted";
    } catch (const Error& e) {
        return e.what();
    }
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
    p.rule = RuleForm::kFloor;
    p.rest = three;
    EXPECT_THAT(refusal(p),
                testing::HasSubstr("a rule with 3 finite rests of the scale, expected 2"));
    p.rest = std::span(three).first(2);
    p.shift = 1.0f;
    EXPECT_THAT(refusal(p), testing::HasSubstr("rules are for bytes and AVX2, without a slope"));
    p = c.params;
    p.low = 2.0f;
    p.high = 1.0f;
    EXPECT_THAT(refusal(p), testing::HasSubstr("low > high"));
}

}  // namespace
}  // namespace fuseq::kernels
