// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/quantized_filter.hpp"

namespace fuseq {

std::vector<std::int32_t> filter_source(const EvalContext& context,
                                        const QuantizedFilterAttrs& attrs,
                                        const FilterLoops& loops) {
    std::vector<std::int32_t> src = centered(context.input(0), source_zero_point(context, attrs));
    if (attrs.channels_last) {
        return moved_channels(src, loops.batch, loops.in_size(), loops.groups * loops.ic);
    }
    return src;
}

void store_filter_sums(EvalContext& context,
                       const QuantizedFilterAttrs& attrs,
                       const FilterLoops& loops,
                       std::vector<std::int64_t> sums,
                       const Shape& dst) {
    const std::size_t channels = loops.groups * loops.oc;
    std::size_t inner = loops.out_size();
    if (attrs.channels_last) {
        sums = moved_channels(sums, loops.batch, channels, inner);
        inner = 1;
    }
    const PartialShape shape = channels_back(dst, attrs.channels_last);
    Tensor& out = context.output(0, shape.to_shape());
    store_sums(context, attrs, sums, channels, inner, out);
}

}  // namespace fuseq
