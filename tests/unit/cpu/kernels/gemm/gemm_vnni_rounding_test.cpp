// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of the integer product that leave as bytes by a rounding rule, in every form.
#include "cpu/kernels/gemm/gemm_vnni_rounding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/eltwise/short_rounding.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::element;

struct Rounding {
    std::vector<SumRule> rules;  // by channel
    SumRounding rounding;
};

Rounding random_rounding(std::mt19937& rng, std::size_t channels) {
    constexpr ProductRounding kRoundings[] = {ProductRounding::kHalfAway, ProductRounding::kHalfUp,
                                              ProductRounding::kOnce, ProductRounding::kReal,
                                              ProductRounding::kRealZeroFirst};
    const ProductRounding rounding = kRoundings[rng() % std::size(kRoundings)];
    const bool is_signed = rng() % 2 == 0;
    const ByteGrid grid = is_signed ? ByteGrid{3, -128, 127} : ByteGrid{120, 10, 255};
    std::vector<SumRule> rules;
    std::vector<std::int32_t> bias;
    std::vector<FixedMultiplier> fixed;
    std::vector<float> real;
    for (std::size_t c = 0; c < channels; ++c) {
        bias.push_back(static_cast<int>(rng() % 4001) - 2000);
        fixed.push_back({static_cast<std::int32_t>((1U << 30) + rng() % (1U << 30)),
                         -3 - static_cast<int>(rng() % 9)});
        real.push_back(
            std::ldexp(static_cast<float>(fixed.back().mantissa), fixed.back().exponent - 31));
        rules.push_back({rounding, bias.back(), fixed.back(), real.back(), grid});
    }
    return {std::move(rules), SumRounding(SumColumns(rounding, bias, fixed, real), grid,
                                          is_signed ? ElementType::i8 : ElementType::u8, "rule")};
}

// In `parts`, into memory with a mark after the last byte.
Bytes run_rounded(const GemmVnni& gemm,
                  const Case& c,
                  const SumRounding& rounding,
                  std::size_t parts) {
    Bytes dst(c.elements() + 1);
    dst.data()[c.elements()] = 0xA5;
    AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes() * parts);
    const GemmSplit split = gemm.split(parts);
    for (std::size_t part = parts; part-- > 0;) {
        gemm.run({.src = c.src.data(),
                  .dst = dst.data(),
                  .scratch = scratch.data(),
                  .rounding = &rounding},
                 part, split);
    }
    return dst;
}

void expect_rounded(Case& c, std::mt19937& rng, GemmForm form) {
    c.params.form = form;
    const GemmVnni gemm(c.complete());
    if (!gemm.stores_sums()) {
        return;
    }
    const std::vector<float> sums = expected(c);
    const std::size_t channels = c.params.shape.dst_channels;
    const Rounding r = random_rounding(rng, channels);
    for (const std::size_t parts : {1, 3}) {
        const Bytes got = run_rounded(gemm, c, r.rounding, parts);
        for (std::size_t i = 0; i < c.elements(); ++i) {
            const std::int64_t want =
                round_sum(r.rules[i % channels], static_cast<std::int64_t>(sums[i]));
            ASSERT_EQ(got.data()[i], static_cast<std::uint8_t>(want)) << "element " << i;
        }
        ASSERT_EQ(got.data()[c.elements()], 0xA5);
    }
}

// Plain sums: no scale, no bias, nothing after them.
Case plain_case(std::mt19937& rng) {
    Case c = random_case(rng);
    c.params.dst_type = ElementType::f32;
    c.scale = {1.0F};
    c.bias.clear();
    c.wei_zero_point.clear();
    c.params.ops.clear();
    c.binary_sources.clear();
    c.rows.clear();
    return c;
}

TEST(GemmVnniRounding, IsTheRuleOfEverySumInEveryForm) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        Case c = plain_case(rng);
        if (has_avx512_vnni()) {
            expect_rounded(c, rng, GemmForm::kVnni512);
        }
        if (suits_amx(c)) {
            expect_rounded(c, rng, GemmForm::kAmx);
        }
        if (has_avx_vnni() || has_avx_vnni_in_evex() || has_avx512_vnni()) {
            expect_rounded(c, rng, GemmForm::kVnni256);
        }
        fuseq::test::on_every_target([&](const std::string&) {
            expect_rounded(c, rng, GemmForm::kBytes);
            expect_rounded(c, rng, GemmForm::kPairs);
        });
    }
}

// The rule that the kernel has itself, in which case it is that of every sum.
std::optional<RuleForm> expect_rule(const Case& c, const Rounding& r, GemmForm form) {
    const auto own = r.rounding.by_rule();
    GemmParams params = c.complete();
    params.form = form;
    params.dst_type = r.rounding.dst_type();
    if (!own || !GemmVnni::stores_rules(params)) {
        return std::nullopt;
    }
    params.scale = own->scale;
    params.bias = own->shift;
    params.rule = {*own->rule, own->rest, own->below, own->offset, own->low, own->high};
    const GemmVnni gemm(params);
    Case bytes = c;
    bytes.params.dst_type = params.dst_type;
    const std::vector<float> sums = expected(c);
    for (const std::size_t parts : {1, 3}) {
        const Bytes got = run(gemm, bytes, parts);
        for (std::size_t i = 0; i < sums.size() && !testing::Test::HasFailure(); ++i) {
            const std::int64_t want =
                round_sum(r.rules[i % r.rules.size()], static_cast<std::int64_t>(sums[i]));
            EXPECT_EQ(got.data()[i], static_cast<std::uint8_t>(want)) << "element " << i;
        }
    }
    return own->rule;
}

TEST(GemmVnniRounding, NarrowKernelsHaveTheRuleOfEverySum) {
    fuseq::test::on_every_target([&](const std::string& target) {
        std::set<RuleForm> forms;
        for (unsigned seed = 0; seed < 120 && !testing::Test::HasFailure(); ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            std::mt19937 rng(seed);
            const Case c = plain_case(rng);
            const Rounding r = random_rounding(rng, c.params.shape.dst_channels);
            for (const GemmForm form : {GemmForm::kBytes, GemmForm::kPairs, GemmForm::kVnni256}) {
                const bool has_dots = has_avx_vnni() || has_avx_vnni_in_evex() || has_avx512_vnni();
                if (form == GemmForm::kVnni256 && !has_dots) {
                    continue;
                }
                if (const auto rule = expect_rule(c, r, form)) {
                    forms.insert(*rule);
                }
            }
        }
        EXPECT_EQ(forms.size(), has_avx2() ? 4U : 0U) << target;
    });
}

TEST(GemmVnniRounding, WidePanelsHaveTheRuleOfEverySum) {
    if (!has_avx512_vnni()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    std::set<RuleForm> forms;
    for (unsigned seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937 rng(seed);
        const Case c = plain_case(rng);
        const Rounding r = random_rounding(rng, c.params.shape.dst_channels);
        if (const auto form = expect_rule(c, r, GemmForm::kVnni512)) {
            forms.insert(*form);
        }
        if (suits_amx(c)) {
            expect_rule(c, r, GemmForm::kAmx);
        }
    }
    EXPECT_THAT(forms, testing::ElementsAre(RuleForm::kFloor, RuleForm::kTwoFloors, RuleForm::kReal,
                                            RuleForm::kRealZeroFirst));
}

TEST(GemmVnniRounding, RulesOfKernelsAreInPlaceOfOperations) {
    std::mt19937 rng(3);
    Case c = plain_case(rng);
    c.params.form = GemmForm::kBytes;
    c.params.dst_type = ElementType::u8;
    c.params.ops = {{.kind = GemmOp::Kind::kScale, .a = {2.0F}}};
    GemmParams params = c.complete();
    EXPECT_FALSE(GemmVnni::stores_rules(params));
    const std::vector<std::int32_t> offset(c.params.shape.dst_channels);
    params.rule = {.form = RuleForm::kReal, .offset = offset, .low = 0.0F, .high = 255.0F};
    EXPECT_THROW(GemmVnni{params}, Error);
}

TEST(GemmVnniRounding, IsNotPossibleWhereBytesAreStored) {
    std::mt19937 rng(3);
    Case c = plain_case(rng);
    c.params.form = GemmForm::kBytes;
    EXPECT_TRUE(GemmVnni(c.complete()).stores_sums());
    c.params.dst_type = ElementType::u8;
    EXPECT_FALSE(GemmVnni(c.complete()).stores_sums());
}

}  // namespace
}  // namespace fuseq::kernels
