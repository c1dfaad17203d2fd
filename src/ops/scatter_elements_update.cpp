// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ScatterElementsUpdate-3 and -12: out = data, then for axis 1
//   out[i][indices[i][j][k]][k] = updates[i][j][k], or reduced with it (-12).
// Integer means are rounded down; sum and max of booleans are or, prod and min are and.
#include "ops/scatter_elements_update.hpp"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "ops/axes.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/scatter/scatter_combine.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::scatter_elements_update_ops {
namespace {

ScatterElementsAttrs attrs_of(const Node& node) {
    return node.spec().version < 12 ? ScatterElementsAttrs() : node.attrs<ScatterElementsAttrs>();
}

template <class Context>
void check_shapes(const Context& context,
                  const PartialShape& data,
                  const PartialShape& indices,
                  const PartialShape& updates,
                  std::size_t axis) {
    context.require(indices.compatible(updates), "indices have shape ", to_string(indices),
                    " and updates ", to_string(updates), ", expected the same");
    context.require(data.rank() == indices.rank(), "data has rank ", data.rank(), ", indices ",
                    indices.rank(), ", expected the same");
    for (std::size_t d = 0; d < data.rank(); ++d) {
        const std::int64_t max_size = data[d].get_max_length();
        context.require(d == axis || max_size == Dimension::kUnbounded ||
                            indices[d].get_min_length() <= max_size,
                        "indices of shape ", to_string(indices), " are larger than data of shape ",
                        to_string(data), " in dimension ", d);
    }
}

void infer(InferContext& context) {
    require_indices(context, 1);
    context.require_same_type(0, 2);
    require_int_list(context, 3, "axis");
    context.require(context.type(0) != ElementType::boolean ||
                        attrs_of(context.node()).reduction != ScatterReduction::kMean,
                    "a mean of booleans");
    const PartialShape& data = context.shape(0);
    const auto axis = context.ints(3);
    if (axis && data.rank_is_static() && context.shape(1).rank_is_static() &&
        context.shape(2).rank_is_static()) {
        const std::size_t place =
            checked_axis(context, single_value(context, *axis, "axis"), data.rank());
        check_shapes(context, data, context.shape(1), context.shape(2), place);
        check_known_indices(context, 1, {&data[place], 1});
    }
    context.set_output(0, context.type(0), data);
}

// Place in data of element i of the updates, whose index along the axis is `along`.
std::size_t place_of(
    const Shape& data, const Shape& updates, std::size_t axis, std::size_t i, std::size_t along) {
    std::size_t place = 0;
    std::size_t stride = 1;
    for (std::size_t d = data.size(); d-- > 0;) {
        place += (d == axis ? along : i % updates[d]) * stride;
        i /= updates[d];
        stride *= data[d];
    }
    return place;
}

// For every element of the updates its place in data.
std::vector<std::size_t> places(const EvalContext& context) {
    const Shape& shape = context.input(0).get_shape();
    const Shape& from = context.input(1).get_shape();
    const std::size_t axis = checked_axis(
        context, single_value(context, to_ints(context.input(3)), "axis"), shape.size());
    check_shapes(context, shape, from, context.input(2).get_shape(), axis);
    const std::vector<std::int64_t> indices = to_ints(context.input(1));
    std::vector<std::size_t> result;
    result.reserve(indices.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::int64_t along =
            checked_index(context, indices[i], static_cast<std::int64_t>(shape[axis]), i);
        result.push_back(place_of(shape, from, axis, i, static_cast<std::size_t>(along)));
    }
    return result;
}

void replace(const std::vector<std::size_t>& to, const Tensor& updates, Tensor& out) {
    const std::size_t bytes = size_of(updates.get_element_type());
    const auto* values = static_cast<const std::byte*>(updates.data());
    auto* memory = static_cast<std::byte*>(out.data());
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::memcpy(memory + to[i] * bytes, values + i * bytes, bytes);
    }
}

Combine combine_of(ScatterReduction reduction) {
    switch (reduction) {
        case ScatterReduction::kSum: return Combine::kSum;
        case ScatterReduction::kProd: return Combine::kProd;
        case ScatterReduction::kMin: return Combine::kMin;
        case ScatterReduction::kMax: return Combine::kMax;
        default: return Combine::kReplace;
    }
}

template <class T>
void reduce(const ScatterElementsAttrs& attrs,
            const std::vector<std::size_t>& to,
            const T* updates,
            T* out) {
    const Combine how = combine_of(attrs.reduction);
    if (!attrs.use_init_val) {
        for (const std::size_t place : to) {
            out[place] = neutral<T>(how);
        }
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
        out[to[i]] = combined(how, out[to[i]], updates[i]);
    }
}

template <class T>
void average(const ScatterElementsAttrs& attrs,
             const std::vector<std::size_t>& to,
             const T* updates,
             Tensor& out) {
    struct Mean {
        double sum = 0;
        double count = 0;
    };
    T* values = out.data<T>();
    std::vector<Mean> means(out.get_size());
    if (attrs.use_init_val) {
        for (const std::size_t place : to) {
            means[place] = {static_cast<double>(values[place]), 1.0};
        }
    }
    for (std::size_t i = 0; i < to.size(); ++i) {
        means[to[i]].sum += static_cast<double>(updates[i]);
        ++means[to[i]].count;
    }
    for (const std::size_t place : to) {
        const double mean = means[place].sum / means[place].count;
        values[place] = static_cast<T>(std::is_integral_v<T> ? std::floor(mean) : mean);
    }
}

void evaluate(EvalContext& context) {
    const ScatterElementsAttrs attrs = attrs_of(context.node());
    const Tensor& data = context.input(0);
    const Tensor& updates = context.input(2);
    const std::vector<std::size_t> to = places(context);
    Tensor& out = context.output(0, data.get_shape());
    data.copy_to(out);
    if (attrs.reduction == ScatterReduction::kNone) {
        return replace(to, updates, out);
    }
    if (attrs.reduction == ScatterReduction::kMean) {
        return dispatch_numeric(data.get_element_type(), [&](auto tag) {
            average(attrs, to, updates.data<typename decltype(tag)::type>(), out);
        });
    }
    dispatch_elements(data.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        reduce(attrs, to, elements<T>(updates), elements<T>(out));
    });
}

OpSpec row(int version, std::unique_ptr<Attributes> (*attributes)(), std::string_view summary) {
    return {.type = "ScatterElementsUpdate",
            .version = version,
            .inputs = {4, 4},
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "indices outside the axis; a mean of booleans"};
}

const OpSpec kOps[] = {
    row(3, make_attributes<NoAttrs>, "Replaces single elements along an axis"),
    row(12, make_attributes<ScatterElementsAttrs>, "ScatterElementsUpdate-3 with reductions"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::scatter_elements_update_ops
