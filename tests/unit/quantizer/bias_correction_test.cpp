// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/bias_correction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "ops/op_spec.hpp"

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;

std::shared_ptr<Model> convolution(const std::string& attributes) {
    return Model::from_text(R"(
        %x = Parameter : f32[1,2,4,4]
        %w = Const value=fill(0) : f32[2,2,3,3]
        %conv = Convolution(%x, %w) strides=[1,1] dilations=[1,1] )" +
                            attributes + "\n%r = Result(%conv)");
}

Tensor filled(const Shape& shape, float value) {
    return Tensor::of(shape, std::vector<float>(shape_size(shape), value));
}

// Without padding every tap counts: 9 taps of 0.5 times the means 1 and 3.
TEST(MeanErrors, SumTapsTimesMeans) {
    const auto model = convolution("pads_begin=[0,0] pads_end=[0,0]");
    const Shape shape{2, 2, 3, 3};
    const ChannelOrder order = channel_order(*model->find("conv"), shape);
    EXPECT_THAT(
        mean_errors(*model->find("conv"), order, filled(shape, 1), filled(shape, 1.5f), {1, 3}),
        ElementsAre(9 * 0.5 * 4, 9 * 0.5 * 4));
}

// Of four positions in each dimension, the outer taps meet padding at one: (3 + 4 + 3) / 4 taps.
TEST(MeanErrors, LeaveOutPadding) {
    const auto model = convolution("pads_begin=[1,1] pads_end=[1,1]");
    const Shape shape{2, 2, 3, 3};
    const ChannelOrder order = channel_order(*model->find("conv"), shape);
    EXPECT_THAT(
        mean_errors(*model->find("conv"), order, filled(shape, 0), filled(shape, 1), {1, 0}),
        ElementsAre(2.5 * 2.5, 2.5 * 2.5));
}

// A source of one value a channel makes the sum exact: compared with the convolution itself.
TEST(MeanErrors, AreThoseOfAGroupConvolution) {
    const auto model = Model::from_text(R"(
        %x = Parameter : f32[1,4,5,6]
        %w = Const value=random(5) : f32[2,3,2,3,3]
        %conv = GroupConvolution(%x, %w) strides=[2,1] dilations=[1,2] pads_begin=[1,2] pads_end=[0,1]
        %r = Result(%conv))");
    const Node& conv = *model->find("conv");
    const std::vector<double> means{1, -2, 0.5, 3};
    Tensor source(ElementType::f32, {1, 4, 5, 6});
    for (std::size_t i = 0; i < source.get_size(); ++i) {
        source.data<float>()[i] = static_cast<float>(means[i / 30]);
    }
    const Tensor& weights = conv.input_node(1)->constant();
    const std::vector<double> errors = mean_errors(conv, channel_order(conv, weights.get_shape()),
                                                   filled(weights.get_shape(), 0), weights, means);
    const Tensor inputs[] = {source, weights};
    const std::vector<float> result = to_floats(evaluate_node(conv, inputs)[0]);
    const std::size_t plane = result.size() / 6;
    for (std::size_t c = 0; c < 6; ++c) {
        const double mean =
            std::accumulate(result.begin() + static_cast<long>(c * plane),
                            result.begin() + static_cast<long>((c + 1) * plane), 0.0) /
            static_cast<double>(plane);
        EXPECT_NEAR(errors[c], mean, 1e-4);
    }
}

}  // namespace
}  // namespace fuseq::quantizer
