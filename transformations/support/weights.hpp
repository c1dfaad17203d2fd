// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights of convolutions and matmuls as IR files spell them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// u8 or i8.
bool is_8_bit(ElementType type);

// The chain that ends at a weights input. Only followed along data inputs; scales and limits
// hang off it.
struct WeightChain {
    Output stored;                 // the Const, or the constant expression, that holds the numbers
    std::vector<Node*> quantizer;  // {FakeQuantize}, or {Convert, [Subtract], [Multiply]}
    std::vector<Node*> layout;  // Reshape, Transpose, ... between quantizer and consumer, in order
};

// The chain at input 1 of a Convolution, ..., MatMul where it is quantized: an FQ of constants, or
// Convert of an 8-bit Const to f32, which Subtract and Multiply may follow.
std::optional<WeightChain> match_weight_chain(const Node& consumer);

// What normalize_weights leaves: Const i8 -> Convert -> [Subtract(zero point)] -> Multiply(scale)
// at input 1.
struct NormalizedWeights {
    Output values;                     // the Const i8
    std::vector<float> scale;          // one value, or one an output channel
    std::vector<float> zero_point;     // as the scale; empty for zero
    std::vector<std::string> origins;  // IR layers of the chain
};
std::optional<NormalizedWeights> match_normalized_weights(const Node& consumer);

// Reshape, Transpose, Squeeze, Unsqueeze with a constant second input.
bool is_layout_only(const Node& node);

// Dimensions of weights of shape `wei` that number output channels: {0} for Convolution, {0, 1} for
// GroupConvolution, {1} and {0, 2} for their BackpropData, the columns for MatMul (none for a
// MatMul by a vector).
std::vector<std::size_t> output_channel_dims(const Node& consumer, const Shape& wei);

// Where the elements of an output channel are in row-major weights: element
// ((g * depth + d) * channels + c) * inner + i belongs to channel g * channels + c.
struct ChannelOrder {
    std::size_t groups = 1;
    std::size_t depth = 1;
    std::size_t channels = 1;  // of a group
    std::size_t inner = 1;

    std::size_t count() const { return groups * channels; }
    std::size_t taps() const { return depth * inner; }  // weights of one channel
    // function(channel, first element, number of elements) for runs of one channel, in the order of
    // memory.
    template <class Function>
    void for_each_run(const Function& function) const {
        std::size_t at = 0;
        for (std::size_t g = 0; g < groups; ++g) {
            for (std::size_t d = 0; d < depth; ++d) {
                for (std::size_t c = 0; c < channels; ++c, at += inner) {
                    function(g * channels + c, at, inner);
                }
            }
        }
    }
};
ChannelOrder channel_order(const Node& consumer, const Shape& wei);
// Sum of the weights, or of their magnitudes, of each output channel; empty for empty weights.
std::vector<double> channel_sums(const ChannelOrder& order, const Tensor& weights, bool magnitudes);

}  // namespace fuseq
