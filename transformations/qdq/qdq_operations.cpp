// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ops/concat.hpp"
#include "ops/pooling.hpp"
#include "ops/quantized/quantized_attributes.hpp"
#include "ops/reduce.hpp"
#include "ops/softmax.hpp"
#include "transformations/qdq/qdq_group.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace {

// An operation on the sources; `set` gives it what it has beside grids.
template <class Attrs, class Set>
QdqMatch fuse(
    Node& node, const char* type, const QdqGrid& dst, std::size_t sources, const Set& set) {
    Attrs attrs;
    std::vector<Output> inputs;
    for (std::size_t i = 0; i < sources; ++i) {
        const auto value = moved_qdq_value(node.input(i));
        if (std::string reason = qdq_source_refusal(value, dst); !reason.empty()) {
            return {nullptr, std::move(reason)};
        }
        inputs.push_back(value->integers);
        attrs.input_scales.push_back(value->grid.scale());
        attrs.input_zero_points.push_back(value->grid.zero_point());
    }
    attrs.method = QuantizeMethod::kOnnxFused;
    attrs.output_scale = dst.scale();
    attrs.output_zero_point = dst.zero_point();
    attrs.output_type = dst.type;
    set(attrs);
    Model& model = node.model();
    return {model.add(type, 1, model.unique_name(node.name() + "/integers"), std::move(inputs),
                      std::move(attrs))};
}

void keep(RequantizeAttrs& /*attrs*/) {}

QdqMatch fuse_average(Node& node, const QdqGrid& dst) {
    return fuse<QuantizedPoolAttrs>(node, "QuantizedAveragePool", dst, 1, [&](auto& attrs) {
        const AverageAttrs& pool = average_attrs(node);
        attrs.kernel = pool.kernel;
        attrs.strides = pool.strides;
        attrs.dilations = pool.dilations;
        attrs.pads_begin = pool.pads_begin;
        attrs.pads_end = pool.pads_end;
        attrs.auto_pad = pool.auto_pad;
        attrs.rounding_type = pool.rounding_type;
        attrs.exclude_pad = pool.exclude_pad;
    });
}

// ONNX's GlobalAveragePool: over all dimensions of an image but the first two.
QdqMatch fuse_global_average(Node& node, const QdqGrid& dst) {
    const auto known = evaluate_constant(node.input(1));
    const PartialShape& shape = node.input(0).partial_shape();
    std::vector<std::int64_t> axes = known ? to_ints(*known) : std::vector<std::int64_t>();
    std::sort(axes.begin(), axes.end());
    bool image = shape.rank_is_static() && shape.rank() >= 3 && axes.size() + 2 == shape.rank() &&
                 node.attrs<ReduceAttrs>().keep_dims;
    for (std::size_t i = 0; image && i < axes.size(); ++i) {
        image = axes[i] == static_cast<std::int64_t>(i) + 2;
    }
    if (!image) {
        return {nullptr, "ONNX Runtime has no fused kernel of ReduceMean"};
    }
    return fuse<QuantizedMeanAttrs>(node, "QuantizedMean", dst, 1, [&](auto& attrs) {
        attrs.axes = axes;
        attrs.keep_dims = true;
    });
}

// The slope of ONNX's LeakyRelu is an attribute: one plain number here.
QdqMatch fuse_leaky_relu(Node& node, const QdqGrid& dst) {
    const Node& slope = *node.input_node(1);
    if (!slope.is_constant() || slope.constant().get_size() != 1 ||
        slope.port(0).type != ElementType::f32) {
        return {nullptr, "ONNX Runtime has no fused kernel of PRelu"};
    }
    return fuse<QuantizedLeakyReluAttrs>(node, "QuantizedLeakyRelu", dst, 1, [&](auto& attrs) {
        attrs.alpha = slope.constant().template values<float>()[0];
    });
}

}  // namespace

std::string qdq_source_refusal(const std::optional<QdqValue>& value, const QdqGrid& dst) {
    if (!value) {
        return "a source is not quantized";
    }
    if (!value->grid.is_single() || !dst.is_single()) {
        return "a scale an index of a dimension, where one is needed";
    }
    if (!is_8_bit(value->grid.type) || !is_8_bit(dst.type)) {
        return "integers of 16 bits";
    }
    if (value->grid.runtime_type() != dst.runtime_type()) {
        return "its source is " + to_string(value->grid.runtime_type()) + ", its result " +
               to_string(dst.runtime_type());
    }
    return {};
}

QdqMatch fuse_qdq_operation(Node& node, const QdqGrid& dst) {
    if (node.is("Add")) {
        return fuse<RequantizeAttrs>(node, "QuantizedAdd", dst, 2, keep);
    }
    if (node.is("Multiply")) {
        return fuse<RequantizeAttrs>(node, "QuantizedMultiply", dst, 2, keep);
    }
    if (node.is("Concat")) {
        return fuse<QuantizedConcatAttrs>(
            node, "QuantizedConcat", dst, node.input_count(),
            [&](auto& attrs) { attrs.axis = node.attrs<ConcatAttrs>().axis; });
    }
    if (node.is("AvgPool")) {
        return fuse_average(node, dst);
    }
    if (node.is("ReduceMean")) {
        return fuse_global_average(node, dst);
    }
    if (node.is("PReLU")) {
        return fuse_leaky_relu(node, dst);
    }
    if (node.is("Sigmoid")) {
        return fuse<QuantizedTableAttrs>(node, "QuantizedTable", dst, 1, [](auto& attrs) {
            attrs.function = QuantizedFunction::kSigmoid;
        });
    }
    if (node.is("SoftMax")) {
        return fuse<QuantizedSoftmaxAttrs>(node, "QuantizedSoftmax", dst, 1, [&](auto& attrs) {
            attrs.axis = node.attrs<SoftmaxAttrs>().axis;
        });
    }
    return {};
}

}  // namespace fuseq
