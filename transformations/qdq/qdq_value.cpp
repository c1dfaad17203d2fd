// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/qdq/qdq_value.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "ops/convert.hpp"
#include "ops/fake_quantize.hpp"
#include "ops/quantized/quantized_attributes.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

// Numbers that broadcast to data of a rank: one, or one an index of a dimension.
struct AxisNumbers {
    std::vector<double> values;
    std::int64_t axis = 0;
};

std::optional<AxisNumbers> axis_numbers(const Output& source, std::size_t rank) {
    const std::optional<Tensor> known = evaluate_constant(source);
    if (!known || known->get_size() == 0) {
        return std::nullopt;
    }
    const Shape& shape = known->get_shape();
    AxisNumbers numbers;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == known->get_size()) {
            numbers.axis =
                static_cast<std::int64_t>(d + rank) - static_cast<std::int64_t>(shape.size());
            break;
        }
        if (shape[d] != 1) {
            return std::nullopt;
        }
    }
    if (known->get_size() == 1) {
        numbers.axis = 0;
    }
    if (numbers.axis < 0) {
        return std::nullopt;
    }
    const std::vector<float> values = to_floats(*known);
    numbers.values.assign(values.begin(), values.end());
    return numbers;
}

// Convert -> [Subtract(zero point)] -> Multiply(scale)
std::optional<QdqValue> spelled_value(const Node& multiply) {
    const Node* before = multiply.input_node(0);
    const Node* subtract = before->is("Subtract") ? before : nullptr;
    const Node* convert = subtract != nullptr ? subtract->input_node(0) : before;
    if (!convert->is("Convert") || multiply.port(0).type != ElementType::f32 ||
        !is_integral(convert->input(0).type()) || !multiply.port(0).shape.rank_is_static()) {
        return std::nullopt;
    }
    const std::size_t rank = convert->input(0).partial_shape().rank();
    if (rank != multiply.port(0).shape.rank()) {
        return std::nullopt;
    }
    const auto scales = axis_numbers(multiply.input(1), rank);
    const auto zeros = subtract != nullptr ? axis_numbers(subtract->input(1), rank)
                                           : std::optional(AxisNumbers{{0.0}, 0});
    if (!scales || !zeros ||
        (zeros->values.size() != 1 &&
         (zeros->values.size() != scales->values.size() || zeros->axis != scales->axis))) {
        return std::nullopt;
    }
    QdqValue value{convert->input(0), {}};
    value.grid.type = convert->input(0).type();
    value.grid.axis = scales->axis;
    value.grid.scales.assign(scales->values.begin(), scales->values.end());
    value.grid.zero_points.clear();
    for (std::size_t i = 0; i < scales->values.size(); ++i) {
        const double zero = zeros->values[zeros->values.size() == 1 ? 0 : i];
        value.grid.zero_points.push_back(static_cast<std::int64_t>(zero));
    }
    return value;
}

template <class Attrs>
QdqGrid grid_of(const Attrs& attrs, ElementType type) {
    QdqGrid grid{attrs.scales, attrs.zero_points, attrs.axis, type, false};
    grid.zero_points.resize(grid.scales.size(),
                            grid.zero_points.size() == 1 ? grid.zero_points[0] : 0);
    return grid;
}

// Limits are products of the scale and integers, rounded to f32.
bool add_limits(QdqGrid& grid, double low, double high, double steps, std::int64_t smallest) {
    const double step = (high - low) / steps;
    const double lowest = low / step;
    const double whole = std::nearbyint(lowest);
    constexpr double kRounding = 0x1p-22;
    if (!(step > 0) || !std::isfinite(step) || whole > 0 || whole < -steps ||
        std::abs(lowest - whole) > steps * kRounding) {
        return false;
    }
    grid.scales.push_back(static_cast<float>(step));
    grid.zero_points.push_back(smallest - static_cast<std::int64_t>(whole));
    return true;
}

std::optional<QdqGrid> limits_grid(const Node& fq) {
    const std::int64_t levels = fq.attrs<FakeQuantizeAttrs>().levels;
    const PartialShape& shape = fq.input(0).partial_shape();
    if ((levels != 256 && levels != 65536) || !shape.rank_is_static() ||
        fq.port(0).shape.rank() != shape.rank() || fq.input(0).type() != ElementType::f32) {
        return std::nullopt;
    }
    const auto low = axis_numbers(fq.input(1), shape.rank());
    const auto high = axis_numbers(fq.input(2), shape.rank());
    const auto out_low = axis_numbers(fq.input(3), shape.rank());
    const auto out_high = axis_numbers(fq.input(4), shape.rank());
    if (!low || !high || !out_low || !out_high || low->values != out_low->values ||
        high->values != out_high->values || low->values.size() != high->values.size() ||
        low->axis != high->axis) {
        return std::nullopt;
    }
    const auto noted = fq.rt_info.find(kQdqType);
    const bool negative = noted != fq.rt_info.end() && noted->second.front() == 'i';
    QdqGrid grid{{}, {}, low->axis, ElementType::u8, false};
    grid.type = levels == 256 ? (negative ? ElementType::i8 : ElementType::u8)
                              : (negative ? ElementType::i16 : ElementType::u16);
    for (std::size_t i = 0; i < low->values.size(); ++i) {
        if (!add_limits(grid, low->values[i], high->values[i], static_cast<double>(levels - 1),
                        negative ? -levels / 2 : 0)) {
            return std::nullopt;
        }
    }
    return grid;
}

}  // namespace

std::optional<QdqValue> qdq_value(const Output& real) {
    const Node& node = *real.node;
    if (node.is("Dequantize")) {
        return QdqValue{node.input(0),
                        grid_of(node.attrs<DequantizeAttrs>(), node.input(0).type())};
    }
    return node.is("Multiply") ? spelled_value(node) : std::nullopt;
}

bool is_qdq_movement(const Node& node) {
    return is_one_of(node, {"Reshape", "Transpose", "Squeeze", "Unsqueeze"});
}

std::optional<QdqValue> moved_qdq_value(const Output& real) {
    std::vector<const Node*> movements;
    Output source = real;
    while (is_qdq_movement(*source.node)) {
        movements.push_back(source.node);
        source = source.node->input(0);
    }
    std::optional<QdqValue> value = qdq_value(source);
    if (!value || (!movements.empty() && !value->grid.is_single())) {
        return std::nullopt;
    }
    value->grid.moved = !movements.empty();
    std::for_each(movements.rbegin(), movements.rend(), [&](const Node* movement) {
        std::vector<Output> inputs = movement->inputs();
        inputs[0] = value->integers;
        value->integers =
            copy_node(*movement, movement->model().unique_name(movement->name() + "/integers"),
                      std::move(inputs))
                ->output(0);
    });
    return value;
}

std::optional<QdqGrid> quantizer_grid(const Node& node) {
    if (node.is("Quantize")) {
        const auto& attrs = node.attrs<QuantizeAttrs>();
        return grid_of(attrs, attrs.output_type);
    }
    return node.is("FakeQuantize") ? limits_grid(node) : std::nullopt;
}

}  // namespace fuseq
