// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/moments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/core.hpp"

namespace fuseq::quantizer {
namespace {

using testing::ElementsAre;

CalibrationInputs always(const Tensor& tensor) {
    return [tensor](std::size_t) { return std::vector{tensor}; };
}

MomentsOfLayers collect(const Model& model, const Tensor& input) {
    return collect_moments(model, {model.find("layer")}, "REFERENCE", {0}, always(input));
}

// Windows of 1, 2, 3 with a zero on either side: (0 1 2), (1 2 3), (2 3 0).
TEST(Moments, OfAConvolutionWithPadding) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,1,1,3]
        %w = Const value=random(1) : f32[2,1,1,3]
        %layer = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,1] pads_end=[0,1]
        %r = Result(%layer))");
    const auto moments = collect(*model, Tensor::of<float>({1, 1, 1, 3}, {1, 2, 3})).at("layer");
    ASSERT_EQ(moments.size(), 1U);
    EXPECT_EQ(moments[0].count, 3);
    EXPECT_THAT(moments[0].sums, ElementsAre(3, 6, 5));
    EXPECT_THAT(moments[0].squares, ElementsAre(5, 8, 3, 8, 14, 8, 3, 8, 13));
    EXPECT_DOUBLE_EQ(moments[0].second(0, 1), 8.0 / 3);
}

TEST(Moments, OfGroupsAndStrides) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,1,4]
        %w = Const value=random(1) : f32[2,1,1,1,2]
        %layer = GroupConvolution(%x, %w) strides=[1,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r = Result(%layer))");
    const auto moments =
        collect(*model, Tensor::of<float>({1, 2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8})).at("layer");
    ASSERT_EQ(moments.size(), 2U);
    EXPECT_THAT(moments[0].sums, ElementsAre(4, 6));
    EXPECT_THAT(moments[1].sums, ElementsAre(12, 14));
}

TEST(Moments, OfRowsOfAMatrix) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,3]
        %w = Const value=random(1) : f32[3,4]
        %layer = MatMul(%x, %w) transpose_a=false transpose_b=false
        %r = Result(%layer))");
    const auto moments =
        collect(*model, Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6})).at("layer");
    EXPECT_EQ(moments[0].count, 2);
    EXPECT_THAT(moments[0].sums, ElementsAre(5, 7, 9));
    EXPECT_EQ(moments[0].squares[1], 1 * 2 + 4 * 5);
}

// Many taps are multiplied by the device, in blocks of rows.
TEST(Moments, OfManyTaps) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[300,64]
        %w = Const value=random(1) : f32[64,4]
        %layer = MatMul(%x, %w) transpose_a=false transpose_b=false
        %r = Result(%layer))");
    Tensor input(ElementType::f32, {300, 64});
    double expected = 0;
    for (std::size_t i = 0; i < input.get_size(); ++i) {
        input.data<float>()[i] = static_cast<float>(i % 17) - 8;
    }
    for (std::size_t row = 0; row < 300; ++row) {
        expected += static_cast<double>(input.data<float>()[row * 64 + 5] *
                                        input.data<float>()[row * 64 + 40]);
    }
    const auto moments = collect(*model, input).at("layer");
    EXPECT_EQ(moments[0].count, 300);
    EXPECT_EQ(moments[0].squares[5 * 64 + 40], expected);
}

TEST(Moments, NotOfWhatIsTooLargeOrComputed) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,3000]
        %w = Const value=fill(1) : f32[3000,2]
        %layer = MatMul(%x, %w) transpose_a=false transpose_b=false
        %r = Result(%layer))");
    EXPECT_FALSE(has_moments(*model->find("layer")));
    EXPECT_FALSE(has_moments(*model->find("x")));
}

}  // namespace
}  // namespace fuseq::quantizer
