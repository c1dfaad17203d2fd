// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/quantized_pool.hpp"

namespace fuseq {
namespace {

std::size_t planes_of(const PoolLoops& loops) {
    return loops.dst[0] == 0 ? 0 : static_cast<std::size_t>(loops.planes) / loops.dst[0];
}

std::size_t size_of(const std::int64_t sizes[3]) {
    return static_cast<std::size_t>(sizes[0] * sizes[1] * sizes[2]);
}

}  // namespace

PoolAttrs pool_windows(const QuantizedPoolAttrs& attrs) {
    return {.strides = attrs.strides,
            .pads_begin = attrs.pads_begin,
            .pads_end = attrs.pads_end,
            .kernel = attrs.kernel,
            .dilations = attrs.dilations,
            .rounding_type = attrs.rounding_type,
            .auto_pad = attrs.auto_pad};
}

std::int64_t average_divisor(const PoolLoops& loops,
                             const std::int64_t first[3],
                             bool exclude_pad,
                             std::int64_t inside) {
    if (exclude_pad) {
        return inside;
    }
    std::int64_t count = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const Window& w = loops.window[d];
        std::int64_t taps = 0;
        for (std::int64_t k = 0; k < w.size; ++k) {
            // What rounding up added after the padding is not counted.
            taps += first[d] + k * w.dilation < loops.in[d] + w.pad_end ? 1 : 0;
        }
        count *= taps;
    }
    return count;
}

void infer_quantized_pool(InferContext& context) {
    const auto& attrs = context.attrs<QuantizedPoolAttrs>();
    context.require(is_grid_type(attrs.output_type), "output_type is ",
                    to_string(attrs.output_type), ", expected u8, i8, u16 or i16");
    check_grids(context, attrs, 1);
    const std::size_t spatial = attrs.kernel.size();
    context.require(spatial >= 1 && spatial <= 3, "kernel has ", spatial,
                    " values, expected 1, 2 or 3");
    check_window_lists(context, spatial, attrs);
    check_window_list(context, "kernel", spatial, attrs.kernel, 1);
    if (!context.shape(0).rank_is_static()) {
        context.set_output(0, attrs.output_type, PartialShape::dynamic(spatial + 2));
        return;
    }
    context.require(context.shape(0).rank() == spatial + 2, "src has rank ",
                    context.shape(0).rank(), ", expected ", spatial + 2, " for a kernel of ",
                    spatial, " values");
    PartialShape dst = channels_first(context.shape(0), attrs.channels_last);
    for (std::size_t d = 0; d < spatial; ++d) {
        Dimension& size = dst[d + 2];
        if (!size.is_static()) {
            size = Dimension::dynamic();
            continue;
        }
        Shape sizes(spatial + 2, 1);
        sizes[d + 2] = static_cast<std::size_t>(size.get_length());
        const std::int64_t positions = pool_geometry(pool_windows(attrs), sizes).positions[d];
        context.require(positions >= 1, "the kernel does not fit into the padded src of size ",
                        size.get_length(), " (spatial dimension ", d, ")");
        size = positions;
    }
    context.set_output(0, attrs.output_type, channels_back(dst, attrs.channels_last));
}

PoolLoops quantized_pool_loops(const EvalContext& context, const QuantizedPoolAttrs& attrs) {
    const PartialShape src = channels_first(context.input(0).get_shape(), attrs.channels_last);
    return pool_loops(context, pool_windows(attrs), src.to_shape());
}

std::vector<std::int32_t> pool_source(const EvalContext& context,
                                      const QuantizedPoolAttrs& attrs,
                                      const PoolLoops& loops) {
    std::vector<std::int32_t> src = integers(context.input(0));
    return attrs.channels_last
               ? moved_channels(src, loops.dst[0], size_of(loops.in), planes_of(loops))
               : src;
}

void store_pool(EvalContext& context,
                const QuantizedPoolAttrs& attrs,
                const PoolLoops& loops,
                std::vector<std::int64_t> values) {
    if (attrs.channels_last) {
        values = moved_channels(values, loops.dst[0], planes_of(loops), size_of(loops.out));
    }
    const PartialShape shape = channels_back(loops.dst, attrs.channels_last);
    store(context.output(0, shape.to_shape()), values, output_limits(attrs));
}

}  // namespace fuseq
