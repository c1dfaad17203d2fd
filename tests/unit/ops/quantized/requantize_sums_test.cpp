// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/requantize_sums.hpp"

#include <random>

#include "ops/quantized/requantizer.hpp"
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

std::string attributes(const std::string& rule) {
    return "rule=" + rule +
           "; multiplier=f32; input_scale=1; weight_scales=1,0.5; output_scale=4; "
           "output_zero_point=1; output_type=i8; lowest=-2; highest=127";
}

// Quarters of 6, -6 and -400, an eighth of 12 + 8, of -20 + 8 and of 4000, with a zero point of 1.
TEST(RequantizeSums, HasAMultiplierAndABiasForEachChannel) {
    const In sums = in_f32({3, 2}, {6, 12, -6, -20, -400, 4000});
    const In bias = constant<std::int32_t>({2}, {0, 8});
    const auto run = [&](const std::string& rule) {
        return run_op("RequantizeSums", 1, attributes(rule), {sums, bias})[0];
    };
    expect_tensor<std::int8_t>(run("f32"), {3, 2}, {3, 3, -1, -1, -2, 127});
    expect_tensor<std::int8_t>(run("f32_zero_first"), {3, 2}, {2, 4, 0, 0, -2, 127});
    expect_tensor<std::int8_t>(run("d2"), {3, 2}, {3, 4, -1, -1, -2, 127});
    expect_tensor<std::int8_t>(run("d2_up"), {3, 2}, {3, 4, 0, 0, -2, 127});
    expect_tensor<std::int8_t>(run("d1"), {3, 2}, {3, 4, 0, 0, -2, 127});
}

// The last column, 3, times 2 and -1: 6 + 6 and 12 - 3, times a quarter and an eighth.
TEST(RequantizeSums, AddsWhatWasTakenFromTheWeights) {
    const auto run = [](const std::string& rule) {
        return run_op("RequantizeSums", 1, attributes(rule) + "; weight_shifts=2,-1",
                      {in_f32({1, 3}, {6, 12, 3})})[0];
    };
    expect_tensor<std::int8_t>(run("f32"), {1, 2}, {4, 2});
    expect_tensor<std::int8_t>(run("d2"), {1, 2}, {4, 2});
    EXPECT_THAT(error_of("RequantizeSums", 1, attributes("d2") + "; weight_shifts=2",
                         {in_f32({1, 3}, {6, 12, 3})}),
                HasSubstr("the source has 3 columns, weight_shifts 1 values"));
}

// The kernel by rows against the rule of one value.
TEST(RequantizeSums, EqualsTheRuleOfEachValue) {
    constexpr unsigned kSeed = 18;
    constexpr std::size_t kCount = 4096;
    std::mt19937 random(kSeed);
    std::uniform_int_distribution<std::int32_t> any(-(1 << 24), 1 << 24);
    std::vector<float> sums(kCount);
    for (float& sum : sums) {
        sum = static_cast<float>(any(random) >> (random() % 24));
    }
    for (const RoundingRule rule : {RoundingRule::kF32, RoundingRule::kF32ZeroFirst,
                                    RoundingRule::kD1, RoundingRule::kD2, RoundingRule::kD2Up}) {
        const Requantizer one(
            {rule, MultiplierForm::kDouble},
            {.input = 0.013F, .weights = {}, .output = 0.37F, .output_zero_point = 3});
        const auto result = run_op(
            "RequantizeSums", 1,
            std::string("rule=") + EnumNames<RoundingRule>::kNames[static_cast<int>(rule)] +
                "; multiplier=double; input_scale=0.013; weight_scales=1; output_scale=0.37; "
                "output_zero_point=3; output_type=u8; lowest=0; highest=255",
            {in_f32({kCount / 4, 4}, sums)});
        for (std::size_t i = 0; i < kCount; ++i) {
            const std::int64_t expected =
                std::clamp<std::int64_t>(one(static_cast<std::int64_t>(sums[i])), 0, 255);
            ASSERT_EQ(result[0].data<std::uint8_t>()[i], expected)
                << "seed " << kSeed << ", " << sums[i];
        }
    }
}

TEST(RequantizeSums, RefusesBoundsOfDifferentLengths) {
    EXPECT_THAT(error_of("RequantizeSums", 1, attributes("d2") + "; sum_min=1,2; sum_max=3",
                         {in_f32({1, 2}, {1, 2})}),
                HasSubstr("sum_min has 2 values, sum_max 1"));
}

TEST(RequantizeSums, RefusesABiasOfAnotherLength) {
    EXPECT_THAT(error_of("RequantizeSums", 1, attributes("f32"),
                         {in_f32({1, 2}, {1, 2}), constant<std::int32_t>({3}, {1, 2, 3})}),
                HasSubstr("the bias has 3 values, expected 2"));
}

}  // namespace
}  // namespace fuseq::test
