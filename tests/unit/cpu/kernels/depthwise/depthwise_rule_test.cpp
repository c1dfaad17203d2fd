// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise kernels that round by the forms of rule_form.hpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cpu/kernels/eltwise/requantize_sums.hpp"
#include "cpu/machine/instructions.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/depthwise/depthwise_case.hpp"
#include "unit/cpu/kernels/depthwise/vnni256_encodings.hpp"
#include "unit/cpu/kernels/eltwise/sum_rules.hpp"

namespace fuseq::kernels {
namespace {

using namespace depthwise_case;  // NOLINT(google-build-using-namespace)
using fuseq::test::on_every_target;

void make_rule(std::mt19937& rng, Case& c) {
    c.params.rule = pick(rng, {RuleForm::kFloor, RuleForm::kTwoFloors, RuleForm::kReal,
                               RuleForm::kRealZeroFirst, RuleForm::kOneFloor, RuleForm::kMirrored});
    const RuleForm form = *c.params.rule;
    const bool has_parts = has_rest(form);
    c.params.dst_type = pick(rng, {ElementType::u8, ElementType::i8});
    c.params.shift = 0.0f;
    c.slope.clear();
    c.scale.resize(c.params.shape.src_channels, 1.0f / 128.0f);
    if (form == RuleForm::kReal) {
        c.bias.clear();
    }
    if (form == RuleForm::kReal || form == RuleForm::kMirrored) {
        c.params.zero_point = static_cast<int>(rng() % 511) - 255;
    }
    for (float& scale : c.scale) {
        scale = form == RuleForm::kMirrored ? std::abs(scale) : scale;
    }
    for (float& bias : c.bias) {
        bias = form == RuleForm::kRealZeroFirst ? std::nearbyint(bias) : bias;
        bias = form == RuleForm::kMirrored ? std::abs(bias) / 32.0f : bias;
    }
    for (std::size_t i = 0; has_parts && i < c.scale.size(); ++i) {
        const auto parts = static_cast<float>(static_cast<int>(rng() % 128) - 64);
        c.rest.push_back(rng() % 4 == 0 ? 0.0f : c.scale[i] * parts * 0x1p-31f);
        if (form == RuleForm::kTwoFloors) {
            c.below.push_back(parts / 8.0f);
        }
    }
}

// Many sums with a scale of 2^-7 are integers, and floats rounded to the nearest would be above
// many of the others.
TEST(DepthwiseRule, MatchesPlainLoopsInEachForm) {
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

TEST(DepthwiseRule, MatchesPlainLoopsOnEveryTarget) {
    on_every_target([](const std::string&) {
        for (unsigned seed = 0; DepthwiseConv::stores_rules() && seed < 200; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            Case c = random_case(rng);
            make_rule(rng, c);
            ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kPortable, rng));
            ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kColumns, rng));
            ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kAuto, rng));
        }
    });
}

TEST(DepthwiseRule, MatchesPlainLoopsByDotProductsIn256Bits) {
    const bool ran = fuseq::test::with_each_encoding([] {
        for (unsigned seed = 0; seed < 300; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            Case c = random_case(rng);
            make_rule(rng, c);
            if (c.params.shape.src_channels >= 32) {
                ASSERT_NO_FATAL_FAILURE(expect_exact(c, DepthwisePath::kQuads, rng));
            }
        }
    });
    if (!ran) {
        GTEST_SKIP() << "this machine has no dot products of bytes in 256 bits";
    }
}

// A layer of 3x3 whose sums are rounded by a rule of integers, as the step of a plan makes it.
struct RuledLayer {
    Case c;
    std::vector<SumRule> channels;
    std::optional<OwnRounding> own;
};

RuledLayer random_layer(std::mt19937& rng) {
    RuledLayer layer;
    Case& c = layer.c;
    c = random_case(rng);
    DepthwiseShape& s = c.params.shape;
    s.kernel_height = s.kernel_width = 3;
    s.stride_height = s.stride_width = 1 + rng() % 2;
    s.dilation_height = s.dilation_width = 1;
    c.params = {.shape = s, .src_type = ElementType::i8, .dst_type = ElementType::i8};
    c.slope.clear();
    c.zero_point.assign(1, static_cast<int>(rng() % 256) - 128);
    fill_values(c, rng);
    const auto rounding = pick(rng, {ProductRounding::kHalfAway, ProductRounding::kHalfAway,
                                     ProductRounding::kHalfUp, ProductRounding::kOnce});
    const SumRule rule = random_rule(rng, rounding);
    std::vector<std::int32_t> bias;
    std::vector<FixedMultiplier> fixed;
    SumBounds bounds;
    for (std::size_t ch = 0; ch < s.src_channels; ++ch) {
        SumRule channel = random_rule(rng, rounding);
        channel.grid = rule.grid;
        channel.fixed.exponent -= 3;
        channel.min = channel.max = 0;
        for (std::size_t t = 0; t < 9; ++t) {
            const int w = c.weights[ch * 9 + t];
            const int ends[] = {w * (-128 - c.zero_point[0]), w * (127 - c.zero_point[0])};
            channel.min += std::min({ends[0], ends[1], 0});
            channel.max += std::max({ends[0], ends[1], 0});
        }
        bias.push_back(channel.bias);
        fixed.push_back(channel.fixed);
        bounds.min.push_back(channel.min);
        bounds.max.push_back(channel.max);
        layer.channels.push_back(channel);
    }
    const SumRounding sums(SumColumns(rounding, bias, fixed, {}), rule.grid, ElementType::i8,
                           "a rule", bounds);
    layer.own = sums.by_short_rule();
    return layer;
}

// By definition: the sums of plain loops.
std::vector<std::uint8_t> rounded_sums(const RuledLayer& layer) {
    Case sums = layer.c;
    sums.params.dst_type = ElementType::f32;
    sums.params.shape.dst_pixel_stride = 0;
    sums.scale = {1.0f};
    sums.bias.clear();
    sums.offset.clear();
    const std::vector<std::uint8_t> bytes = expected(sums);
    std::vector<std::uint8_t> result(bytes.size() / 4);
    for (std::size_t i = 0; i < result.size(); ++i) {
        float sum = 0.0f;
        std::memcpy(&sum, &bytes[4 * i], 4);
        const SumRule& rule = layer.channels[i % layer.channels.size()];
        result[i] = static_cast<std::uint8_t>(by_definition(rule, static_cast<std::int64_t>(sum)));
    }
    return result;
}

TEST(DepthwiseRule, LayersRoundAsTheirRule) {
    int found[6] = {};
    on_every_target([&](const std::string&) {
        for (unsigned seed = 0; DepthwiseConv::stores_rules() && seed < 150; ++seed) {
            SCOPED_TRACE(detail::cat("seed ", seed));
            std::mt19937 rng(seed);
            RuledLayer layer = random_layer(rng);
            if (!layer.own) {
                continue;
            }
            ++found[static_cast<int>(*layer.own->rule)];
            layer.c.params.shape.dst_pixel_stride = 0;
            const std::vector<std::uint8_t> want = rounded_sums(layer);
            Case& c = layer.c;
            c.scale = layer.own->scale;
            c.bias = layer.own->shift;
            c.rest = layer.own->rest;
            c.below = layer.own->below;
            c.offset = layer.own->offset;
            attach(c);
            c.params.rule = layer.own->rule;
            c.params.zero_point = layer.own->zero_point;
            c.params.low = layer.own->low;
            c.params.high = layer.own->high;
            for (const DepthwisePath path : {DepthwisePath::kAuto, DepthwisePath::kColumns}) {
                c.params.path = path;
                const DepthwiseConv conv(c.params);
                SCOPED_TRACE(conv.implementation());
                std::vector<std::uint8_t> dst(want.size());
                conv.run(c.src.data(), dst.data());
                ASSERT_EQ(dst, want) << describe(c);
            }
        }
    });
    if (DepthwiseConv::stores_rules()) {
        EXPECT_GT(found[static_cast<int>(RuleForm::kOneFloor)], 0);
        EXPECT_GT(found[static_cast<int>(RuleForm::kMirrored)], 0);
    }
}

TEST(DepthwiseRule, RefusesWhatItsFormLacks) {
    if (!DepthwiseConv::stores_rules()) {
        GTEST_SKIP() << "this machine has no rules";
    }
    Case c;
    c.params.shape = {{.src_channels = 2, .dst_channels = 2}};
    c.weights = {1, 2};
    c.scale = {1.0f};
    attach(c);
    const std::vector<float> three(3, 1.0f);
    DepthwiseParams p = c.params;
    p.rule = RuleForm::kFloor;
    p.rest = three;
    EXPECT_THAT(refusal(p),
                testing::HasSubstr("a rule with 3 finite rests of the scale, expected 2"));
    p.rest = std::span(three).first(2);
    p.shift = 1.0f;
    EXPECT_THAT(refusal(p), testing::HasSubstr("rules are for bytes and AVX2, without a slope"));
    const std::vector<float> negative(2, -0.5f);
    p = c.params;
    p.rule = RuleForm::kMirrored;
    p.bias = negative;
    EXPECT_THAT(refusal(p), testing::HasSubstr("a rule with a bias of -0.5, expected 0 to 2^24"));
    p.rule = RuleForm::kReal;
    EXPECT_THAT(refusal(p), testing::HasSubstr("a rule with a zero point of 0 and 2 biases"));
    p.rule = RuleForm::kOneFloor;
    p.zero_point = 1;
    EXPECT_THAT(refusal(p), testing::HasSubstr("a rule with a zero point of 1 and 2 biases"));
}

}  // namespace
}  // namespace fuseq::kernels
