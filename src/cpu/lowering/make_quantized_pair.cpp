// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedAdd, QuantizedSubtract and QuantizedMultiply of bytes, in the layout of their operands.
// An operand may have one row for all rows of the other.
#include <algorithm>
#include <cmath>
#include <optional>

#include "cpu/kernels/eltwise/quantized_pair.hpp"
#include "cpu/lowering/quantized_rounding.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/steps/row_step.hpp"
#include "ops/quantized/rules/f32.hpp"
#include "ops/quantized/rules/shared_shift.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::cpu {
namespace {

using kernels::PairKind;
using kernels::PairParams;
using kernels::ProductRounding;

// The three steps of ops/quantized/quantized_add.cpp. False: a multiplier that the kernel does not
// take.
bool set_three_products(PairParams& params,
                        const RequantizeAttrs& attrs,
                        ProductRounding rounding) {
    constexpr std::int64_t kMaxSum = std::int64_t{1} << 28;  // each operand is below 2^27
    const double a = attrs.input_scales[0];
    const double b = attrs.input_scales[1];
    const double twice = 2 * std::max(a, b);
    const auto multiplier = [](double from, double to) {
        return fixed_multiplier(rules::quantize_multiplier(from / to));
    };
    const auto sum =
        multiplier(twice, std::ldexp(static_cast<double>(attrs.output_scale), params.left));
    params.kind = PairKind::kThreeProducts;
    params.of_a = kernels::shifted_multiplier(multiplier(a, twice), rounding);
    params.of_b = kernels::shifted_multiplier(multiplier(b, twice), rounding);
    params.of_sum = kernels::shifted_multiplier(sum, rounding);
    return kernels::takes_multiplier(sum, kMaxSum);
}

bool set_shared_shift(PairParams& params, const RequantizeAttrs& attrs, std::int32_t sign) {
    constexpr int kMaxShift = 30;  // its half and both products have 32 bits then
    const auto shift =
        rules::SharedShift::of(attrs.input_scales[0], attrs.input_scales[1], attrs.output_scale);
    if (shift.shift > kMaxShift) {
        return false;
    }
    params.kind = PairKind::kSharedShift;
    params.shift_a = static_cast<std::int32_t>(shift.a);
    params.shift_b = sign * static_cast<std::int32_t>(shift.b);
    params.shift = shift.shift;
    // Multipliers beyond 2^21 come of a shift that was cut to 1.
    constexpr std::int64_t kMaxMultiplier = std::int64_t{1} << 21;
    return shift.a <= kMaxMultiplier && shift.b <= kMaxMultiplier;
}

void set_real(PairParams& params, const RequantizeAttrs& attrs, std::int32_t sign) {
    params.kind = PairKind::kReal;
    params.real_a = attrs.input_scales[0] / attrs.output_scale;
    params.real_b = static_cast<float>(sign) * (attrs.input_scales[1] / attrs.output_scale);
    params.offset = rules::f32_sum_offset(params.real_a, attrs.input_zero_point(0), params.real_b,
                                          attrs.input_zero_point(1), attrs.output_zero_point);
}

bool set_product(PairParams& params, const RequantizeAttrs& attrs, RuleChoice rule) {
    const auto rounding = product_rounding(rule.rule);
    if (!rounding) {
        return false;
    }
    const Requantizer requantize(rule, {.input = attrs.input_scales[0],
                                        .weights = {&attrs.input_scales[1], 1},
                                        .output = attrs.output_scale,
                                        .output_zero_point = attrs.output_zero_point});
    params.kind = PairKind::kProduct;
    params.rounding = *rounding;
    if (!kernels::is_fixed(*rounding)) {
        params.real_a = requantize.real()[0];
        return true;
    }
    const auto multiplier = fixed_multiplier(requantize.fixed()[0]);
    params.of_sum = kernels::shifted_multiplier(multiplier, *rounding);
    constexpr std::int64_t kMaxProduct = 255 * 255;
    return kernels::takes_multiplier(multiplier, kMaxProduct);
}

// Nothing: a rule, or a multiplier, that the kernel does not have.
std::optional<PairParams> pair_params_of(const Node& node) {
    const auto& attrs = node.attrs<RequantizeAttrs>();
    const RuleChoice rule = *rule_of(node);
    const std::int32_t sign = node.is("QuantizedSubtract") ? -1 : 1;
    PairParams params;
    params.type = attrs.output_type;
    params.zero_a = static_cast<std::int32_t>(attrs.input_zero_point(0));
    params.zero_b = static_cast<std::int32_t>(attrs.input_zero_point(1));
    params.grid = byte_grid(attrs.output_zero_point, output_limits(attrs));
    params.sign = sign;
    if (node.is("QuantizedMultiply")) {
        return set_product(params, attrs, rule) ? std::optional(params) : std::nullopt;
    }
    const auto rounding = product_rounding(rule.rule);
    bool taken = false;
    if (rounding && kernels::is_fixed(*rounding)) {
        taken = set_three_products(params, attrs, *rounding);
    } else if (rule.rule == RoundingRule::kSharedShift) {
        taken = set_shared_shift(params, attrs, sign);
    } else if (rule.rule == RoundingRule::kF32ZeroFirst) {
        set_real(params, attrs, sign);
        taken = true;
    }
    return taken ? std::optional(params) : std::nullopt;
}

// How an operand is read beside a tensor of `dims`: whole, or one row again and again.
enum class Operand { kSame, kRow, kOther };

Operand operand_of(const Shape& shape, const Shape& dims, Layout layout) {
    if (shape == dims) {
        return Operand::kSame;
    }
    const std::size_t rank = dims.size();
    if (shape.size() != rank || rank == 0) {
        return Operand::kOther;
    }
    const std::size_t axis = layout == Layout::kChannelsLast ? 1 : rank - 1;
    return shape[axis] == dims[axis] && shape_size(shape) == dims[axis] ? Operand::kRow
                                                                        : Operand::kOther;
}

void run_rows(const PairParams& params,
              const bool one_row[2],
              std::size_t columns,
              const RowStep::Rows& rows) {
    auto* dst = static_cast<std::uint8_t*>(rows.dst);
    const auto* a = static_cast<const std::uint8_t*>(rows.sources[0]);
    const auto* b = static_cast<const std::uint8_t*>(rows.sources[1]);
    if (!one_row[0] && !one_row[1]) {
        const std::size_t at = rows.begin * columns;
        kernels::quantized_pair(params, a + at, b + at, dst + at,
                                (rows.end - rows.begin) * columns);
        return;
    }
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
        const std::size_t at = r * columns;
        kernels::quantized_pair(params, one_row[0] ? a : a + at, one_row[1] ? b : b + at, dst + at,
                                columns);
    }
}

}  // namespace

Verdict make_quantized_pair(StepBuilder& builder, Node& node) {
    if (!node.is("QuantizedAdd") && !node.is("QuantizedSubtract") &&
        !node.is("QuantizedMultiply")) {
        return Verdict::other_kind();
    }
    const ElementType type = node.port(0).type;
    if (!is_8_bit(type) || node.input(0).type() != type || node.input(1).type() != type) {
        return Verdict::no("for bytes of one type");
    }
    const auto params = pair_params_of(node);
    if (!params) {
        return Verdict::no("a rule or a multiplier that the kernel does not have");
    }
    const Layout layout = layout_of_inputs(builder, node);
    const Shape dims = node.port(0).shape.to_shape();
    const Operand operands[] = {operand_of(node.input(0).shape(), dims, layout),
                                operand_of(node.input(1).shape(), dims, layout)};
    if (operands[0] == Operand::kOther || operands[1] == Operand::kOther) {
        return Verdict::no("a broadcast other than of one row");
    }
    const TensorId a = builder.tensor_of(node.input(0), layout);
    const TensorId b = builder.tensor_of(node.input(1), layout);
    const TensorId dst = builder.new_tensor(type, node.port(0).shape, layout);
    const MemoryRows rows = memory_rows(builder.tensor(dst));
    RowStep::Tensors tensors{.inputs = {a, b}, .output = dst};
    for (std::size_t i = 0; i < 2; ++i) {
        if (operands[i] == Operand::kRow) {
            tensors.whole.push_back(tensors.inputs[i]);
        }
    }
    auto kernel = [params = *params, first = operands[0] == Operand::kRow,
                   second = operands[1] == Operand::kRow,
                   columns = rows.columns](const RowStep::Rows& some) {
        const bool one_row[] = {first, second};
        run_rows(params, one_row, columns, some);
    };
    auto step = std::make_unique<RowStep>(
        std::move(kernel), std::move(tensors), rows.rows, rows.grain(),
        kernel_info("eltwise", "quantized_pair", builder.tensor(a), builder.tensor(dst)));
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
