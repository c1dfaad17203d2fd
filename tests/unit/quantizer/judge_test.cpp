// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const Model& model) {
    std::vector<std::string> found;
    for (const ComparedInput& input : compared_inputs(model)) {
        found.push_back(detail::cat(input.layer, ':', input.index));
    }
    return found;
}

TEST(Judge, ComparesWhatGoesIntoResults) {
    EXPECT_THAT(names(*Model::from_text(R"(model "m"
        %x = Parameter : f32[1,100]
        %y = ReLU(%x)
        %r = Result(%y))")),
                ElementsAre("r:0"));
}

// A few numbers: what the last product before them reads counts too. Whole numbers jump.
TEST(Judge, LooksBehindFewNumbersAndJumps) {
    EXPECT_THAT(names(*Model::from_text(R"(model "m"
        %x = Parameter : f32[1,100]
        %y = ReLU(%x)
        %w = Const value=random(1) : f32[100,3]
        %fc = MatMul(%y, %w) transpose_a=false transpose_b=false
        %whole = Floor(%fc)
        %r = Result(%whole))")),
                ElementsAre("whole:0", "fc:0"));
}

std::shared_ptr<Model> times(float factor) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,100]
        %f = Const value={2} : f32[1,1]
        %y = Multiply(%x, %f)
        %r = Result(%y))");
    model->find("y")->set_input(
        1, model->add_constant("factor", Tensor::of<float>({1, 1}, {factor}))->output());
    return model;
}

TEST(Judge, MeasuresDecibels) {
    const CalibrationInputs ones = [](std::size_t index) {
        Tensor tensor(ElementType::f32, {1, 100});
        std::fill_n(tensor.data<float>(), 100, static_cast<float>(1 + index));
        return std::vector{tensor};
    };
    const auto exact = times(2);
    const Judge judge(*exact, "REFERENCE", {2, 5}, ones);
    EXPECT_EQ(judge.inputs(), 2U);
    EXPECT_NEAR(mean_decibels(judge.distances(*times(1.8f))), 20,
                1e-4);  // a tenth of the amplitude
    EXPECT_EQ(mean_decibels(judge.distances(*exact)), 200);
}

// Where they saturate, nothing is seen of errors: what they make of them is a guard, the last one.
TEST(Judge, LooksBehindSaturation) {
    EXPECT_THAT(names(*Model::from_text(R"(model "m"
        %x = Parameter : f32[1,100]
        %y = ReLU(%x)
        %p = SoftMax(%y) axis=1
        %first = Result(%p)
        %second = Result(%y))")),
                ElementsAre("p:0", "second:0", "first:0"));
}

TEST(Judge, CountsWithoutGuards) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,100]
        %y = ReLU(%x)
        %p = Sigmoid(%y)
        %r = Result(%p))");
    const CalibrationInputs ones = [](std::size_t /*index*/) {
        Tensor tensor(ElementType::f32, {1, 100});
        std::fill_n(tensor.data<float>(), 100, 1.0f);
        return std::vector{tensor};
    };
    const Judge judge(*model, "REFERENCE", {0}, ones);
    EXPECT_THAT(judge.names(), ElementsAre("input 0 of 'p'", "input 0 of 'r'"));
    EXPECT_EQ(judge.judged(), 1U);
    EXPECT_EQ(judge.distances(*model).size(), 2U);
}

// By hand: the first input gains 10 dB, the second loses 10 dB, which is the one with errors that
// count.
TEST(Judge, GainsOfInputsAndOfAllAsOne) {
    const Distances base{{{1, 0.001}, {1, 0.1}}};
    const Distances tried{{{1, 0.0001}, {1, 1}}};
    const Gain gain = gain_of(tried, base);
    EXPECT_NEAR(gain.mean, 0, 1e-12);
    EXPECT_NEAR(gain.error, 10, 1e-12);  // deviations of 10, 2 inputs
    EXPECT_NEAR(gain.together, 10 * std::log10(0.101 / 1.0001), 1e-9);
    EXPECT_EQ(gain.min, gain.together);
}

TEST(Judge, TensorsThatAreAlwaysExactDoNotCount) {
    const Distances base{{{1, 0}, {1, 0}}, {{1, 0.1}, {1, 0.1}}};
    const Distances tried{{{1, 0}, {1, 0}}, {{1, 0.01}, {1, 0.01}}};
    const Gain gain = gain_of(tried, base);
    EXPECT_NEAR(gain.mean, 10, 1e-9);
    EXPECT_NEAR(gain.error, 0, 1e-9);
    EXPECT_NEAR(gain.min, 10, 1e-9);
}

// The first tensor gains with all inputs as one, and loses 10 dB on the last two; the second gains.
TEST(Judge, KnowsWhatATensorLosesOnSomeInputs) {
    const Distances base{{{1, 1}, {1, 0.01}, {1, 0.01}}, {{1, 0.1}, {1, 0.1}, {1, 0.1}}};
    const Distances tried{{{1, 0.1}, {1, 0.1}, {1, 0.1}}, {{1, 0.01}, {1, 0.01}, {1, 0.01}}};
    EXPECT_GT(gain_of(tried, base).min, 0);
    EXPECT_NEAR(most_lost(tried, base, 1, 3).decibels, 10, 1e-9);
    EXPECT_EQ(most_lost(tried, base, 1, 3).tensor, 0U);
    EXPECT_EQ(most_lost(tried, base, 0, 1).decibels, 0);
}

TEST(Judge, HoldsBackEveryThirdInput) {
    const DataSplit split = split_data(8, 4);
    EXPECT_THAT(split.learn, ElementsAre(0, 1, 3, 4));
    EXPECT_THAT(split.judge, ElementsAre(2, 5));
}

}  // namespace
}  // namespace fuseq::quantizer
