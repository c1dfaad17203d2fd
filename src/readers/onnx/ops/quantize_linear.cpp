// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear. A pair of the first two with the same
// scale and zero point becomes a FakeQuantize.
#include <cmath>

#include "readers/onnx/element_types.hpp"
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/fake_quantize_limits.hpp"
#include "readers/onnx/ops/quantization.hpp"

namespace fuseq::onnx_reader::quantize_linear_operators {
namespace {

using Outputs = std::vector<Output>;

Outputs quantize_linear(Operator& op) {
    const Output x = op.input(0);
    ElementType type = ElementType::u8;
    if (op.attributes.integer("output_dtype", 0) != 0) {
        type = element_type(static_cast<int>(op.attributes.integer("output_dtype", 0)), op.place());
    }
    const Scales scales = read_scales(op, x, 1, type);
    const Output q = x.type() == ElementType::i32
                         ? quantize(op, op.convert(x, ElementType::f32), scales)
                         : quantize(op, x, scales);
    op.graph().note_quantized(q, {.source = x,
                                  .scale = op.input(1),
                                  .zero_point = op.has_input(2) ? op.input(2) : Output{},
                                  .axis = op.attributes.integer("axis", 1)});
    return {q};
}

bool same_constant(const Operator& op, const Output& a, const Output& b) {
    if (a == b) {
        return true;
    }
    const auto left = a ? op.value(a) : std::nullopt;
    const auto right = b ? op.value(b) : std::nullopt;
    return left && right && same_bytes(*left, *right);
}

// f32 values, constant scales and at most 16 bits, and not in blocks.
bool fits_fake_quantize(const Operator& op, const Output& x, const Scales& scales) {
    return x.type() == ElementType::f32 && scales.scale.type() == ElementType::f32 &&
           op.value(scales.scale) && (!scales.zero_point || op.value(scales.zero_point)) &&
           scales.block == 0 && bits_of(scales.type) <= 16;
}

Output fake_quantize(Operator& op, const Output& x, const Scales& scales) {
    const IntegerRange range = integer_range(op, scales.type);
    const std::vector<float> scale = to_floats(*op.value(scales.scale));
    std::vector<std::int64_t> zero(scale.size(), 0);
    if (scales.zero_point) {
        const auto values = to_ints(*op.value(scales.zero_point));
        for (std::size_t i = 0; i < zero.size(); ++i) {
            zero[i] = values[values.size() == 1 ? 0 : i];
        }
    }
    std::vector<float> low(scale.size());
    std::vector<float> high(scale.size());
    for (std::size_t i = 0; i < scale.size(); ++i) {
        const Limits limits =
            fake_quantize_limits(scale[i], range.lowest - zero[i], range.highest - zero[i]);
        low[i] = limits.low;
        high[i] = limits.high;
    }
    const auto tensor = [&](const std::vector<float>& values) {
        return spread(op, scales, op.constant(Tensor::of<float>(Shape{values.size()}, values)), x);
    };
    const Output lowest = tensor(low);
    const Output highest = tensor(high);
    const Output result =
        op.add("FakeQuantize", {x, lowest, highest, lowest, highest}, {{"levels", range.levels()}});
    result.node->rt_info["quantized_type"] = to_string(scales.type);  // for fuse_qdq_groups
    return result;
}

Outputs dequantize_linear(Operator& op) {
    const Output q = op.input(0);
    const Scales scales = read_scales(op, q, 1, q.type());
    op.require(scales.type == q.type(), "x is ", to_string(q.type()), ", the zero point is ",
               to_string(scales.type));
    if (const QuantizedValue* pair = op.graph().quantized(q)) {
        const Output zero = op.has_input(2) ? op.input(2) : Output{};
        const bool same_axis = !scales.axis || pair->axis == op.attributes.integer("axis", 1);
        if (same_axis && same_constant(op, pair->scale, op.input(1)) &&
            same_constant(op, pair->zero_point, zero) &&
            fits_fake_quantize(op, pair->source, scales)) {
            return {fake_quantize(op, pair->source, scales)};
        }
    }
    return {dequantize(op, q, scales)};
}

Outputs dynamic_quantize_linear(Operator& op) {
    const DynamicallyQuantized result = dynamic_quantize(op, op.input(0));
    return {result.values, result.scale, result.zero_point};
}

constexpr std::string_view kMicrosoft = "com.microsoft";
const OperatorRow kRows[] = {
    {.type = "QuantizeLinear",
     .since = 10,
     .translate = quantize_linear,
     .note = "8-bit floats refused"},
    {.type = "DequantizeLinear",
     .since = 10,
     .translate = dequantize_linear,
     .note = "8-bit floats refused"},
    {.type = "DynamicQuantizeLinear", .since = 11, .translate = dynamic_quantize_linear},
    {.type = "QuantizeLinear", .since = 1, .translate = quantize_linear, .domain = kMicrosoft},
    {.type = "DequantizeLinear", .since = 1, .translate = dequantize_linear, .domain = kMicrosoft},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::quantize_linear_operators
