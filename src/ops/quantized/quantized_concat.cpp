// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedConcat: joins along an axis; an input of another grid than dst is requantized, one of
// the same grid is copied. Rule kF32HalfAway is TFLite's: q * m + f32(-z * m), m = s * (1 / so) in
// f32.
#include <cmath>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_run.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_concat_ops {
namespace {

template <class Context>
void join(const Context& context, PartialShape& all, const PartialShape& next, std::size_t axis) {
    context.require(next.rank() == all.rank(), "inputs have shapes ", to_string(all), " and ",
                    to_string(next), ", expected the same rank");
    for (std::size_t d = 0; d < all.rank(); ++d) {
        if (d == axis) {
            all[d] = all[d] + next[d];
        } else {
            context.require(Dimension::merge(all[d], all[d], next[d]), "inputs have the sizes ",
                            to_string(all[d]), " and ", to_string(next[d]), " in dimension ", d,
                            ", which is not the axis ", axis);
        }
    }
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedConcatAttrs>();
    context.require(is_grid_type(attrs.output_type), "output_type is ",
                    to_string(attrs.output_type), ", expected u8, i8, u16 or i16");
    check_grids(context, attrs, context.input_count());
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        if (!context.shape(i).rank_is_static()) {
            context.set_output(0, attrs.output_type, PartialShape::dynamic());
            return;
        }
    }
    PartialShape all = context.shape(0);
    const std::size_t axis = checked_axis(context, attrs.axis, all.rank());
    for (std::size_t i = 1; i < context.input_count(); ++i) {
        join(context, all, context.shape(i), axis);
    }
    context.set_output(0, attrs.output_type, all);
}

std::vector<std::int64_t> on_the_grid_of_dst(const EvalContext& context,
                                             std::size_t i,
                                             RoundingRule rule) {
    const auto& attrs = context.attrs<QuantizedConcatAttrs>();
    const std::vector<std::int32_t> from = integers(context.input(i));
    std::vector<std::int64_t> values(from.begin(), from.end());
    const float scale = attrs.input_scales[i];
    if (scale == attrs.output_scale && attrs.input_zero_point(i) == attrs.output_zero_point) {
        return values;
    }
    const float factor = scale * (1.0F / attrs.output_scale);
    const float offset = static_cast<float>(-attrs.input_zero_point(i)) * factor;
    for (std::int64_t& value : values) {
        value = rule == RoundingRule::kF32HalfAway
                    ? rules::to_integer(std::round(static_cast<float>(value) * factor + offset)) +
                          attrs.output_zero_point
                    : rules::quantize_real(rule, real_value(attrs, i, value), attrs.output_scale,
                                           attrs.output_zero_point);
    }
    return values;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedConcatAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    PartialShape all = context.input(0).get_shape();
    const std::size_t axis = checked_axis(context, attrs.axis, all.rank());
    for (std::size_t i = 1; i < context.input_count(); ++i) {
        join(context, all, context.input(i).get_shape(), axis);
    }
    const Shape shape = all.to_shape();
    std::size_t rows = 1;
    for (std::size_t d = 0; d < axis; ++d) {
        rows *= shape[d];
    }
    std::vector<std::int64_t> values(shape_size(shape));
    const std::size_t row = rows == 0 ? 0 : values.size() / rows;
    std::size_t column = 0;
    for (std::size_t i = 0; i < context.input_count() && rows != 0; ++i) {
        const std::vector<std::int64_t> part = on_the_grid_of_dst(context, i, rule);
        const std::size_t length = part.size() / rows;
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t k = 0; k < length; ++k) {
                values[r * row + column + k] = part[r * length + k];
            }
        }
        column += length;
    }
    store(context.output(0, shape), values, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedConcat",
     .version = 1,
     .inputs = {1, Arity::kMany},
     .make_attributes = make_attributes<QuantizedConcatAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Joins quantized tensors along an axis, each brought to the grid of the result",
     .refused = "scalars; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_concat_ops
