// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// AdaptiveAvgPool-8, AdaptiveMaxPool-8: src [N, C, spatial...], input 1 the spatial shape of dst.
// Element i of out reads src from floor(i * in / out) to ceil((i + 1) * in / out). The second
// output of AdaptiveMaxPool is the position of each maximum in its channel.
#include "ops/adaptive_pool.hpp"

#include <cmath>

#include "model/typed.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::adaptive_pool_ops {
namespace {

bool is_max(const Node& node) {
    return node.is("AdaptiveMaxPool");
}

template <class Context>
void check_rank(const Context& context, std::size_t rank) {
    context.require(rank >= 3 && rank <= 5, "src has rank ", rank, ", expected 3, 4 or 5");
}

template <class Context>
void check_sizes(const Context& context, const std::vector<std::int64_t>& sizes, std::size_t rank) {
    constexpr std::int64_t kLargest = std::int64_t{1} << 24;
    context.require(sizes.size() == rank - 2, "output_shape has ", sizes.size(),
                    " values, expected ", rank - 2);
    for (const std::int64_t size : sizes) {
        context.require(size >= 1 && size <= kLargest, "output_shape has the value ", size,
                        ", expected one in [1, ", kLargest, "]");
    }
}

PartialShape dst_shape(const InferContext& context) {
    const PartialShape& src = context.shape(0);
    if (!src.rank_is_static()) {
        const auto count = list_length(context, 1);
        return count ? PartialShape::dynamic(*count + 2) : PartialShape::dynamic();
    }
    check_rank(context, src.rank());
    if (const auto sizes = context.ints(1)) {
        check_sizes(context, *sizes, src.rank());
    }
    const auto dims = shape_values(context, 1);
    PartialShape dst = src;
    for (std::size_t d = 2; d < src.rank(); ++d) {
        context.require(!src[d].is_static() || src[d].get_length() >= 1, "src has no elements");
        dst[d] = dims && dims->size() == src.rank() - 2 ? (*dims)[d - 2] : Dimension::dynamic();
    }
    return dst;
}

void infer(InferContext& context) {
    require_int_list(context, 1, "output_shape");
    const PartialShape dst = dst_shape(context);
    if (is_max(context.node())) {
        const ElementType index = context.attrs<AdaptiveMaxPoolAttrs>().index_element_type;
        context.require(index == ElementType::i32 || index == ElementType::i64,
                        "index_element_type is ", to_string(index), ", expected i32 or i64");
        context.set_output_count(2);
        context.set_output(1, index, dst);
    }
    context.set_output(0, context.type(0), dst);
}

// Three spatial dimensions; missing leading ones have size 1.
struct Sizes {
    std::size_t planes = 1;
    std::int64_t in[3]{1, 1, 1};
    std::int64_t out[3]{1, 1, 1};
    Shape dst;
};

Sizes sizes_of(const EvalContext& context) {
    const Shape& src = context.input(0).get_shape();
    check_rank(context, src.size());
    const std::vector<std::int64_t> wanted = to_ints(context.input(1));
    check_sizes(context, wanted, src.size());
    Sizes sizes;
    sizes.planes = src[0] * src[1];
    sizes.dst = {src[0], src[1]};
    for (std::size_t d = 0; d < wanted.size(); ++d) {
        const std::size_t at = 3 - wanted.size() + d;
        sizes.in[at] = static_cast<std::int64_t>(src[d + 2]);
        sizes.out[at] = wanted[d];
        context.require(sizes.in[at] >= 1, "src of shape ", to_string(src), " has no elements");
        sizes.dst.push_back(static_cast<std::size_t>(wanted[d]));
    }
    return sizes;
}

struct Interval {
    std::int64_t begin, end;
};
Interval interval(const Sizes& sizes, std::size_t d, std::int64_t i) {
    const std::int64_t in = sizes.in[d];
    const std::int64_t out = sizes.out[d];
    return {i * in / out, ((i + 1) * in + out - 1) / out};
}

// Calls window(z, y, x) with the intervals of every element of one plane of dst.
template <class Function>
void for_each_window(const Sizes& sizes, Function window) {
    for (std::int64_t z = 0; z < sizes.out[0]; ++z) {
        for (std::int64_t y = 0; y < sizes.out[1]; ++y) {
            for (std::int64_t x = 0; x < sizes.out[2]; ++x) {
                window(interval(sizes, 0, z), interval(sizes, 1, y), interval(sizes, 2, x));
            }
        }
    }
}

template <class Function>
void for_each_offset(const Sizes& sizes, Interval z, Interval y, Interval x, Function element) {
    for (std::int64_t d = z.begin; d < z.end; ++d) {
        for (std::int64_t h = y.begin; h < y.end; ++h) {
            for (std::int64_t w = x.begin; w < x.end; ++w) {
                element((d * sizes.in[1] + h) * sizes.in[2] + w);
            }
        }
    }
}

void evaluate_avg(EvalContext& context) {
    const Tensor& src = context.input(0);
    const Sizes sizes = sizes_of(context);
    Tensor& dst = context.output(0, sizes.dst);
    const std::int64_t plane = sizes.in[0] * sizes.in[1] * sizes.in[2];
    dispatch_numeric(src.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* values = src.data<T>();
        T* out = dst.data<T>();
        for (std::size_t p = 0; p < sizes.planes; ++p, values += plane) {
            for_each_window(sizes, [&](Interval z, Interval y, Interval x) {
                double sum = 0;
                double count = 0;
                for_each_offset(sizes, z, y, x, [&](std::int64_t offset) {
                    sum += static_cast<double>(values[offset]);
                    ++count;
                });
                const double mean = sum / count;
                *out++ = static_cast<T>(std::is_integral_v<T> ? std::nearbyint(mean) : mean);
            });
        }
    });
}

void evaluate_max(EvalContext& context) {
    const Tensor& src = context.input(0);
    const Sizes sizes = sizes_of(context);
    Tensor& dst = context.output(0, sizes.dst);
    std::vector<std::int64_t> where;
    where.reserve(dst.get_size());
    const std::int64_t plane = sizes.in[0] * sizes.in[1] * sizes.in[2];
    dispatch_numeric(src.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* values = src.data<T>();
        T* out = dst.data<T>();
        for (std::size_t p = 0; p < sizes.planes; ++p, values += plane) {
            for_each_window(sizes, [&](Interval z, Interval y, Interval x) {
                std::int64_t best = -1;
                for_each_offset(sizes, z, y, x, [&](std::int64_t offset) {
                    best = best < 0 || values[offset] > values[best] ? offset : best;
                });
                *out++ = values[best];
                where.push_back(best);
            });
        }
    });
    Tensor& indices = context.output(1, sizes.dst);
    convert_values(ElementType::i64, where.data(), indices.get_element_type(), indices.data(),
                   where.size());
}

const OpSpec kOps[] = {
    {.type = "AdaptiveAvgPool",
     .version = 8,
     .inputs = {2, 2},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate_avg,
     .summary = "Mean over windows that give an output of a wanted size",
     .refused = "rank other than 3, 4, 5; sizes below 1"},
    {.type = "AdaptiveMaxPool",
     .version = 8,
     .inputs = {2, 2},
     .make_attributes = make_attributes<AdaptiveMaxPoolAttrs>,
     .infer = infer,
     .evaluate = evaluate_max,
     .summary = "Maximum over windows that give an output of a wanted size, and its position",
     .refused = "rank other than 3, 4, 5; sizes below 1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::adaptive_pool_ops
