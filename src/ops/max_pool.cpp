// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// MaxPool-1, and MaxPool-8 with dilations and a second output: the position of each maximum,
// counted in elements of src from dimension `axis` on; of equal values the first. MaxPool-14 adds
// the rounding ceil_torch.
#include <algorithm>
#include <limits>

#include "model/typed.hpp"
#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/pooling.hpp"

namespace fuseq::max_pool_ops {
namespace {

void infer_1(InferContext& context) {
    context.set_output(0, context.type(0),
                       pool_output_shape(context, context.attrs<MaxPoolAttrs>()));
}

void infer_8(InferContext& context) {
    const auto& attrs = context.attrs<MaxPool8Attrs>();
    const ElementType index = attrs.index_element_type;
    context.require(index == ElementType::i32 || index == ElementType::i64,
                    "index_element_type is ", to_string(index), ", expected i32 or i64");
    const PartialShape dst = pool_output_shape(context, attrs);
    checked_axis(context, attrs.axis, dst.rank());
    context.set_output_count(2);
    context.set_output(0, context.type(0), dst);
    context.set_output(1, index, dst);
}

template <class T>
constexpr T lowest() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

// Fills dst, and where[] (offsets in the plane) when it is not null.
template <class T>
void run(const PoolLoops& loops, const T* src, T* dst, std::int64_t* where) {
    const std::int64_t plane_size = loops.in[0] * loops.in[1] * loops.in[2];
    for_each_pool_window(loops, [&](std::int64_t plane, const std::int64_t first[3]) {
        const T* values = src + plane * plane_size;
        T best = lowest<T>();
        std::int64_t at = -1;
        for_each_pool_element(loops, first, [&](std::int64_t offset) {
            if (at < 0 || values[offset] > best) {
                best = values[offset];
                at = offset;
            }
        });
        *dst++ = best;
        if (where != nullptr) {
            *where++ = at < 0 ? 0 : at;
        }
    });
}

std::vector<std::int64_t> run_any(EvalContext& context, const PoolLoops& loops, bool indices) {
    const Tensor& src = context.input(0);
    Tensor& dst = context.output(0, loops.dst);
    std::vector<std::int64_t> where(indices ? dst.get_size() : 0);
    dispatch_numeric(src.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        run(loops, src.data<T>(), dst.data<T>(), indices ? where.data() : nullptr);
    });
    return where;
}

void evaluate_1(EvalContext& context) {
    run_any(context,
            pool_loops(context, context.attrs<MaxPoolAttrs>(), context.input(0).get_shape()),
            false);
}

void evaluate_8(EvalContext& context) {
    const auto& attrs = context.attrs<MaxPool8Attrs>();
    const Shape& shape = context.input(0).get_shape();
    const PoolLoops loops = pool_loops(context, attrs, shape);
    std::vector<std::int64_t> where = run_any(context, loops, true);
    // From offsets in a plane to offsets from `axis` on.
    const std::size_t axis = checked_axis(context, attrs.axis, shape.size());
    const std::int64_t plane_in = loops.in[0] * loops.in[1] * loops.in[2];
    const std::int64_t plane_out = loops.out[0] * loops.out[1] * loops.out[2];
    std::int64_t period = 1;
    for (std::size_t d = axis; d < shape.size(); ++d) {
        period *= static_cast<std::int64_t>(shape[d]);
    }
    period = std::max<std::int64_t>(period, 1);  // nothing but padding
    for (std::size_t i = 0; i < where.size(); ++i) {
        where[i] = (static_cast<std::int64_t>(i) / plane_out * plane_in + where[i]) % period;
    }
    Tensor& out = context.output(1, loops.dst);
    convert_values(ElementType::i64, where.data(), out.get_element_type(), out.data(),
                   where.size());
}

const OpSpec kOps[] = {
    {.type = "MaxPool",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<MaxPoolAttrs>,
     .infer = infer_1,
     .evaluate = evaluate_1,
     .summary = "Maximum of a sliding window, 1D, 2D and 3D",
     .refused = "rank other than 3, 4, 5; kernel or strides below 1; negative pads; ceil_torch"},
    {.type = "MaxPool",
     .version = 8,
     .inputs = {1, 1},
     .make_attributes = make_attributes<MaxPool8Attrs>,
     .infer = infer_8,
     .evaluate = evaluate_8,
     .summary = "MaxPool-1 with dilations and the positions of the maxima",
     .refused = "rank other than 3, 4, 5; kernel, strides or dilations below 1; negative pads; "
                "ceil_torch"},
    {.type = "MaxPool",
     .version = 14,
     .inputs = {1, 1},
     .make_attributes = make_attributes<MaxPool8Attrs>,
     .infer = infer_8,
     .evaluate = evaluate_8,
     .summary = "MaxPool-8 with the rounding ceil_torch: no window begins in the end padding",
     .refused = "rank other than 3, 4, 5; kernel, strides or dilations below 1; negative pads"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::max_pool_ops
