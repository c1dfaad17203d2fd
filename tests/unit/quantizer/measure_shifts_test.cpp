// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/measure_shifts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "quantizer/lowering.hpp"
#include "quantizer/profiler.hpp"

namespace fuseq::quantizer {
namespace {

using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

constexpr std::size_t kInputs = 16;

// %side and %b do not depend on each other; %side has no bias of its own.
std::shared_ptr<Model> network() {
    return Model::from_text(R"(
        %x = Parameter : f32[1,3,12,12]
        %wa = Const value=random(1) : f32[8,3,3,3]
        %ca = Convolution(%x, %wa) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %bias = Const value=random(2) : f32[1,8,1,1]
        %a = Add(%ca, %bias)
        %ra = ReLU(%a)
        %wb = Const value=random(3) : f32[8,8,3,3]
        %b = Convolution(%ra, %wb) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %rb = ReLU(%b)
        %ws = Const value=random(4) : f32[4,8,1,1]
        %side = Convolution(%ra, %ws) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r0 = Result(%side)
        %wc = Const value=random(5) : f32[4,8,1,1]
        %c = Convolution(%rb, %wc) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r1 = Result(%c))");
}

std::vector<Tensor> input(std::size_t index) {
    std::mt19937 random(static_cast<unsigned>(index));  // the same data in every run
    std::normal_distribution<float> normal;
    Tensor tensor(ElementType::f32, {1, 3, 12, 12});
    for (float& value : tensor.values<float>()) {
        value = normal(random);
    }
    return {tensor};
}

std::vector<std::size_t> all() {
    std::vector<std::size_t> indices(kInputs);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    return indices;
}

// Ranges that cut off a tenth of the values: means move a lot.
Conversion narrow() {
    Conversion conversion;
    conversion.lowered = lower(*network(), {});
    conversion.options.calibration = Calibration::kPercentile;
    conversion.options.percentile = 90;
    conversion.options.bias_correction = false;
    conversion.profile.histogram_bins = 1024;
    Profiler(*conversion.lowered, "CPU", 1).run(conversion.profile, kInputs, input, {});
    return conversion;
}

// Means of channels of an output, over all inputs.
std::vector<double> means(const Model& model, std::size_t output) {
    std::vector<double> means;
    DataRunner(model, "REFERENCE").run(all(), input, [&](const InferRequest& request) {
        const Tensor tensor = request.get_output_tensor(output);
        const std::vector<float> values = to_floats(tensor);
        means.resize(tensor.get_shape()[1]);
        const std::size_t plane = values.size() / means.size();
        for (std::size_t i = 0; i < values.size(); ++i) {
            means[i / plane] +=
                static_cast<double>(values[i]) / static_cast<double>(plane * kInputs);
        }
    });
    return means;
}

double distance(const Model& a, const Model& b, std::size_t output) {
    const std::vector<double> of_a = means(a, output);
    const std::vector<double> of_b = means(b, output);
    double most = 0;
    for (std::size_t c = 0; c < of_a.size(); ++c) {
        most = std::max(most, std::abs(of_a[c] - of_b[c]));
    }
    return most;
}

TEST(MeasuredShifts, GiveEveryLayerTheMeansOfTheFloatModel) {
    Conversion conversion = narrow();
    const auto exact = conversion.lowered->clone();
    const auto before = convert(conversion).model;
    conversion.shifts = measure_shifts(conversion, all(), input);
    EXPECT_THAT(conversion.shifts,
                UnorderedElementsAre(Key("ca"), Key("b"), Key("side"), Key("c")));
    const auto after = convert(conversion).model;
    for (const std::size_t output : {0, 1}) {
        EXPECT_GT(distance(*exact, *before, output), 0.1) << "nothing to take away";
        EXPECT_LT(distance(*exact, *after, output), 0.05 * distance(*exact, *before, output));
    }
}

// 16 bits round without shifting anything.
TEST(MeasuredShifts, AreNoneWhereNothingIsShifted) {
    Conversion conversion = narrow();
    conversion.options.calibration = Calibration::kNone;
    conversion.options.precision = QuantizationPrecision::kInt16;
    conversion.options.weights_precision = QuantizationPrecision::kInt16;
    for (const auto& [layer, shifts] : measure_shifts(conversion, all(), input)) {
        for (const double shift : shifts) {
            EXPECT_LT(std::abs(shift), 1e-3) << layer;
        }
    }
}

// A bias with more dimensions than the sum; a vector of weights.
TEST(MeasuredShifts, HaveOneValueAChannel) {
    Conversion conversion = narrow();
    conversion.lowered = lower(*Model::from_text(R"(
        %x = Parameter : f32[1,3,12,12]
        %axes = Const value={2,3} : i64[2]
        %mean = ReduceMean(%x, %axes) keep_dims=false
        %w = Const value=random(1) : f32[5,3]
        %fc = MatMul(%mean, %w) transpose_a=false transpose_b=true
        %bias = Const value=random(2) : f32[1,1,5]
        %sum = Add(%fc, %bias)
        %relu = ReLU(%sum)
        %v = Const value=random(3) : f32[5]
        %number = MatMul(%relu, %v) transpose_a=false transpose_b=false
        %r = Result(%number))"),
                               {});
    conversion.profile.tensors.clear();
    conversion.profile.inputs = 0;
    Profiler(*conversion.lowered, "CPU", 1).run(conversion.profile, kInputs, input, {});
    const BiasShifts shifts = measure_shifts(conversion, all(), input);
    EXPECT_THAT(shifts, UnorderedElementsAre(Key("fc")));
    EXPECT_EQ(shifts.at("fc").size(), 5U);
}

TEST(MeasuredShifts, NeedInputs) {
    EXPECT_THAT(measure_shifts(narrow(), {0, 1, 2, 3, 4, 5, 6}, input), IsEmpty());
}

}  // namespace
}  // namespace fuseq::quantizer
