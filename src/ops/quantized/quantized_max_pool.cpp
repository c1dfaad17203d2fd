// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedMaxPool: maxima of the integers, clamped. Nothing is rounded: src and dst have one grid.
#include <algorithm>
#include <limits>

#include "ops/op_list.hpp"
#include "ops/quantized/quantized_pool.hpp"

namespace fuseq::quantized_max_pool_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedPoolAttrs>();
    infer_quantized_pool(context);
    context.require(attrs.output_type == context.type(0), "src is ", to_string(context.type(0)),
                    ", output_type ", to_string(attrs.output_type));
    context.require(attrs.input_scales[0] == attrs.output_scale &&
                        attrs.input_zero_point(0) == attrs.output_zero_point,
                    "src and dst have different grids");
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<QuantizedPoolAttrs>();
    const PoolLoops loops = quantized_pool_loops(context, attrs);
    const std::vector<std::int32_t> src = pool_source(context, attrs, loops);
    const std::int64_t plane_size = loops.in[0] * loops.in[1] * loops.in[2];
    std::vector<std::int64_t> values;
    values.reserve(shape_size(loops.dst));
    for_each_pool_window(loops, [&](std::int64_t plane, const std::int64_t first[3]) {
        const std::int32_t* from = src.data() + plane * plane_size;
        std::int32_t largest = std::numeric_limits<std::int32_t>::min();
        for_each_pool_element(loops, first,
                              [&](std::int64_t at) { largest = std::max(largest, from[at]); });
        values.push_back(largest);
    });
    store_pool(context, attrs, loops, std::move(values));
}

const OpSpec kOps[] = {
    {.type = "QuantizedMaxPool",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<QuantizedPoolAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Maximum over windows of a quantized tensor, clamped",
     .refused = "src and dst on different grids",
     .own_set = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::quantized_max_pool_ops
