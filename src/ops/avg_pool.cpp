// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// AvgPool-1, AvgPool-14 with the rounding ceil_torch, AvgPool-16 with dilations. With exclude-pad
// only elements of src count; without it padding counts too, but not what ceil rounding adds beyond
// the padding.
#include <algorithm>
#include <cmath>

#include "model/typed.hpp"
#include "ops/op_list.hpp"
#include "ops/pooling.hpp"

namespace fuseq::avg_pool_ops {
namespace {

void infer(InferContext& context) {
    const AverageAttrs& attrs = average_attrs(context.node());
    const bool typed = attrs.output_type != ElementType::undefined;
    context.require(!typed || attrs.output_type == context.type(0) ||
                        (is_integral(context.type(0)) && attrs.output_type == ElementType::f32),
                    "output_type is ", to_string(attrs.output_type), " for a src of type ",
                    to_string(context.type(0)));
    context.set_output(0, typed ? attrs.output_type : context.type(0),
                       pool_output_shape(context, attrs));
}

// Elements of the window that lie in src or its padding.
std::int64_t padded_count(const PoolLoops& loops, const std::int64_t first[3]) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const Window& w = loops.window[d];
        const std::int64_t room = loops.in[d] + w.pad_end - first[d];
        const std::int64_t taps = (room + w.dilation - 1) / w.dilation;
        count *= std::clamp<std::int64_t>(taps, 0, w.size);
    }
    return count;
}

template <class Src, class Dst>
void run(const PoolLoops& loops, bool exclude_pad, const Src* src, Dst* dst) {
    const std::int64_t plane_size = loops.in[0] * loops.in[1] * loops.in[2];
    for_each_pool_window(loops, [&](std::int64_t plane, const std::int64_t first[3]) {
        const Src* values = src + plane * plane_size;
        double sum = 0;
        std::int64_t count = 0;
        for_each_pool_element(loops, first, [&](std::int64_t offset) {
            sum += static_cast<double>(values[offset]);
            ++count;
        });
        if (!exclude_pad) {
            count = padded_count(loops, first);
        }
        const double mean = count == 0 ? 0.0 : sum / static_cast<double>(count);
        *dst++ = static_cast<Dst>(std::is_integral_v<Dst> ? std::nearbyint(mean) : mean);
    });
}

void evaluate(EvalContext& context) {
    const AverageAttrs& attrs = average_attrs(context.node());
    const Tensor& src = context.input(0);
    const PoolLoops loops = pool_loops(context, attrs, src.get_shape());
    Tensor& dst = context.output(0, loops.dst);
    dispatch_numeric(src.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (!std::is_same_v<T, float>) {
            if (dst.get_element_type() == src.get_element_type()) {
                run(loops, attrs.exclude_pad, src.data<T>(), dst.data<T>());
                return;
            }
        }
        run(loops, attrs.exclude_pad, src.data<T>(), dst.data<float>());
    });
}

const OpSpec kOps[] = {
    {.type = "AvgPool",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<AvgPoolAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Mean of a sliding window, 1D, 2D and 3D",
     .refused = "rank other than 3, 4, 5; kernel or strides below 1; negative pads; ceil_torch"},
    {.type = "AvgPool",
     .version = 14,
     .inputs = {1, 1},
     .make_attributes = make_attributes<AvgPoolAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "AvgPool-1 with the rounding ceil_torch: no window begins in the end padding",
     .refused = "rank other than 3, 4, 5; kernel or strides below 1; negative pads"},
    {.type = "AvgPool",
     .version = 16,
     .inputs = {1, 1},
     .make_attributes = make_attributes<AvgPool16Attrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "AvgPool-14 with dilations",
     .refused = "rank other than 3, 4, 5; kernel, strides or dilations below 1; negative pads"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::avg_pool_ops
