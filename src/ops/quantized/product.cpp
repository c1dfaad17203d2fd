// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/product.hpp"

namespace fuseq {
namespace {

void check_bias(const InferContext& context, const Dimension& channels) {
    if (!context.has_input(2)) {
        return;
    }
    context.require(context.type(2) == ElementType::i32 || context.type(2) == ElementType::i64,
                    "the bias is ", to_string(context.type(2)), ", expected i32 or i64");
    const PartialShape& bias = context.shape(2);
    context.require(!bias.rank_is_static() || (bias.rank() == 1 && bias[0].compatible(channels)),
                    "the bias has shape ", to_string(bias), ", expected [", to_string(channels),
                    "]");
}

void check_zero_point(const InferContext& context, const WeightAttrs& attrs) {
    if (!context.has_input(3)) {
        return;
    }
    context.require(is_integral(context.type(3)), "the zero point of src is ",
                    to_string(context.type(3)), ", expected an integer");
    const PartialShape& shape = context.shape(3);
    context.require(shape.compatible({}) || shape.compatible({1}),
                    "the zero point of src has shape ", to_string(shape), ", expected one element");
    context.require(attrs.input_zero_point(0) == 0,
                    "src has a zero point as an input and another one as an attribute");
}

void add_bias(const EvalContext& context,
              std::vector<std::int64_t>& sums,
              std::size_t channels,
              std::size_t inner) {
    if (!context.has_input(2)) {
        return;
    }
    const std::vector<std::int64_t> bias = to_ints(context.input(2));
    context.require(bias.size() == channels, "the bias has ", bias.size(), " values, expected ",
                    channels);
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += bias[i / inner % channels];
    }
}

}  // namespace

void check_product(const InferContext& context,
                   const WeightAttrs& attrs,
                   const Dimension& channels) {
    context.require(is_integral(context.type(1)), "the weights are ", to_string(context.type(1)),
                    ", expected integers");
    context.require(is_grid_type(attrs.output_type) || attrs.output_type == ElementType::i32 ||
                        attrs.output_type == ElementType::f32,
                    "output_type is ", to_string(attrs.output_type),
                    ", expected u8, i8, u16, i16, i32 or f32");
    check_grids(context, attrs, 1);
    const std::size_t count = channels.is_static() ? static_cast<std::size_t>(channels.get_length())
                                                   : attrs.weight_scales.size();
    check_scales(context, "weight_scales", attrs.weight_scales, count);
    check_zero_point_list(context, "weight_zero_points", attrs.weight_zero_points, count,
                          context.type(1));
    check_bias(context, channels);
    check_zero_point(context, attrs);
}

std::int64_t source_zero_point(const EvalContext& context, const WeightAttrs& attrs) {
    if (!context.has_input(3)) {
        return attrs.input_zero_point(0);
    }
    const std::vector<std::int64_t> values = to_ints(context.input(3));
    context.require(values.size() == 1, "the zero point of src has ", values.size(),
                    " elements, expected 1");
    return values[0];
}

void store_sums(const EvalContext& context,
                const WeightAttrs& attrs,
                std::vector<std::int64_t>& sums,
                std::size_t channels,
                std::size_t inner,
                Tensor& dst,
                float alpha) {
    add_bias(context, sums, channels, inner);
    const float src_scale = alpha * attrs.input_scales[0];
    if (attrs.output_type == ElementType::f32) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            const std::size_t c = attrs.weight_scales.size() > 1 ? i / inner % channels : 0;
            dst.data<float>()[i] =
                static_cast<float>(sums[i]) * (src_scale * attrs.weight_scales[c]);
        }
        return;
    }
    if (attrs.output_type != ElementType::i32) {
        const Requantizer requantize(required_rule(context),
                                     {.input = src_scale,
                                      .weights = attrs.weight_scales,
                                      .output = attrs.output_scale,
                                      .output_zero_point = attrs.output_zero_point});
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] = requantize(sums[i], i / inner % channels);
        }
    }
    store(dst, sums, output_limits(attrs));
}

}  // namespace fuseq
