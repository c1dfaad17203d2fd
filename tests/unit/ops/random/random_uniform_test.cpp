// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of tf.random.uniform() and torch.rand() with the same seeds, as the specification of
// RandomUniform-8 and the tests of OpenVINO state them.
#include <algorithm>

#include "ops/interpreter.hpp"
#include "ops/kernel_states.hpp"
#include "ops/random/philox.hpp"
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

template <class T>
std::vector<In> bounds(const std::vector<std::int64_t>& shape, T min, T max) {
    return {ints(shape), constant<T>({}, {min}), constant<T>({1}, {max})};
}

TEST(RandomUniform, FloatsOfTensorflow) {
    expect_near(run_op("RandomUniform", 8, "output_type=f32; global_seed=150; op_seed=10",
                       bounds<float>({3, 3}, 0, 1))[0],
                {3, 3},
                {0.7011236F, 0.30539632F, 0.93931055F, 0.9456035F, 0.11694777F, 0.50770056F,
                 0.5197197F, 0.22727466F, 0.991374F},
                1e-7);
    expect_near(run_op("RandomUniform", 8,
                       "output_type=f32; global_seed=150; op_seed=10; alignment=TENSORFLOW",
                       bounds<float>({6}, -650, 450))[0],
                {6},
                {121.23596191F, -314.06405640F, 383.24157715F, 390.16381836F, -521.35742188F,
                 -91.52935791F},
                1e-7);
}

TEST(RandomUniform, DoublesOfTensorflow) {
    const Tensor random = run_op("RandomUniform", 8, "output_type=f64; global_seed=80; op_seed=100",
                                 bounds<double>({2, 2}, 2, 10))[0];
    const double expected[] = {5.65927959, 4.23122376, 2.67008206, 2.36423758};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(random.data<double>()[i], expected[i], 1e-8) << i;
    }
}

TEST(RandomUniform, IntegersOfTensorflow) {
    expect_tensor<std::int32_t>(
        run_op("RandomUniform", 8, "output_type=i32; global_seed=80; op_seed=100",
               bounds<std::int32_t>({2, 3}, 50, 100))[0],
        {2, 3}, {65, 70, 56, 59, 82, 92});
    expect_tensor<std::int32_t>(
        run_op("RandomUniform", 8, "output_type=i32; global_seed=100; op_seed=350",
               bounds<std::int32_t>({6}, -100, 50))[0],
        {6}, {22, -56, -33, -89, -98, -33});
    expect_tensor<std::int64_t>(
        run_op("RandomUniform", 8, "output_type=i64; global_seed=755; op_seed=951",
               bounds<std::int64_t>({7}, -2600, 3700))[0],
        {7}, {2116, -1581, 2559, -339, -1660, 519, 90});
}

constexpr const char* kPytorch = "; global_seed=12345; op_seed=54321; alignment=pytorch";

TEST(RandomUniform, NumbersOfPytorch) {
    const Tensor doubles = run_op("RandomUniform", 8, std::string("output_type=f64") + kPytorch,
                                  bounds<double>({3}, 0, 1))[0];
    EXPECT_DOUBLE_EQ(doubles.data<double>()[0], 0.8537458849690976);
    EXPECT_DOUBLE_EQ(doubles.data<double>()[1], 0.9371476796661825);
    EXPECT_DOUBLE_EQ(doubles.data<double>()[2], 0.6657276343152506);
    expect_near(run_op("RandomUniform", 8, std::string("output_type=f32") + kPytorch,
                       bounds<float>({4}, -100, 250))[0],
                {4}, {243.6013641357F, 207.8622894287F, 247.2502136230F, 61.3735389709F}, 1e-7);
    expect_tensor<std::int32_t>(
        run_op("RandomUniform", 8, std::string("output_type=i32") + kPytorch,
               bounds<std::int32_t>({5}, -100, 250))[0],
        {5}, {90, 181, 85, -97, 34});
    // 32 bits a number, unless a bound needs more.
    expect_tensor<std::int64_t>(
        run_op("RandomUniform", 8, std::string("output_type=i64") + kPytorch,
               bounds<std::int64_t>({5}, -100, 250))[0],
        {5}, {90, 181, 85, -97, 34});
    expect_tensor<std::int64_t>(
        run_op("RandomUniform", 8, std::string("output_type=i64") + kPytorch,
               bounds<std::int64_t>({2, 4}, 0, 4294967300))[0],
        {2, 4},
        {737404521, 3716027413, 1306031901, 35197318, 1121750166, 2465874581, 2593594281,
         1335862698});
}

// The range does not fit into the signed type.
TEST(RandomUniform, WholeRanges) {
    const Tensor random = run_op("RandomUniform", 8, "output_type=i32; global_seed=1",
                                 bounds<std::int32_t>({1000}, INT32_MIN, INT32_MAX))[0];
    const auto values = random.values<std::int32_t>();
    EXPECT_LT(*std::min_element(values.begin(), values.end()), INT32_MIN / 2);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), INT32_MAX / 2);
}

TEST(RandomUniform, SeedsOfZeroCannotBeForeseen) {
    const std::vector<In> inputs = bounds<double>({8}, 2, 3);
    const OpModel op = make_op("RandomUniform", 8, "output_type=f64", inputs);
    const std::vector<Tensor> values{inputs[0].value, inputs[1].value, inputs[2].value};
    const Tensor first = evaluate_node(*op.node, values)[0];
    const Tensor second = evaluate_node(*op.node, values)[0];
    EXPECT_FALSE(same_bytes(first, second));
    for (const double value : first.values<double>()) {
        EXPECT_GE(value, 2);
        EXPECT_LT(value, 3);
    }
}

// All inputs are constants, yet the value is not known before the inference.
TEST(RandomUniform, IsNoConstant) {
    for (const char* seeds : {"", "; global_seed=3"}) {
        const OpModel op = make_op("RandomUniform", 8, std::string("output_type=f32") + seeds,
                                   bounds<float>({2}, 0, 1));
        EXPECT_TRUE(is_random(*op.node));
        EXPECT_FALSE(op.node->port(0).known_value);
        EXPECT_EQ(to_string(op.node->port(0).shape), "[2]");
    }
}

std::vector<Tensor> values_of(const std::vector<In>& inputs) {
    return {inputs[0].value, inputs[1].value, inputs[2].value};
}

// A run of 5 elements moves on by 5 * 256 groups of four numbers.
TEST(RandomUniform, RunsOfARequestGoOnInTheSequence) {
    const std::vector<In> inputs = bounds<float>({5}, 0, 1);
    const OpModel op =
        make_op("RandomUniform", 8, "output_type=f32; global_seed=150; op_seed=10", inputs);
    KernelStates states;
    const auto run = [&] { return evaluate_in_request(*op.node, values_of(inputs), &states)[0]; };
    EXPECT_NEAR(run().data<float>()[0], 0.7011236F, 1e-7);
    const Tensor second = run();
    for (std::size_t i = 0; i < 5; ++i) {
        const auto bits = philox({150, 10}, 5 * 256 + i / 4)[i % 4] & 0x7FFFFFU;
        EXPECT_EQ(second.data<float>()[i], static_cast<float>(bits) / 8388608.0F) << i;
    }
    KernelStates others;
    EXPECT_NEAR(evaluate_in_request(*op.node, values_of(inputs), &others)[0].data<float>()[0],
                0.7011236F, 1e-7);
}

TEST(RandomUniform, PytorchStartsEachRunAnew) {
    const std::vector<In> inputs = bounds<float>({5}, 0, 1);
    const OpModel op =
        make_op("RandomUniform", 8, "output_type=f32; global_seed=7; alignment=pytorch", inputs);
    KernelStates states;
    const Tensor first = evaluate_in_request(*op.node, values_of(inputs), &states)[0];
    EXPECT_TRUE(same_bytes(first, evaluate_in_request(*op.node, values_of(inputs), &states)[0]));
}

TEST(RandomUniform, InfersOpenShapes) {
    const In one = open(ElementType::f32, "[1]");
    EXPECT_EQ(shape_of("RandomUniform", 8, "output_type=f32", {ints({2, 3, 10}), one, one}),
              "[2,3,10]");
    EXPECT_EQ(
        shape_of("RandomUniform", 8, "output_type=f32", {open(ElementType::i32, "[2]"), one, one}),
        "[?,?]");
    EXPECT_EQ(shape_of("RandomUniform", 8, "output_type=f32",
                       {open(ElementType::i32, "[?]"), open(ElementType::f32, "..."), one}),
              "[...]");
    EXPECT_EQ(
        run_op("RandomUniform", 8, "output_type=f32", bounds<float>({0, 2}, 0, 1))[0].get_size(),
        0U);
}

TEST(RandomUniform, Refuses) {
    const auto why = [](const char* attributes, const std::vector<In>& inputs) {
        return error_of("RandomUniform", 8, attributes, inputs);
    };
    EXPECT_THAT(why("output_type=f32", bounds<float>({2}, 1, 1)),
                HasSubstr("minval is 1, maxval is 1, expected a larger maxval"));
    EXPECT_THAT(why("output_type=i64", bounds<std::int64_t>({2}, 3, -4)),
                HasSubstr("minval is 3, maxval is -4"));
    EXPECT_THAT(why("output_type=f32", bounds<float>({2, -1}, 0, 1)),
                HasSubstr("shape has the value -1, expected 0 or more"));
    EXPECT_THAT(why("output_type=f32; global_seed=-1", bounds<float>({2}, 0, 1)),
                HasSubstr("global_seed is -1, expected 0 or more"));
    EXPECT_THAT(why("output_type=f32; op_seed=-5", bounds<float>({2}, 0, 1)),
                HasSubstr("op_seed is -5, expected 0 or more"));
    EXPECT_THAT(why("output_type=u8", bounds<std::uint8_t>({2}, 0, 1)),
                HasSubstr("output_type is u8, expected i32, i64 or a real type"));
    EXPECT_THAT(why("output_type=f32", bounds<double>({2}, 0, 1)),
                HasSubstr("minval is f64, expected f32"));
    EXPECT_THAT(why("output_type=f32", {ints({2}), in_f32({2}, {0, 0}), constant<float>({}, {1})}),
                HasSubstr("minval has shape [2], expected one element"));
    EXPECT_THAT(why("output_type=f32; alignment=numpy", bounds<float>({2}, 0, 1)),
                HasSubstr("'numpy' is not one of tensorflow, pytorch"));
    EXPECT_THAT(why("output_type=f32", bounds<float>({65536, 65536}, 0, 1)),
                HasSubstr("the result has shape [65536,65536], expected at most 268435456 "
                          "elements"));
    EXPECT_THAT(
        blind_error_of("RandomUniform", 8, "output_type=f32", bounds<float>({1LL << 29}, 0, 1)),
        HasSubstr("the result has shape [536870912]"));
    EXPECT_THAT(blind_error_of("RandomUniform", 8, "output_type=f32", bounds<float>({2}, 2, 1)),
                HasSubstr("minval is 2, maxval is 1"));
    EXPECT_THAT(blind_error_of("RandomUniform", 8, "output_type=f32", bounds<float>({-2}, 0, 1)),
                HasSubstr("shape has the value -2"));
}

}  // namespace
}  // namespace fuseq::test
