// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Between real values and grids, and what keeps the range of a quantized tensor.
#include <algorithm>

#include "ops/quantized/quantized_attributes.hpp"
#include "readers/mxnet/operator_table.hpp"

namespace fuseq::mxnet_reader::quantization_operators {
namespace {

using Outputs = std::vector<Output>;
using Range = Operator::Range;

ElementType type_of(const Operator& op, const char* otherwise, double min) {
    const std::string text = op.attributes.text("out_type", otherwise);
    op.require(text == "int8" || text == "uint8" || text == "auto", "out_type is ", text,
               ", expected int8, uint8 or auto");
    return text == "uint8" || (text == "auto" && min >= 0) ? ElementType::u8 : ElementType::i8;
}

// MXNet gives a range of i8 as [-m, m].
Range stated_range(ElementType type, const Range& range) {
    if (type == ElementType::u8) {
        return range;
    }
    const double magnitude = std::max(std::abs(range.min), std::abs(range.max));
    return {-magnitude, magnitude};
}

Outputs quantized(Operator& op, ElementType type, const Range& range) {
    op.require(op.input(0).type() == ElementType::f32, "the source is ",
               to_string(op.input(0).type()), ", expected f32");
    const Grid grid = op.grid_of_range(type, range.min, range.max);
    const Output result = op.add("Quantize", {op.input(0)},
                                 {{"method", kMethod},
                                  {"scales", std::vector<float>{grid.scale}},
                                  {"zero_points", std::vector<std::int64_t>{grid.zero_point}},
                                  {"output_type", type}});
    return op.with_range(result, stated_range(type, range));
}

// The range comes in.
Outputs quantize(Operator& op) {
    op.require_inputs(3);
    const Range range = op.range(1, 2);
    return quantized(op, type_of(op, "uint8", range.min), range);
}

// The range is calibrated. Integers pass.
Outputs quantize_v2(Operator& op) {
    op.require_inputs(1);
    const ElementType source = op.input(0).type();
    const auto range = op.calibrated();
    if (source == ElementType::u8 || source == ElementType::i8) {
        const Range whole = source == ElementType::u8 ? Range{0, 255} : Range{-127, 127};
        return op.with_range(op.input(0), range.value_or(whole));
    }
    op.require(range.has_value(),
               "has no min_calib_range and max_calib_range: ranges that are found at run time are "
               "not supported");
    return quantized(op, type_of(op, "int8", range->min), *range);
}

Outputs dequantize(Operator& op) {
    op.require_inputs(3);
    const Grid grid = op.grid(0, 1, 2);
    return {op.add("Dequantize", {op.input(0)},
                   {{"scales", std::vector<float>{grid.scale}},
                    {"zero_points", std::vector<std::int64_t>{grid.zero_point}}})};
}

// Sums of a product that are rounded here: the product with the rounding in it. Null where the source is
// none.
fuseq::Node* rounded_product(Operator& op, const Grid& result, ElementType type) {
    fuseq::Node* source = op.input(0).node;
    if (!source->is("QuantizedConvolution") && !source->is("QuantizedMatMul")) {
        return nullptr;
    }
    std::unique_ptr<Attributes> attributes = source->attributes().clone();
    auto* grids = dynamic_cast<QuantizedAttrs*>(attributes.get());
    if (grids == nullptr || grids->output_type != ElementType::i32) {
        return nullptr;
    }
    grids->output_scale = result.scale;
    grids->output_zero_point = result.zero_point;
    grids->output_type = type;
    std::vector<Output> inputs;
    for (std::size_t i = 0; i < source->input_count(); ++i) {
        inputs.push_back(source->input(i));
    }
    return op.node(source->type(), std::move(inputs), std::move(attributes));
}

Outputs requantize(Operator& op) {
    op.require_inputs(3);
    op.require(op.input(0).type() == ElementType::i32, "the source is ",
               to_string(op.input(0).type()), ", expected i32");
    const auto range = op.calibrated();
    op.require(range.has_value(),
               "has no min_calib_range and max_calib_range: ranges that are found at run time are "
               "not supported");
    const ElementType type = type_of(op, "int8", range->min);
    const Grid source = op.grid(0, 1, 2);
    const Grid result = op.grid_of_range(type, range->min, range->max);
    fuseq::Node* product = rounded_product(op, result, type);
    const Output made = product != nullptr
                            ? product->output()
                            : op.add("Requantize", {op.input(0)}, grids({source}, result, type));
    return op.with_range(made, stated_range(type, *range));
}

Outputs activation(Operator& op) {
    op.require_inputs(3);
    const std::string type = op.attributes.text("act_type", "");
    op.require(type == "relu", "act_type is ", type, ", expected relu");
    const Grid grid = op.grid(0, 1, 2);
    ModelAttributes attributes = grids({grid}, grid, op.input(0).type());
    attributes.push_back({"clamp_min", grid.zero_point});
    return {op.add("Requantize", {op.input(0)}, attributes), op.input(1), op.input(2)};
}

Outputs flatten(Operator& op) {
    op.require_inputs(3);
    return {op.reshape(op.input(0), {0, -1}), op.input(1), op.input(2)};
}

// On the largest of the ranges; of i8 where one of them is.
Outputs concat(Operator& op) {
    const auto count = static_cast<std::size_t>(op.attributes.integer("num_args", 0));
    op.require(count >= 1 && count < op.input_count(), "num_args is ", count, ", it has ",
               op.input_count(), " inputs");
    op.require_inputs(3 * count);
    std::vector<Grid> sources;
    Range whole;
    ElementType type = ElementType::u8;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = count + 2 * i;
        sources.push_back(op.grid(i, at, at + 1));
        const Range one = op.range(at, at + 1);
        whole = {std::min(whole.min, one.min), std::max(whole.max, one.max)};
        type = op.input(i).type() == ElementType::i8 ? ElementType::i8 : type;
    }
    ModelAttributes attributes = grids(sources, op.grid_of_range(type, whole.min, whole.max), type);
    attributes.push_back({"axis", op.attributes.integer("dim", 1)});
    const auto end = op.inputs().begin() + static_cast<std::ptrdiff_t>(count);
    return op.with_range(op.add("QuantizedConcat", {op.inputs().begin(), end}, attributes), whole);
}

Outputs sum(Operator& op) {
    op.require_inputs(6);
    const auto range = op.calibrated();
    op.require(range.has_value(),
               "has no min_calib_range and max_calib_range: sums of 32 bits are not supported");
    const Grid a = op.grid(0, 2, 3);
    const Grid b = op.grid(1, 4, 5);
    const bool same = op.input(0).type() == op.input(1).type();
    const ElementType type = same ? op.input(0).type() : ElementType::i8;
    const Grid result = op.grid_of_range(type, range->min, range->max);
    return op.with_range(
        op.add("QuantizedAdd", {op.input(0), op.input(1)}, grids({a, b}, result, type)),
        stated_range(type, *range));
}

const OperatorRow kRows[] = {
    {"_contrib_dequantize", dequantize},
    {"_contrib_quantize", quantize, "constant ranges"},
    {"_contrib_quantize_v2", quantize_v2, "calibrated ranges"},
    {"_contrib_quantized_act", activation, "relu"},
    {"_contrib_quantized_concat", concat},
    {"_contrib_quantized_elemwise_add", sum, "calibrated ranges"},
    {"_contrib_quantized_flatten", flatten},
    {"_contrib_requantize", requantize,
     "calibrated ranges; after a product it becomes the product's rounding"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::mxnet_reader::quantization_operators
