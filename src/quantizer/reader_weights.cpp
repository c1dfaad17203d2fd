// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/reader_weights.hpp"

#include <algorithm>
#include <cmath>

#include "ops/matmul.hpp"
#include "quantizer/layer_kinds.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// function(element, channel, row).
template <class Function>
void for_each_weight(const Node& anchor, const Shape& shape, const Function& function) {
    const std::size_t size = shape_size(shape);
    if (anchor.is("MatMul")) {
        const bool rows_are_outputs = anchor.attrs<MatMulAttrs>().transpose_b;
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t row = i / shape[1];
            const std::size_t column = i % shape[1];
            function(i, rows_are_outputs ? column : row, rows_are_outputs ? row : column);
        }
        return;
    }
    // [G,] O, I, taps...
    const bool grouped = anchor.is("GroupConvolution");
    const std::size_t first = grouped ? 1 : 0;
    const std::size_t inputs = shape[first + 1];
    const std::size_t taps = size / ((grouped ? shape[0] : 1) * shape[first] * inputs);
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t row = i / (taps * inputs);
        function(i, row / shape[first] * inputs + i / taps % inputs, row);
    }
}

}  // namespace

bool has_float_weights(const Node& anchor) {
    return kind_of(anchor) == LayerKind::kAnchor && anchor.input_node(1)->is_constant() &&
           anchor.input(1).type() == ElementType::f32;
}

bool is_plain_matmul(const Node& node) {
    return node.is("MatMul") && !node.attrs<MatMulAttrs>().transpose_a &&
           node.input(1).shape().size() == 2;
}

bool reads_channels(const Node& anchor) {
    return has_float_weights(anchor) &&
           (is_one_of(anchor, {"Convolution", "GroupConvolution"}) || is_plain_matmul(anchor));
}

void raise_weight_shares(const Node& anchor, std::vector<double>& shares) {
    const Tensor weights = anchor.input_node(1)->constant();
    const float* values = weights.data<float>();
    std::vector<double> rows(weights.get_size());
    const auto magnitude = [&](std::size_t i) { return std::abs(static_cast<double>(values[i])); };
    for_each_weight(anchor, weights.get_shape(),
                    [&](std::size_t i, std::size_t /*channel*/, std::size_t row) {
                        rows[row] = std::max(rows[row], magnitude(i));
                    });
    for_each_weight(
        anchor, weights.get_shape(), [&](std::size_t i, std::size_t channel, std::size_t row) {
            if (rows[row] > 0) {
                shares.at(channel) = std::max(shares.at(channel), magnitude(i) / rows[row]);
            }
        });
}

void multiply_weights(Model& model, Node& anchor, const std::vector<float>& factors) {
    Tensor weights = anchor.input_node(1)->constant().to(ElementType::f32);
    float* values = weights.data<float>();
    for_each_weight(anchor, weights.get_shape(),
                    [&](std::size_t i, std::size_t channel, std::size_t /*row*/) {
                        values[i] *= factors.at(channel);
                    });
    const std::string name = anchor.input_node(1)->name() + "/equalized";
    anchor.set_input(1, make_constant(model, name, weights));
}

}  // namespace fuseq::quantizer
