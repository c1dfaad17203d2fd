// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/typed.hpp"
#include "ops/axes.hpp"
#include "ops/broadcast.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::reduce_ops {
namespace {

bool logical(const Node& node) {
    return node.is("ReduceLogicalAnd") || node.is("ReduceLogicalOr");
}

ElementType output_type(const InferContext& context) {
    const ElementType src = context.type(0);
    const ElementType wanted = context.attrs<ReduceAttrs>().output_type;
    if (logical(context.node())) {
        context.require_type(0, ElementType::boolean, "input");
        return src;
    }
    context.require(is_real(src) || is_integral(src), "input is ", to_string(src),
                    ", expected a numeric type");
    if (wanted == ElementType::undefined || wanted == src) {
        return src;
    }
    const bool sum = context.node().is("ReduceMean") || context.node().is("ReduceSum");
    context.require(sum && is_integral(src) && wanted == ElementType::f32, "output_type is ",
                    to_string(wanted), " for an input of type ", to_string(src));
    return wanted;
}

// Product of the elements of a shape, the only reduction that shapes are computed with.
void infer_values(InferContext& context) {
    const auto values = shape_values(context, 0);
    const auto axes = context.ints(1);
    if (!context.node().is("ReduceProd") || !values || !axes || context.shape(0).rank() != 1 ||
        axes->size() != 1) {
        return;
    }
    Dimension product = 1;
    for (const Dimension& value : *values) {
        // An open value may be negative (a -1 of a pattern): nothing follows from it.
        product = value.is_static() ? product * value : Dimension::dynamic();
        if (product.is_dynamic()) {
            break;
        }
    }
    set_shape_values(context, 0, {product});
}

void infer(InferContext& context) {
    const bool keep = context.attrs<ReduceAttrs>().keep_dims;
    const ElementType type = output_type(context);
    require_int_list(context, 1, "axes");
    const PartialShape& src = context.shape(0);
    const auto axes = context.ints(1);
    const auto count = list_length(context, 1);
    PartialShape dst = PartialShape::dynamic();
    if (src.rank_is_static() && axes) {
        dst = reduced_shape(src, checked_axes(context, *axes, src.rank()), keep);
    } else if (src.rank_is_static() && keep) {
        dst = PartialShape::dynamic(src.rank());
    } else if (src.rank_is_static() && count && *count <= src.rank()) {
        dst = PartialShape::dynamic(src.rank() - *count);
    }
    context.set_output(0, type, dst);
    infer_values(context);
}

// Folds every element of src into its element of dst, which holds `start` at first.
template <class T, class Sum, class Function>
std::vector<Sum> fold(const Tensor& src, const Shape& kept, Sum start, Function function) {
    std::vector<Sum> sums(shape_size(kept), start);
    const T* x = static_cast<const T*>(src.data());
    for (StridedLoop loop(src.get_shape(), {broadcast_strides(kept, src.get_shape())});
         !loop.done(); loop.next()) {
        Sum& sum = sums[loop.offset(0)];
        sum = function(sum, x[loop.position()]);
    }
    return sums;
}

// Sums in double, or in the wrapping arithmetic of 64 bit integers for integer types.
template <class T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;

template <class T>
T absolute(T x) {
    return x < T{0} ? static_cast<T>(T{0} - x) : x;
}

template <class T>
constexpr T lowest() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}
template <class T>
constexpr T highest() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class T>
std::vector<T> reduce_values(const Node& node, const Tensor& src, const Shape& kept) {
    const auto as_type = [](const auto& sums) { return std::vector<T>(sums.begin(), sums.end()); };
    const auto add = [](Wide<T> sum, T x) { return sum + static_cast<Wide<T>>(x); };
    if (node.is("ReduceSum")) {
        return as_type(fold<T>(src, kept, Wide<T>{0}, add));
    }
    if (node.is("ReduceProd")) {
        return as_type(fold<T>(src, kept, Wide<T>{1},
                               [](Wide<T> p, T x) { return p * static_cast<Wide<T>>(x); }));
    }
    if (node.is("ReduceMax")) {
        return fold<T>(src, kept, lowest<T>(), [](T m, T x) { return std::max(m, x); });
    }
    if (node.is("ReduceMin")) {
        return fold<T>(src, kept, highest<T>(), [](T m, T x) { return std::min(m, x); });
    }
    if (node.is("ReduceL1")) {
        return as_type(
            fold<T>(src, kept, Wide<T>{0}, [&](Wide<T> s, T x) { return add(s, absolute(x)); }));
    }
    std::vector<double> squares = fold<T>(src, kept, 0.0, [](double s, T x) {
        return s + static_cast<double>(x) * static_cast<double>(x);
    });
    for (double& value : squares) {
        value = std::sqrt(value);
    }
    std::vector<T> result(squares.size());
    convert_values(ElementType::f64, squares.data(), element_type_of<T>(), result.data(),
                   result.size());
    return result;
}

// Mean of each group; integer means are truncated. Also the sum, for an integer src and a real dst.
template <class T, class Dst>
void mean_or_sum(const Node& node, const Tensor& src, const Shape& kept, Dst* dst) {
    const std::vector<double> sums =
        fold<T>(src, kept, 0.0, [](double s, T x) { return s + static_cast<double>(x); });
    const double count =
        node.is("ReduceSum") || sums.empty()
            ? 1.0
            : static_cast<double>(src.get_size()) / static_cast<double>(sums.size());
    std::vector<double> means = sums;
    for (double& value : means) {
        value /= count;
    }
    convert_values(ElementType::f64, means.data(), element_type_of<Dst>(), dst, means.size());
}

void reduce_booleans(const Node& node, const Tensor& src, const Shape& kept, Tensor& dst) {
    const bool all = node.is("ReduceLogicalAnd");
    const std::vector<std::uint8_t> values = fold<std::uint8_t>(
        src, kept, static_cast<std::uint8_t>(all), [&](std::uint8_t sum, std::uint8_t x) {
            const bool both = all ? (sum != 0 && x != 0) : (sum != 0 || x != 0);
            return static_cast<std::uint8_t>(both);
        });
    std::copy(values.begin(), values.end(), static_cast<std::uint8_t*>(dst.data()));
}

void evaluate(EvalContext& context) {
    const Node& node = context.node();
    const Tensor& src = context.input(0);
    const PartialShape shape = src.get_shape();
    const std::vector<std::size_t> axes =
        checked_axes(context, to_ints(context.input(1)), shape.rank());
    const Shape kept = reduced_shape(shape, axes, true).to_shape();
    Tensor& dst = context.output(
        0, reduced_shape(shape, axes, context.attrs<ReduceAttrs>().keep_dims).to_shape());
    if (logical(node)) {
        return reduce_booleans(node, src, kept, dst);
    }
    dispatch_numeric(src.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        if (dst.get_element_type() != src.get_element_type()) {
            return mean_or_sum<T>(node, src, kept, dst.data<float>());
        }
        if (node.is("ReduceMean")) {
            return mean_or_sum<T>(node, src, kept, dst.data<T>());
        }
        const std::vector<T> values = reduce_values<T>(node, src, kept);
        std::copy(values.begin(), values.end(), dst.data<T>());
    });
}

OpSpec row(std::string_view type, int version, std::string_view summary) {
    return {.type = type,
            .version = version,
            .inputs = {2, 2},
            .make_attributes = make_attributes<ReduceAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "an axis named twice"};
}

const OpSpec kOps[] = {
    row("ReduceMean", 1, "Mean along axes"),
    row("ReduceSum", 1, "Sum along axes"),
    row("ReduceProd", 1, "Product along axes"),
    row("ReduceMax", 1, "Maximum along axes"),
    row("ReduceMin", 1, "Minimum along axes"),
    row("ReduceL1", 4, "Sum of absolute values along axes"),
    row("ReduceL2", 4, "Root of the sum of squares along axes"),
    row("ReduceLogicalAnd", 1, "Whether all are true along axes"),
    row("ReduceLogicalOr", 1, "Whether one is true along axes"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::reduce_ops
