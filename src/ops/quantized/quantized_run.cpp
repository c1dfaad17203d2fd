// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/quantized_run.hpp"

#include <algorithm>
#include <cmath>

#include "model/typed.hpp"

namespace fuseq {

const QuantizedAttrs* quantized_attrs(const Node& node) {
    return dynamic_cast<const QuantizedAttrs*>(&node.attributes());
}

const QuantizeMethod* quantize_method(const Node& node) {
    if (const QuantizedAttrs* attrs = quantized_attrs(node)) {
        return &attrs->method;
    }
    const auto* quantize = dynamic_cast<const QuantizeAttrs*>(&node.attributes());
    return quantize == nullptr ? nullptr : &quantize->method;
}

QuantizeMethod* quantize_method(Node& node) {
    return const_cast<QuantizeMethod*>(quantize_method(static_cast<const Node&>(node)));
}

bool is_grid_type(ElementType type) {
    return type == ElementType::u8 || type == ElementType::i8 || type == ElementType::u16 ||
           type == ElementType::i16;
}

bool is_unit_grid_16(const QuantizedAttrs& attrs) {
    constexpr float kStep = 0x1p-15F;
    constexpr float kTolerance = 1e-3F;
    return attrs.output_type == ElementType::i16 && attrs.output_zero_point == 0 &&
           std::abs(attrs.output_scale - kStep) <= kTolerance * kStep;
}

IntegerLimits integer_limits(ElementType type) {
    switch (type) {
        case ElementType::u8: return {0, 255};
        case ElementType::i8: return {-128, 127};
        case ElementType::u16: return {0, 65535};
        case ElementType::i16: return {-32768, 32767};
        default: return {QuantizedAttrs::kNoMin, QuantizedAttrs::kNoMax};
    }
}

IntegerLimits output_limits(const QuantizedAttrs& attrs) {
    IntegerLimits limits = integer_limits(attrs.output_type);
    limits.lowest = std::clamp(attrs.clamp_min, limits.lowest, limits.highest);
    limits.highest = std::clamp(attrs.clamp_max, limits.lowest, limits.highest);
    return limits;
}

void check_scales(const InferContext& context,
                  const char* name,
                  std::span<const float> scales,
                  std::size_t count) {
    context.require(scales.size() == count || scales.size() == 1, name, " has ", scales.size(),
                    " values, expected ", count == 1 ? "" : "1 or ", count);
    for (const float scale : scales) {
        context.require(std::isfinite(scale) && scale > 0, name, " has the value ", scale,
                        ", expected a positive finite number");
    }
}

void check_zero_point_list(const InferContext& context,
                           const char* name,
                           std::span<const std::int64_t> zero_points,
                           std::size_t count,
                           ElementType type) {
    context.require(zero_points.empty() || zero_points.size() == count || zero_points.size() == 1,
                    name, " has ", zero_points.size(), " values, expected ",
                    count == 1 ? "" : "1 or ", count);
    const IntegerLimits limits = integer_limits(type);
    for (const std::int64_t value : zero_points) {
        context.require(value >= limits.lowest && value <= limits.highest, name, " has the value ",
                        value, ", which ", to_string(type), " does not hold");
    }
}

void check_grids(const InferContext& context, const QuantizedAttrs& attrs, std::size_t inputs) {
    context.require(attrs.input_scales.size() == inputs, "input_scales has ",
                    attrs.input_scales.size(), " values, expected ", inputs);
    context.require(attrs.input_zero_points.empty() || attrs.input_zero_points.size() == inputs,
                    "input_zero_points has ", attrs.input_zero_points.size(), " values, expected ",
                    inputs);
    for (std::size_t i = 0; i < inputs; ++i) {
        const bool sums = context.type(i) == ElementType::i32;
        context.require(is_grid_type(context.type(i)) || sums, "input ", i, " is ",
                        to_string(context.type(i)), ", expected u8, i8, u16, i16 or i32");
        check_scales(context, "input_scales", {&attrs.input_scales[i], 1}, 1);
        if (!attrs.input_zero_points.empty()) {
            check_zero_point_list(context, "input_zero_points", {&attrs.input_zero_points[i], 1}, 1,
                                  context.type(i));
        }
    }
    check_scales(context, "output_scale", {&attrs.output_scale, 1}, 1);
    check_zero_point_list(context, "output_zero_point", {&attrs.output_zero_point, 1}, 1,
                          attrs.output_type);
    context.require(attrs.clamp_min <= attrs.clamp_max, "clamp_min is ", attrs.clamp_min,
                    ", clamp_max ", attrs.clamp_max);
    const RuleChoice* rule = rule_of(context.node());
    context.require(rule == nullptr || rule->rule != RoundingRule::kRefused, "the method ",
                    to_string(attrs.method), " gives no rule for ", context.node().type());
}

RuleChoice required_rule(const EvalContext& context) {
    const RuleChoice* rule = rule_of(context.node());
    context.require(rule != nullptr && rule->rule != RoundingRule::kRefused,
                    "the method gives no rule for ", context.node().type());
    return *rule;
}

std::vector<std::int32_t> integers(const Tensor& tensor) {
    const Tensor converted =
        tensor.get_element_type() == ElementType::i32 ? tensor : tensor.to(ElementType::i32);
    const std::span<const std::int32_t> values = converted.values<std::int32_t>();
    return {values.begin(), values.end()};
}

std::vector<std::int32_t> centered(const Tensor& tensor, std::int64_t zero_point) {
    std::vector<std::int32_t> values = integers(tensor);
    for (std::int32_t& value : values) {
        value -= static_cast<std::int32_t>(zero_point);
    }
    return values;
}

void store(Tensor& dst, std::span<const std::int64_t> values, const IntegerLimits& limits) {
    dispatch_numeric(dst.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        T* out = dst.data<T>();
        for (std::size_t i = 0; i < values.size(); ++i) {
            out[i] = static_cast<T>(std::clamp(values[i], limits.lowest, limits.highest));
        }
    });
}

PartialShape channels_first(const PartialShape& shape, bool channels_last) {
    std::vector<Dimension> dims = shape.dims();
    if (channels_last && dims.size() > 2) {
        std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
    }
    return PartialShape(dims);
}

PartialShape channels_back(const PartialShape& shape, bool channels_last) {
    std::vector<Dimension> dims = shape.dims();
    if (channels_last && dims.size() > 2) {
        std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
    }
    return PartialShape(dims);
}

}  // namespace fuseq
