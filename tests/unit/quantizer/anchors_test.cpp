// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers of weights in unusual places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/quantizer.hpp"
#include "support/small_model.hpp"

namespace fuseq {
namespace {

QuantizedModel quantized(const std::string& text, const Shape& shape) {
    Quantizer quantizer(Model::from_text(text));
    const auto input = [&](std::size_t i) {
        std::vector<float> values(shape_size(shape));
        for (std::size_t k = 0; k < values.size(); ++k) {
            values[k] = static_cast<float>((k * 7 + i) % 11) - 5;
        }
        return std::vector<Tensor>{Tensor::of(shape, values)};
    };
    quantizer.profile(3, input);
    return quantizer.quantize();
}

// The Concat stays in float, and the convolution has a range of its own.
TEST(Anchors, AfterAConcatWithAConstantPart) {
    const QuantizedModel result = quantized(R"(
        %x = Parameter : f32[1,2,3,3]
        %part = Const value=fill(0.5) : f32[1,1,3,3]
        %join = Concat(%x, %part) axis=1
        %w = Const value=random(1) : f32[4,3,1,1]
        %c = Convolution(%join, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r = Result(%c))",
                                            {1, 2, 3, 3});
    ASSERT_EQ(result.layers.size(), 1U);
    EXPECT_TRUE(result.layers[0].quantized);
    EXPECT_FLOAT_EQ(result.layers[0].input_scale, 10.0f / 255);
}

// A vector has one scale and no output channels.
TEST(Anchors, WithAVectorOfWeights) {
    for (const char* source : {"f32[2,4]", "f32[4]"}) {
        const std::string text = std::string("%x = Parameter : ") + source + R"(
            %w = Const value={1,-2,3,127} : f32[4]
            %n = MatMul(%x, %w) transpose_a=false transpose_b=false
            %r = Result(%n))";
        const Shape shape = source[5] == ',' ? Shape{2, 4} : Shape{4};
        const QuantizedModel result = quantized(text, shape);
        ASSERT_EQ(result.layers.size(), 1U) << source;
        EXPECT_TRUE(result.layers[0].quantized) << source;
        EXPECT_EQ(result.layers[0].min_weight_scale, 1) << source;
        EXPECT_EQ(result.layers[0].max_weight_scale, 1) << source;
        EXPECT_EQ(result.model->outputs()[0].partial_shape().rank(), shape.size() - 1) << source;
    }
}

}  // namespace
}  // namespace fuseq
