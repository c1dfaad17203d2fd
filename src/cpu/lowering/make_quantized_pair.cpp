// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedAdd, QuantizedSubtract and QuantizedMultiply of bytes and of i16, in the layout of their
// operands.
// An operand may have one row for all rows of the other.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "cpu/kernels/eltwise/quantized_pair.hpp"
#include "cpu/lowering/quantized_rounding.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/steps/row_step.hpp"
#include "ops/quantized/rules/f32.hpp"
#include "ops/quantized/rules/shared_shift.hpp"
#include "ops/quantized/rules/shifted_sum.hpp"
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
    // Each operand is at most half of that: of i16 2^30 times a multiplier of at most a half.
    const std::int64_t max_sum = std::int64_t{1} << (params.type == ElementType::i16 ? 30 : 28);
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
    return kernels::takes_multiplier(sum, max_sum);
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
    const std::int64_t max_product =
        params.type == ElementType::i16 ? std::int64_t{1} << 30 : 255 * 255;
    return kernels::takes_multiplier(multiplier, max_product);
}

// TFLite's of i16 whose scales are powers of two.
bool set_shifted_sum(PairParams& params, const RequantizeAttrs& attrs) {
    const auto shifts =
        rules::ShiftedSum::of(attrs.input_scales[0], attrs.input_scales[1], attrs.output_scale);
    params.kind = PairKind::kShiftedSum;
    params.shift_a = shifts->shift_a;
    params.shift_b = shifts->shift_b;
    return true;
}

// The rule of a sum: XNNPACK has no kernel of 16 bits.
RuleChoice sum_rule_of(const Node& node) {
    RuleChoice rule = *rule_of(node);
    if (rule.rule == RoundingRule::kSharedShift && node.port(0).type == ElementType::i16) {
        rule.rule = RoundingRule::kD2;
    }
    return rule;
}

// Nothing: a rule, or a multiplier, that the kernel does not have.
std::optional<PairParams> pair_params_of(const Node& node) {
    const auto& attrs = node.attrs<RequantizeAttrs>();
    const RuleChoice rule = node.is("QuantizedMultiply") ? *rule_of(node) : sum_rule_of(node);
    const std::int32_t sign = node.is("QuantizedSubtract") ? -1 : 1;
    PairParams params;
    params.type = attrs.output_type;
    params.zero_a = static_cast<std::int32_t>(attrs.input_zero_point(0));
    params.zero_b = static_cast<std::int32_t>(attrs.input_zero_point(1));
    params.grid = byte_grid(attrs.output_zero_point, output_limits(attrs));
    params.sign = sign;
    params.left = params.type == ElementType::i16 ? 15 : 20;
    if (node.is("QuantizedMultiply")) {
        return set_product(params, attrs, rule) ? std::optional(params) : std::nullopt;
    }
    const auto rounding = product_rounding(rule.rule);
    bool taken = false;
    const bool fixed = rounding && kernels::is_fixed(*rounding);
    if (attrs.shifts && fixed) {
        taken = set_shifted_sum(params, attrs);
    } else if (fixed) {
        taken = set_three_products(params, attrs, *rounding);
    } else if (rule.rule == RoundingRule::kSharedShift) {
        taken = set_shared_shift(params, attrs, sign);
    } else if (rule.rule == RoundingRule::kF32ZeroFirst) {
        set_real(params, attrs, sign);
        taken = true;
    }
    return taken ? std::optional(params) : std::nullopt;
}

bool has_zero_points(const RequantizeAttrs& attrs) {
    return attrs.input_zero_point(0) != 0 || attrs.input_zero_point(1) != 0;
}

// How an operand is read beside a tensor of `dims`: whole, one row again and again, or one element.
enum class Operand { kSame, kRow, kOne, kOther };

Operand operand_of(const Shape& shape, const Shape& dims, Layout layout) {
    if (shape == dims) {
        return Operand::kSame;
    }
    if (shape_size(shape) == 1) {
        return Operand::kOne;
    }
    const std::size_t rank = dims.size();
    // The last dimensions of a shape of lower rank are those of dst.
    const bool fits = shape.size() == rank || layout == Layout::kPlain;
    const std::size_t axis = layout == Layout::kChannelsLast ? 1 : rank - 1;
    const std::size_t missing = rank - shape.size();
    return fits && axis >= missing && shape[axis - missing] == dims[axis] &&
                   shape_size(shape) == dims[axis]
               ? Operand::kRow
               : Operand::kOther;
}

// Both operands for elements [begin, end) of dst.
class PairRun {
public:
    PairRun(const PairParams& params, const Operand (&operands)[2], std::size_t columns)
        : params_(params),
          operands_{operands[0], operands[1]},
          columns_(columns),
          size_(size_of(params.type)) {}

    void operator()(const RowStep::Rows& rows) const {
        alignas(64) std::uint8_t repeated[2][kRepeated];
        std::size_t most = (rows.end - rows.begin) * columns_;
        for (std::size_t i = 0; i < 2; ++i) {
            if (operands_[i] == Operand::kOne) {
                repeat(rows.sources[i], repeated[i]);
                most = std::min(most, kRepeated / size_);
            } else if (operands_[i] == Operand::kRow) {
                most = std::min(most, columns_);
            }
        }
        auto* const dst = static_cast<std::uint8_t*>(rows.dst);
        const std::size_t end = rows.end * columns_;
        for (std::size_t at = rows.begin * columns_; at < end;) {
            // Up to the end of a row, where one is read again and again.
            const bool row = operands_[0] == Operand::kRow || operands_[1] == Operand::kRow;
            const std::size_t left = row ? columns_ - at % columns_ : end - at;
            const std::size_t count = std::min(most, left);
            const void* sources[2];
            for (std::size_t i = 0; i < 2; ++i) {
                const auto* from = static_cast<const std::uint8_t*>(rows.sources[i]);
                sources[i] = operands_[i] == Operand::kSame  ? from + at * size_
                             : operands_[i] == Operand::kRow ? from + at % columns_ * size_
                                                             : repeated[i];
            }
            kernels::quantized_pair(params_, sources[0], sources[1], dst + at * size_, count);
            at += count;
        }
    }

private:
    static constexpr std::size_t kRepeated = 1024;  // bytes

    void repeat(const void* element, std::uint8_t* to) const {
        for (std::size_t i = 0; i < kRepeated; i += size_) {
            std::memcpy(to + i, element, size_);
        }
    }

    PairParams params_;
    Operand operands_[2];
    std::size_t columns_;
    std::size_t size_;
};

}  // namespace

Verdict make_quantized_pair(StepBuilder& builder, Node& node) {
    if (!node.is("QuantizedAdd") && !node.is("QuantizedSubtract") &&
        !node.is("QuantizedMultiply")) {
        return Verdict::other_kind();
    }
    const ElementType type = node.port(0).type;
    if ((!is_8_bit(type) && type != ElementType::i16) || node.input(0).type() != type ||
        node.input(1).type() != type) {
        return Verdict::no("for bytes, or i16, of one type");
    }
    if (type == ElementType::i16 && has_zero_points(node.attrs<RequantizeAttrs>())) {
        return Verdict::no("zero points of i16");
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
        return Verdict::no("a broadcast other than of one row or one element");
    }
    const auto tensor_of = [&](const Output& input) {
        const bool same_rank = input.shape().size() == dims.size();
        return builder.tensor_of(input, same_rank ? layout : Layout::kPlain);
    };
    const TensorId a = tensor_of(node.input(0));
    const TensorId b = tensor_of(node.input(1));
    const TensorId dst = builder.new_tensor(type, node.port(0).shape, layout);
    const MemoryRows rows = memory_rows(builder.tensor(dst));
    RowStep::Tensors tensors{.inputs = {a, b}, .output = dst};
    for (std::size_t i = 0; i < 2; ++i) {
        if (operands[i] != Operand::kSame) {
            tensors.whole.push_back(tensors.inputs[i]);
        }
    }
    auto step = std::make_unique<RowStep>(
        PairRun(*params, operands, rows.columns), std::move(tensors), rows.rows, rows.grain(),
        kernel_info("eltwise", "quantized_pair", builder.tensor(a), builder.tensor(dst)));
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
