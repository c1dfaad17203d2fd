// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedAveragePool. kRawHalfAway is TFLite's: the mean of the integers themselves, half away
// from zero; it takes the grid of dst for that of src, as the runtime does. The others: the mean of
// real values, summed in f32 in the order of the window, then quantized.
#include "ops/op_list.hpp"
#include "ops/quantized/quantized_pool.hpp"
#include "ops/quantized/rules/half_away.hpp"
#include "ops/quantized/rules/real.hpp"

namespace fuseq::quantized_average_pool_ops {
namespace {

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedPoolAttrs>();
    const RoundingRule rule = required_rule(context).rule;
    const PoolLoops loops = quantized_pool_loops(context, attrs);
    const std::vector<std::int32_t> src = pool_source(context, attrs, loops);
    const std::int64_t plane_size = loops.in[0] * loops.in[1] * loops.in[2];
    std::vector<std::int64_t> values;
    values.reserve(shape_size(loops.dst));
    for_each_pool_window(loops, [&](std::int64_t plane, const std::int64_t first[3]) {
        const std::int32_t* from = src.data() + plane * plane_size;
        std::int64_t raw = 0;
        float real = 0;
        std::int64_t inside = 0;
        for_each_pool_element(loops, first, [&](std::int64_t at) {
            raw += from[at];
            real += real_value(attrs, 0, from[at]);
            ++inside;
        });
        const std::int64_t count = average_divisor(loops, first, attrs.exclude_pad, inside);
        context.require(count > 0, "a window has no element");
        values.push_back(rule == RoundingRule::kRawHalfAway
                             ? rules::divide_half_away(raw, count)
                             : rules::quantize_real(rule, real / static_cast<float>(count),
                                                    attrs.output_scale, attrs.output_zero_point));
    });
    store_pool(context, attrs, loops, std::move(values));
}

const OpSpec kOps[] = {
    {.type = "QuantizedAveragePool",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedPoolAttrs>,
     .infer = infer_quantized_pool,
     .evaluate = evaluate,
     .summary = "Average over windows of a quantized tensor",
     .refused = "a window without an element; a method without a rule for it",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_average_pool_ops
