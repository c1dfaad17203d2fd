// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// With global_seed 80 and op_seed 100 the sequence of doubles begins with 0.4574, 0.2789, 0.0838,
// 0.0455: the values of example 2 of RandomUniform-8, (x - 2) / 8.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/kernel_states.hpp"
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kReplaced =
    "convert_type=i64; with_replacement=true; log_probs=false; global_seed=80; op_seed=100";
constexpr const char* kUnique =
    "convert_type=i32; with_replacement=false; log_probs=false; global_seed=80; op_seed=100";
constexpr const char* kLogarithms =
    "convert_type=i64; with_replacement=true; log_probs=true; global_seed=80; op_seed=100";

TEST(Multinomial, TakesTheFirstClassThatReachesTheSample) {
    // Cumulative 0.05, 0.25, 0.4, 1.
    const In probs = in_f32({1, 4}, {0.05F, 0.2F, 0.15F, 0.6F});
    expect_tensor<std::int64_t>(run_op("Multinomial", 13, kReplaced, {probs, int_scalar(4)})[0],
                                {1, 4}, {3, 2, 1, 0});
    // Only their proportions count.
    const In counts = in<double>({1, 4}, {1, 4, 3, 12});
    expect_tensor<std::int64_t>(run_op("Multinomial", 13, kReplaced, {counts, ints({4})})[0],
                                {1, 4}, {3, 2, 1, 0});
}

TEST(Multinomial, RowsGoOnInTheSequence) {
    const In probs = in_f32({2, 2}, {0.4F, 0.6F, 0.05F, 0.95F});
    expect_tensor<std::int64_t>(
        run_op("Multinomial", 13, kReplaced, {probs, constant<std::int32_t>({}, {2})})[0], {2, 2},
        {1, 0, 1, 0});
}

TEST(Multinomial, WithoutReplacementNoClassTwice) {
    // 0.4574 takes class 1 of 0.1, 0.6, 1; left are 0.1 and 0.4, cumulative 0.2 and 1: 0.2789 takes
    // class 2, and only class 0 remains.
    const In probs = in_f32({1, 3}, {0.1F, 0.5F, 0.4F});
    expect_tensor<std::int32_t>(run_op("Multinomial", 13, kUnique, {probs, int_scalar(3)})[0],
                                {1, 3}, {1, 2, 0});
}

TEST(Multinomial, Logarithms) {
    const In logs =
        in_f32({1, 4}, {std::log(1.0F), std::log(4.0F), std::log(3.0F), std::log(12.0F)});
    expect_tensor<std::int64_t>(run_op("Multinomial", 13, kLogarithms, {logs, int_scalar(4)})[0],
                                {1, 4}, {3, 2, 1, 0});
    // exp() of these is infinite.
    const In large = in_f32({1, 2}, {2000, 1000});
    expect_tensor<std::int64_t>(run_op("Multinomial", 13, kLogarithms, {large, int_scalar(3)})[0],
                                {1, 3}, {0, 0, 0});
}

TEST(Multinomial, NeverAClassOfProbabilityZero) {
    const In probs = in_f32({1, 4}, {0, 1, 0, 0});
    const Tensor drawn = run_op("Multinomial", 13, kReplaced, {probs, int_scalar(500)})[0];
    for (const std::int64_t value : drawn.values<std::int64_t>()) {
        ASSERT_EQ(value, 1);
    }
}

TEST(Multinomial, FollowsTheProbabilities) {
    const In probs = in_f32({1, 3}, {0.2F, 0.5F, 0.3F});
    const Tensor drawn = run_op("Multinomial", 13, kReplaced, {probs, int_scalar(20000)})[0];
    const auto values = drawn.values<std::int64_t>();
    const double expected[] = {0.2, 0.5, 0.3};
    for (std::int64_t c = 0; c < 3; ++c) {
        // Five deviations of 20000 draws are less than 0.02.
        EXPECT_NEAR(static_cast<double>(std::count(values.begin(), values.end(), c)) / 20000.0,
                    expected[c], 0.02);
    }
}

TEST(Multinomial, SeedsOfZeroCannotBeForeseen) {
    const In probs = constant<float>({1, 2}, {0.5F, 0.5F});
    const OpModel op =
        make_op("Multinomial", 13, "convert_type=i32; with_replacement=true; log_probs=false",
                {probs, int_scalar(200)});
    EXPECT_TRUE(is_random(*op.node));
    EXPECT_FALSE(op.node->port(0).known_value);
    const std::vector<Tensor> inputs{probs.value, int_scalar(200).value};
    EXPECT_FALSE(
        same_bytes(evaluate_node(*op.node, inputs)[0], evaluate_node(*op.node, inputs)[0]));
}

TEST(Multinomial, InfersOpenShapes) {
    const In number = open(ElementType::i32, "[1]");
    EXPECT_EQ(shape_of("Multinomial", 13, kReplaced, {open(ElementType::f32, "[2,3]"), number}),
              "[2,?]");
    EXPECT_EQ(
        shape_of("Multinomial", 13, kReplaced, {open(ElementType::f16, "..."), int_scalar(5)}),
        "[?,5]");
    EXPECT_EQ(
        shape_of("Multinomial", 13, kUnique, {open(ElementType::f32, "[?,?]"), int_scalar(5)}),
        "[?,5]");
    EXPECT_EQ(
        run_op("Multinomial", 13, kUnique, {in_f32({2, 1}, {1, 1}), int_scalar(0)})[0].get_size(),
        0U);
}

TEST(Multinomial, Refuses) {
    const auto why = [](const char* attributes, const In& probs, std::int64_t samples) {
        return error_of("Multinomial", 13, attributes, {probs, int_scalar(samples)});
    };
    const In half = in_f32({1, 2}, {0.5F, 0.5F});
    EXPECT_THAT(why(kUnique, half, 3),
                HasSubstr("num_samples is 3, without replacement only 2 classes can be drawn"));
    EXPECT_THAT(why(kUnique, in_f32({1, 2}, {0, 1}), 2),
                HasSubstr("probs has 1 values above 0, without replacement 2 classes cannot"));
    EXPECT_THAT(why(kReplaced, half, -1),
                HasSubstr("num_samples is -1, expected a value in [0, 2147483648]"));
    EXPECT_THAT(why(kReplaced, half, 1LL << 29),
                HasSubstr("the result has shape [1,536870912], expected at most 268435456"));
    EXPECT_THAT(why(kReplaced, in_f32({1, 2}, {-0.5F, 1}), 1),
                HasSubstr("probs has the value -0.5, expected finite values, 0 or more"));
    EXPECT_THAT(why(kReplaced, in_f32({1, 2}, {0, 0}), 1), HasSubstr("all values of probs are 0"));
    EXPECT_THAT(why(kLogarithms, in_f32({1, 2}, {0, std::numeric_limits<float>::quiet_NaN()}), 1),
                HasSubstr("probs has the logarithm nan, expected finite values"));
    EXPECT_THAT(why(kReplaced, in_f32({2}, {1, 1}), 1),
                HasSubstr("probs has shape [2], expected [batch, classes]"));
    EXPECT_THAT(why(kReplaced, in_f32({1, 0}, {}), 1), HasSubstr("probs has no classes"));
    EXPECT_THAT(why(kReplaced, in<std::int32_t>({1, 1}, {1}), 1),
                HasSubstr("probs is i32, expected a real type"));
    EXPECT_THAT(why("convert_type=f32; with_replacement=true; log_probs=false", half, 1),
                HasSubstr("convert_type is f32, expected i32 or i64"));
    EXPECT_THAT(
        why("convert_type=i32; with_replacement=true; log_probs=false; op_seed=-1", half, 1),
        HasSubstr("op_seed is -1, expected 0 or more"));
    EXPECT_THAT(blind_error_of("Multinomial", 13, kUnique, {half, int_scalar(3)}),
                HasSubstr("num_samples is 3, without replacement only 2"));
    EXPECT_THAT(blind_error_of("Multinomial", 13, kUnique, {in_f32({2}, {1, 1}), int_scalar(1)}),
                HasSubstr("expected [batch, classes]"));
}

}  // namespace
}  // namespace fuseq::test
