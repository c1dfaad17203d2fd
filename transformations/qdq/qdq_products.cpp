// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/convolution.hpp"
#include "ops/matmul.hpp"
#include "ops/quantized/quantized_attributes.hpp"
#include "transformations/qdq/qdq_group.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace {

// Weights of a product: one scale, or one a channel of dimension `axis`.
std::string weights_refusal(const std::optional<QdqValue>& weights,
                            const QdqValue& src,
                            std::int64_t axis) {
    if (!weights) {
        return "the weights are not quantized";
    }
    if (!is_8_bit(weights->grid.type)) {
        return "the weights are " + to_string(weights->grid.type);
    }
    if (src.grid.runtime_type() == ElementType::i8 && weights->grid.type != ElementType::i8) {
        return "the source is i8, the weights u8";
    }
    if (!weights->grid.is_single() && weights->grid.axis != axis) {
        return "the weights have their scales along dimension " +
               std::to_string(weights->grid.axis) + ", not " + std::to_string(axis);
    }
    return {};
}

void set_grids(WeightAttrs& attrs,
               const QdqValue& src,
               const QdqValue& weights,
               const QdqGrid& dst) {
    attrs.method = QuantizeMethod::kOnnxFused;
    attrs.input_scales = {src.grid.scale()};
    attrs.input_zero_points = {src.grid.zero_point()};
    attrs.output_scale = dst.scale();
    attrs.output_zero_point = dst.zero_point();
    attrs.output_type = dst.type;
    attrs.weight_scales = weights.grid.scales;
    attrs.weight_zero_points = weights.grid.zero_points;
}

// The integers of a bias that is quantized, without looking at its scale; else its real values in
// the scale of the product, as ONNX Runtime quantizes it.
std::optional<std::vector<std::int32_t>> bias_integers(const Output& bias,
                                                       const WeightAttrs& attrs,
                                                       std::size_t channels) {
    Output source = bias;
    while (is_qdq_movement(*source.node)) {
        source = source.node->input(0);
    }
    if (const auto value = qdq_value(source); value && value->grid.type == ElementType::i32) {
        const auto known = evaluate_constant(value->integers);
        const auto& zeros = value->grid.zero_points;
        if (!known || known->get_size() != channels ||
            std::any_of(zeros.begin(), zeros.end(), [](auto zero) { return zero != 0; })) {
            return std::nullopt;
        }
        const auto integers = known->values<std::int32_t>();
        return std::vector<std::int32_t>(integers.begin(), integers.end());
    }
    const auto known = evaluate_constant(bias);
    if (!known || known->get_size() != channels || known->get_element_type() != ElementType::f32) {
        return std::nullopt;
    }
    std::vector<std::int32_t> integers;
    for (std::size_t c = 0; c < channels; ++c) {
        const float scale =
            attrs.input_scales[0] * attrs.weight_scales[attrs.weight_scales.size() > 1 ? c : 0];
        const double steps = std::rint(known->values<float>()[c] / scale);
        integers.push_back(static_cast<std::int32_t>(
            std::clamp<double>(steps, std::numeric_limits<std::int32_t>::min(),
                               std::numeric_limits<std::int32_t>::max())));
    }
    return integers;
}

// The bias of a product and the inputs of the fused operation; the reason where it has none.
std::string add_bias(std::vector<Output>& inputs,
                     const Node& last,
                     const Node& product,
                     const WeightAttrs& attrs,
                     std::size_t channels) {
    if (&last == &product) {
        return {};
    }
    const bool first = last.input_node(0) == &product;
    const auto integers = bias_integers(last.input(first ? 1 : 0), attrs, channels);
    if (!integers) {
        return "its bias is no constant, one number a channel, that is real or quantized with "
               "zero point 0";
    }
    Model& model = last.model();
    inputs.push_back(make_constant(model, last.name() + "/bias",
                                   Tensor::of<std::int32_t>(Shape{channels}, *integers)));
    return {};
}

}  // namespace

QdqMatch fuse_qdq_convolution(Node& last, Node& convolution, const QdqGrid& dst) {
    const bool grouped = convolution.is("GroupConvolution");
    const auto src = moved_qdq_value(convolution.input(0));
    if (std::string reason = qdq_source_refusal(src, dst); !reason.empty()) {
        return {nullptr, std::move(reason)};
    }
    Output stored = convolution.input(1);
    if (grouped && stored.node->is("Reshape")) {
        stored = stored.node->input(0);
    }
    auto weights = qdq_value(stored);
    if (std::string reason = weights_refusal(weights, *src, 0); !reason.empty()) {
        return {nullptr, std::move(reason)};
    }
    const PartialShape& shape = weights->integers.partial_shape();
    const std::size_t rank = convolution.port(0).shape.rank();
    if (!shape.is_static() || shape.rank() != rank) {
        return {nullptr, "the shape of the weights is " + to_string(shape)};
    }
    const Shape sizes = shape.to_shape();
    QuantizedConvolutionAttrs attrs;
    set_grids(attrs, *src, *weights, dst);
    const auto& windows = convolution.attrs<ConvolutionAttrs>();
    attrs.strides = windows.strides;
    attrs.dilations = windows.dilations;
    attrs.pads_begin = windows.pads_begin;
    attrs.pads_end = windows.pads_end;
    attrs.auto_pad = windows.auto_pad;
    attrs.groups = grouped ? convolution.input(1).partial_shape()[0].get_length() : 1;
    attrs.depthwise = grouped && sizes[1] == 1;
    std::vector<Output> inputs{src->integers, weights->integers};
    if (std::string reason = add_bias(inputs, last, convolution, attrs, sizes[0]);
        !reason.empty()) {
        return {nullptr, std::move(reason)};
    }
    Model& model = last.model();
    return {model.add("QuantizedConvolution", 1, model.unique_name(last.name() + "/integers"),
                      std::move(inputs), std::move(attrs))};
}

QdqMatch fuse_qdq_matmul(Node& last, Node& matmul, QdqGrid dst) {
    const auto& product = matmul.attrs<MatMulAttrs>();
    auto a = moved_qdq_value(matmul.input(0));
    if (a && &last != &matmul && matmul.port(0).shape.rank_is_static() &&
        matmul.port(0).shape.rank() > 2) {
        // A Gemm between two Reshapes there.
        a->grid.moved = true;
        dst.moved = true;
    }
    if (std::string reason = qdq_source_refusal(a, dst); !reason.empty()) {
        return {nullptr, std::move(reason)};
    }
    auto b = qdq_value(matmul.input(1));
    b = b ? b : moved_qdq_value(matmul.input(1));
    const PartialShape& shape = matmul.input(1).partial_shape();
    if (!shape.rank_is_static() || shape.rank() < 2 || !matmul.port(0).shape.rank_is_static() ||
        matmul.input(0).partial_shape().rank() < 2) {
        return {nullptr, "an operand is a vector"};
    }
    const std::size_t columns = shape.rank() - (product.transpose_b ? 2 : 1);
    if (std::string reason = weights_refusal(b, *a, static_cast<std::int64_t>(columns));
        !reason.empty()) {
        return {nullptr, std::move(reason)};
    }
    if (!shape[columns].is_static()) {
        return {nullptr, "the number of columns is not known"};
    }
    QuantizedMatMulAttrs attrs;
    set_grids(attrs, *a, *b, dst);
    attrs.transpose_a = product.transpose_a;
    attrs.transpose_b = product.transpose_b;
    std::vector<Output> inputs{a->integers, b->integers};
    if (std::string reason = add_bias(inputs, last, matmul, attrs,
                                      static_cast<std::size_t>(shape[columns].get_length()));
        !reason.empty()) {
        return {nullptr, std::move(reason)};
    }
    Model& model = last.model();
    return {model.add("QuantizedMatMul", 1, model.unique_name(last.name() + "/integers"),
                      std::move(inputs), std::move(attrs))};
}

}  // namespace fuseq
