// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedReduceProduct: the product over axes. D1, D2, D2-up: M16 by si / so^(1 / count) of the product so
// far and the next q - z, once for each element; of what leaves 32 bits the low ones stay, as in TFLite. The
// others: the product of real values.
#include <algorithm>
#include <cmath>

#include "ops/axes.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_mean.hpp"
#include "ops/quantized/rules/m16.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_reduce_product_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedMeanAttrs>();
    context.require(attrs.output_type == ElementType::i8 || attrs.output_type == ElementType::i16,
                    "output_type is ", to_string(attrs.output_type), ", expected i8 or i16");
    infer_quantized_reduction(context, attrs);
}

// Elements of src by the result that they belong to, in the order of src.
std::vector<std::vector<std::int64_t>> groups(const QuantizedMeanAttrs& attrs,
                                              const Shape& src,
                                              const std::vector<std::size_t>& axes,
                                              const std::vector<std::int32_t>& values) {
    const Shape kept = reduced_shape(src, axes, true).to_shape();
    std::vector<std::vector<std::int64_t>> made(shape_size(kept));
    for (StridedLoop loop(src, {broadcast_strides(kept, src)}); !loop.done(); loop.next()) {
        made[loop.offset(0)].push_back(values[loop.position()] - attrs.input_zero_point(0));
    }
    return made;
}

std::int64_t fixed_point(const QuantizedMeanAttrs& attrs, const std::vector<std::int64_t>& q) {
    const double root =
        std::pow(static_cast<double>(attrs.output_scale), 1.0 / static_cast<double>(q.size()));
    const auto by = rules::quantize_multiplier(static_cast<double>(attrs.input_scales[0]) / root);
    const auto low_bits = [&](std::int64_t value) {
        return static_cast<std::int32_t>(rules::m16(value, by));
    };
    auto product = static_cast<std::int32_t>(q[0]);
    for (std::size_t i = 1; i < q.size(); ++i) {
        product = low_bits(product * q[i]);
    }
    return low_bits(product) + attrs.output_zero_point;
}

std::int64_t real(const QuantizedMeanAttrs& attrs,
                  RoundingRule rule,
                  const std::vector<std::int64_t>& q) {
    float product = 1.0F;
    for (const std::int64_t steps : q) {
        product *= static_cast<float>(steps) * attrs.input_scales[0];
    }
    return rules::quantize_real(rule, product, attrs.output_scale, attrs.output_zero_point);
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedMeanAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const Shape& src = context.input(0).get_shape();
    const std::vector<std::size_t> axes = checked_axes(context, attrs.axes, src.size());
    std::vector<std::int64_t> results;
    for (const auto& q : groups(attrs, src, axes, integers(context.input(0)))) {
        const bool fixed = is_fixed_point(rule) && !q.empty();
        results.push_back(fixed ? fixed_point(attrs, q) : real(attrs, rule, q));
    }
    const Shape shape = reduced_shape(src, axes, attrs.keep_dims).to_shape();
    store(context.output(0, shape), results, output_limits(attrs));
}

const OpSpec kOps[] = {
    {.type = "QuantizedReduceProduct",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedMeanAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Product of a quantized tensor over axes",
     .refused = "u8, u16; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_reduce_product_ops
