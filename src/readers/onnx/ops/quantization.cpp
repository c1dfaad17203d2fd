// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/quantization.hpp"

#include <algorithm>
#include <cmath>

namespace fuseq::onnx_reader {
namespace {

// One value a tensor: [] or [1] where the axis has another size (or none).
bool is_single(const PartialShape& shape) {
    return shape.rank_is_static() &&
           (shape.rank() == 0 || (shape.rank() == 1 && shape[0] == Dimension(1)));
}

void check_scale_values(const Operator& op, const Output& scale) {
    const auto known = op.value(scale);
    if (!known) {
        return;
    }
    const std::vector<float> values = to_floats(*known);
    for (std::size_t i = 0; i < values.size(); ++i) {
        op.require(std::isfinite(values[i]) && values[i] > 0, "scale ", i, " is ", values[i],
                   ", expected a finite value above 0");
    }
}

// As x has it, but on the axis one value a block.
void check_blocks(const Operator& op, const Scales& scales, const Output& x) {
    const PartialShape& shape = scales.scale.partial_shape();
    PartialShape expected = x.partial_shape();
    Dimension& size = expected[*scales.axis];
    if (size.is_static()) {
        size = Dimension((size.get_length() + scales.block - 1) / scales.block);
        op.require(shape.compatible(expected), "scale has shape ", to_string(shape), ", expected ",
                   to_string(expected), " for blocks of ", scales.block, " on axis ", *scales.axis);
    }
}

void check_lengths(const Operator& op, const Scales& scales, const Output& x) {
    const PartialShape& shape = scales.scale.partial_shape();
    op.require(!scales.zero_point || scales.zero_point.partial_shape().compatible(shape) ||
                   (is_single(scales.zero_point.partial_shape()) && is_single(shape)),
               "zero point has shape ",
               scales.zero_point ? to_string(scales.zero_point.partial_shape()) : "",
               ", the scale ", to_string(shape));
    if (scales.block != 0) {
        check_blocks(op, scales, x);
        return;
    }
    if (!scales.axis) {
        return;
    }
    op.require(shape.rank() == 1, "scale has shape ", to_string(shape), ", expected one dimension");
    const Dimension& size = x.partial_shape()[*scales.axis];
    op.require(size.compatible(shape[0]), "scale has ", to_string(shape[0]), " values, axis ",
               *scales.axis, " has the size ", to_string(size));
}

bool all_zero(const Operator& op, const Output& value) {
    const auto known = op.known_ints(value);
    return known && std::all_of(known->begin(), known->end(), [](auto v) { return v == 0; });
}

}  // namespace

IntegerRange integer_range(const Operator& op, ElementType type) {
    const bool known = type == ElementType::u8 || type == ElementType::i8 ||
                       type == ElementType::u16 || type == ElementType::i16 ||
                       type == ElementType::u4 || type == ElementType::i4 ||
                       type == ElementType::i32;
    op.require(known, "the integers have type ", to_string(type),
               ", expected u8, i8, u16, i16, u4, i4 or i32");
    const auto bits = static_cast<int>(bits_of(type));
    const std::int64_t half = std::int64_t{1} << (bits - 1);
    const bool negative = type == ElementType::i4 || is_signed(type);
    return negative ? IntegerRange{-half, half - 1} : IntegerRange{0, 2 * half - 1};
}

Scales read_scales(Operator& op, const Output& x, std::size_t scale, ElementType fallback) {
    Scales scales{.scale = op.input(scale), .zero_point = {}, .type = fallback, .axis = {}};
    if (op.has_input(scale + 1)) {
        scales.zero_point = op.input(scale + 1);
        scales.type = scales.zero_point.type();
    }
    (void)integer_range(op, scales.type);
    check_scale_values(op, scales.scale);
    const PartialShape& shape = scales.scale.partial_shape();
    op.require(shape.rank_is_static(), "the rank of the scale is not known");
    scales.block = op.attributes.integer("block_size", 0);
    op.require(scales.block >= 0, "attribute block_size is ", scales.block);
    if (!is_single(shape) || scales.block != 0) {
        scales.axis = op.axis(op.attributes.integer("axis", 1), op.rank(x));
    }
    check_lengths(op, scales, x);
    if (scales.zero_point && all_zero(op, scales.zero_point)) {
        scales.zero_point = {};
    }
    return scales;
}

Output spread(Operator& op, const Scales& scales, const Output& value, const Output& x) {
    if (!scales.axis) {
        return op.rank(value) == 0 ? value : op.reshape(value, {});
    }
    const std::size_t rank = op.rank(x);
    if (scales.block == 0) {
        std::vector<std::int64_t> sizes(rank, 1);
        sizes[*scales.axis] = -1;
        return op.reshape(value, sizes);
    }
    // Each value for block_size elements of the axis, of which the last block may have fewer.
    const Dimension& size = x.partial_shape()[*scales.axis];
    op.require(size.is_static(), "the size of axis ", *scales.axis, " must be known for blocks");
    std::vector<std::int64_t> from(static_cast<std::size_t>(size.get_length()));
    for (std::size_t i = 0; i < from.size(); ++i) {
        from[i] = static_cast<std::int64_t>(i) / scales.block;
    }
    return op.add("Gather", {value, op.int_list(from),
                             op.int_scalar(static_cast<std::int64_t>(*scales.axis))});
}

namespace {

// The operation of the set "fuseq", where scales and zero points are constants it takes: null where
// not.
Output quantize_operation(Operator& op, const Output& x, const Scales& scales) {
    const auto scale = op.value(scales.scale);
    const auto zero = scales.zero_point ? op.known_ints(scales.zero_point)
                                        : std::optional(std::vector<std::int64_t>());
    const bool grid = scales.type == ElementType::u8 || scales.type == ElementType::i8 ||
                      scales.type == ElementType::u16 || scales.type == ElementType::i16;
    if (x.type() != ElementType::f32 || !scale || scale->get_element_type() != ElementType::f32 ||
        !zero || !grid || scales.block != 0 || scale->get_size() == 0) {
        return {};
    }
    ModelAttributes attributes{{"method", "ONNX"},
                               {"scales", to_floats(*scale)},
                               {"zero_points", *zero},
                               {"output_type", scales.type}};
    if (scales.axis) {
        attributes.push_back({"axis", static_cast<std::int64_t>(*scales.axis)});
    }
    return op.add("Quantize", {x}, attributes);
}

}  // namespace

Output quantize(Operator& op, const Output& x, const Scales& scales) {
    if (const Output result = quantize_operation(op, x, scales)) {
        return result;
    }
    const Output real = op.convert(x, ElementType::f32);
    const Output scale = op.convert(scales.scale, ElementType::f32);
    Output y = op.add("Divide", {real, spread(op, scales, scale, x)});
    y = op.add("Round", {y}, {{"mode", std::string("half_to_even")}});
    if (scales.zero_point) {
        const Output zero = op.convert(scales.zero_point, ElementType::f32);
        y = op.add("Add", {y, spread(op, scales, zero, x)});
    }
    return saturate(op, y, scales.type);
}

Output saturate(Operator& op, const Output& value, ElementType type) {
    const IntegerRange range = integer_range(op, type);
    const Output bounded = op.add(
        "Clamp", {value},
        {{"min", static_cast<float>(range.lowest)}, {"max", static_cast<float>(range.highest)}});
    return op.add("Convert", {bounded}, {{"destination_type", type}});
}

namespace {

// Whether the axis is a whole number of blocks, in a tensor of known shape.
bool has_whole_blocks(const Scales& scales, const Output& x) {
    return scales.block != 0 && x.partial_shape().is_static() &&
           scales.scale.partial_shape().is_static() &&
           x.shape()[*scales.axis] % static_cast<std::size_t>(scales.block) == 0;
}

std::vector<std::int64_t> sizes_of(const Shape& shape) {
    return {shape.begin(), shape.end()};
}

// The axis becomes [blocks, block], so that a scale is one of a block: compressed weights are
// recognised by that.
Output dequantize_blocks(Operator& op, const Output& q, const Scales& scales) {
    const ElementType type = scales.scale.type();
    const auto axis = static_cast<std::ptrdiff_t>(*scales.axis);
    std::vector<std::int64_t> codes = sizes_of(q.shape());
    codes[*scales.axis] /= scales.block;
    codes.insert(codes.begin() + axis + 1, scales.block);
    std::vector<std::int64_t> table = sizes_of(scales.scale.shape());
    table.insert(table.begin() + axis + 1, 1);
    Output y = op.add("Convert", {op.reshape(q, codes)}, {{"destination_type", type}});
    if (scales.zero_point) {
        y = op.add("Subtract", {y, op.convert(op.reshape(scales.zero_point, table), type)});
    }
    y = op.add("Multiply", {y, op.reshape(scales.scale, table)});
    return op.reshape(y, sizes_of(q.shape()));
}

}  // namespace

Output dequantize(Operator& op, const Output& q, const Scales& scales) {
    if (has_whole_blocks(scales, q)) {
        return dequantize_blocks(op, q, scales);
    }
    const ElementType type = scales.scale.type();
    Output y = op.add("Convert", {q}, {{"destination_type", type}});
    if (scales.zero_point) {
        const Output zero = op.convert(scales.zero_point, type);
        y = op.add("Subtract", {y, spread(op, scales, zero, q)});
    }
    return op.add("Multiply", {y, spread(op, scales, scales.scale, q)});
}

DynamicallyQuantized dynamic_quantize(Operator& op, const Output& x) {
    fuseq::Node* made = op.node("DynamicQuantize", {x}, ModelAttributes{});
    return {made->output(0), made->output(1), made->output(2)};
}

}  // namespace fuseq::onnx_reader
