// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/top_k.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/typed.hpp"
#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/scalars.hpp"

namespace fuseq::top_k_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<TopKAttrs>();
    const ElementType index = attrs.index_element_type;
    context.require(index == ElementType::i32 || index == ElementType::i64,
                    "index_element_type is ", to_string(index), ", expected i32 or i64");
    require_int_scalar(context, 1, "k");
    const auto k = known_int(context, 1, 0);
    context.require(!k || *k >= 0, "k is ", k.value_or(0), ", expected 0 or more");
    PartialShape shape = context.shape(0);
    if (shape.rank_is_static()) {
        Dimension& size = shape[context.normalize_axis(attrs.axis, shape.rank(), "axis")];
        if (k) {
            context.require(
                size.get_max_length() == Dimension::kUnbounded || *k <= size.get_max_length(),
                "k is ", *k, ", but axis ", attrs.axis, " has ", to_string(size), " elements");
            size = *k;
        } else {
            const auto known = context.dims(1);
            Dimension within(0, size.get_max_length());
            if (known && known->size() == 1) {
                Dimension::merge(within, within, known->front());
            }
            size = within;
        }
    }
    context.set_output_count(2);
    context.set_output(0, context.type(0), shape);
    context.set_output(1, index, shape);
}

// Whether x stands before y: NaN stands after all numbers.
template <class T>
bool before(T x, T y, bool largest) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(x) || std::isnan(y)) {
            return !std::isnan(x) && std::isnan(y);
        }
    }
    return largest ? x > y : x < y;
}

struct Line {
    std::size_t offset;
    std::size_t stride;
    std::size_t size;
};

// Positions along the line of the k best values, in the order of the output.
template <class T>
std::vector<std::size_t> best(const T* values,
                              const Line& line,
                              std::size_t k,
                              const TopKAttrs& attrs) {
    std::vector<std::size_t> order(line.size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const bool largest = attrs.mode == TopKMode::kMax;
    const auto value = [&](std::size_t i) { return values[line.offset + i * line.stride]; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return before(value(a), value(b), largest);
    });
    order.resize(k);
    if (attrs.sort == TopKSort::kIndex) {
        std::sort(order.begin(), order.end());
    }
    return order;
}

template <class T>
void run(EvalContext& context, std::size_t axis, std::size_t k) {
    const auto& attrs = context.attrs<TopKAttrs>();
    const Tensor& in = context.input(0);
    Shape shape = in.get_shape();
    const std::size_t size = shape[axis];
    std::size_t inner = 1;
    for (std::size_t d = axis + 1; d < shape.size(); ++d) {
        inner *= shape[d];
    }
    shape[axis] = k;
    Tensor& values = context.output(0, shape);
    Tensor& indices = context.output(1, shape);
    const std::size_t lines = k == 0 ? 0 : values.get_size() / k;
    const T* src = in.data<T>();
    T* dst = values.data<T>();
    for (std::size_t n = 0; n < lines; ++n) {
        const std::size_t outer = n / inner;
        const std::size_t at = n % inner;
        const auto order = best(src, Line{outer * size * inner + at, inner, size}, k, attrs);
        for (std::size_t i = 0; i < k; ++i) {
            const std::size_t to = (outer * k + i) * inner + at;
            dst[to] = src[outer * size * inner + order[i] * inner + at];
            if (attrs.index_element_type == ElementType::i32) {
                indices.data<std::int32_t>()[to] = static_cast<std::int32_t>(order[i]);
            } else {
                indices.data<std::int64_t>()[to] = static_cast<std::int64_t>(order[i]);
            }
        }
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<TopKAttrs>();
    const Shape& shape = context.input(0).get_shape();
    const auto rank = static_cast<std::int64_t>(shape.size());
    context.require(attrs.axis >= -rank && attrs.axis < rank, "axis is ", attrs.axis,
                    " for a tensor of rank ", rank);
    const std::size_t axis = wrapped_axis(attrs.axis, shape.size());
    const std::int64_t k = int_input(context, 1, "k", 0);
    context.require(k >= 0 && k <= static_cast<std::int64_t>(shape[axis]), "k is ", k,
                    ", but axis ", attrs.axis, " has ", shape[axis], " elements");
    dispatch_numeric(context.input(0).get_element_type(), [&](auto tag) {
        run<typename decltype(tag)::type>(context, axis, static_cast<std::size_t>(k));
    });
}

OpSpec row(int version, std::unique_ptr<Attributes> (*attributes)(), std::string_view summary) {
    return {.type = "TopK",
            .version = version,
            .inputs = {2, 2},
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "k above the size of the axis"};
}

const OpSpec kOps[] = {
    row(1, make_attributes<TopKAttrs>, "The k largest or smallest values along an axis"),
    row(3, make_attributes<TopKAttrs>, "The same; k of any integer type"),
    row(11, make_attributes<TopK11Attrs>, "The same; equal values always keep their order"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::top_k_ops
