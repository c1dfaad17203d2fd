// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Unique-10: the distinct elements of a tensor, or, with an axis (input 1), the distinct slices
// along it. Outputs: these, where each first occurs, for every element or slice of the input its
// number among them, and how often each occurs. Slices are ordered by their first difference in
// row-major order; NaN equals NaN and comes after all numbers.
#include "ops/sorting/unique.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "ops/axes.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/scalars.hpp"
#include "ops/truth.hpp"

namespace fuseq::unique_ops {
namespace {

constexpr std::size_t kOutputs = 4;

void check_index_type(const InferContext& context, ElementType type, const char* name) {
    context.require(type == ElementType::i32 || type == ElementType::i64, name, " is ",
                    to_string(type), ", expected i32 or i64");
}

// Between one and all of `size`; none of none.
Dimension some_of(const Dimension& size) {
    return {size.get_min_length() > 0 ? 1 : 0, size.get_max_length()};
}

struct Shapes {
    PartialShape unique = PartialShape::dynamic();
    Dimension size;  // elements or slices of the input
};

Shapes shapes_of(const InferContext& context) {
    const PartialShape& src = context.shape(0);
    Shapes shapes;
    if (!context.has_input(1)) {
        if (src.rank_is_static()) {
            shapes.size =
                std::accumulate(src.begin(), src.end(), Dimension(1),
                                [](const Dimension& a, const Dimension& b) { return a * b; });
        }
        shapes.unique = PartialShape{some_of(shapes.size)};
        return shapes;
    }
    const auto known = known_int(context, 1, 0);
    if (!src.rank_is_static()) {
        return shapes;
    }
    if (!known) {
        shapes.unique = PartialShape::dynamic(src.rank());
        return shapes;
    }
    const std::size_t axis = checked_axis(context, *known, src.rank());
    shapes.size = src[axis];
    shapes.unique = src;
    shapes.unique[axis] = some_of(shapes.size);
    return shapes;
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<UniqueAttrs>();
    check_index_type(context, attrs.index_element_type, "index_element_type");
    check_index_type(context, attrs.count_element_type, "count_element_type");
    require_int_scalar(context, 1, "axis");
    const Shapes shapes = shapes_of(context);
    const PartialShape count{some_of(shapes.size)};
    context.set_output_count(kOutputs);
    context.set_output(0, context.type(0), shapes.unique);
    context.set_output(1, attrs.index_element_type, count);
    context.set_output(2, attrs.index_element_type, PartialShape{shapes.size});
    context.set_output(3, attrs.count_element_type, count);
}

// The input as [outer, size, inner]: slice i is [outer, i, inner].
struct Slices {
    std::size_t outer = 1;
    std::size_t size = 1;
    std::size_t inner = 1;
    std::size_t offset(std::size_t o, std::size_t i) const { return (o * size + i) * inner; }
};

template <class T>
int order_of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) {
            return int{std::isnan(a)} - int{std::isnan(b)};
        }
    }
    return int{a > b} - int{a < b};
}
int order_of(Truth a, Truth b) {
    return int{a.value()} - int{b.value()};
}

// Below 0, 0 or above 0: slice a comes before b, is equal to it, comes after it.
template <class T>
int order_of(const T* values, const Slices& slices, std::size_t a, std::size_t b) {
    for (std::size_t o = 0; o < slices.outer; ++o) {
        const T* x = values + slices.offset(o, a);
        const T* y = values + slices.offset(o, b);
        for (std::size_t i = 0; i < slices.inner; ++i) {
            if (const int order = order_of(x[i], y[i]); order != 0) {
                return order;
            }
        }
    }
    return 0;
}

// Equal slices, in the order of the input.
using Group = std::vector<std::size_t>;

template <class T>
std::vector<Group> groups_of(const T* values, const Slices& slices, bool sorted) {
    std::vector<std::size_t> order(slices.size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return order_of(values, slices, a, b) < 0;
    });
    std::vector<Group> groups;
    for (const std::size_t i : order) {
        if (groups.empty() || order_of(values, slices, groups.back().front(), i) != 0) {
            groups.emplace_back();
        }
        groups.back().push_back(i);
    }
    if (!sorted) {
        std::sort(groups.begin(), groups.end(),
                  [](const Group& a, const Group& b) { return a.front() < b.front(); });
    }
    return groups;
}

void write_list(EvalContext& context, std::size_t i, const std::vector<std::int64_t>& values) {
    Tensor& out = context.output(i, Shape{values.size()});
    convert_values(ElementType::i64, values.data(), out.get_element_type(), out.data(),
                   values.size());
}

void write_slices(const Tensor& in,
                  const Slices& slices,
                  const std::vector<Group>& groups,
                  Tensor& out) {
    const std::size_t bytes = slices.inner * size_of(in.get_element_type());
    std::byte* to = elements<std::byte>(out);
    for (std::size_t o = 0; bytes != 0 && o < slices.outer; ++o) {
        for (const Group& group : groups) {
            std::memcpy(to, elements<std::byte>(in) + (o * slices.size + group.front()) * bytes,
                        bytes);
            to += bytes;
        }
    }
}

void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    Shape shape{in.get_size()};
    std::size_t axis = 0;
    if (context.has_input(1)) {
        shape = in.get_shape();
        axis = checked_axis(context, int_input(context, 1, "axis", 0), shape.size());
    }
    const Slices slices{partial_size(shape, 0, axis), shape[axis],
                        partial_size(shape, axis + 1, shape.size())};
    std::vector<Group> groups;
    dispatch_elements(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        groups = groups_of(elements<T>(in), slices, context.attrs<UniqueAttrs>().sorted);
    });
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> number(slices.size);
    std::vector<std::int64_t> count;
    for (const Group& group : groups) {
        for (const std::size_t i : group) {
            number[i] = static_cast<std::int64_t>(count.size());
        }
        first.push_back(static_cast<std::int64_t>(group.front()));
        count.push_back(static_cast<std::int64_t>(group.size()));
    }
    shape[axis] = groups.size();
    write_slices(in, slices, groups, context.output(0, shape));
    write_list(context, 1, first);
    write_list(context, 2, number);
    write_list(context, 3, count);
}

const OpSpec kOps[] = {
    {.type = "Unique",
     .version = 10,
     .inputs = {1, 2},
     .make_attributes = make_attributes<UniqueAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The distinct elements or slices, where they occur and how often"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::unique_ops
