// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Split-1 cuts an axis into num_splits equal parts, VariadicSplit-1 into parts of given lengths,
// one of which may be -1: what is left.
#include "ops/split.hpp"

#include <cstring>
#include <numeric>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::split_ops {
namespace {

constexpr std::int64_t kMaxParts = 1 << 16;

// Sizes of the parts of a dimension; open ones where the dimension is.
template <class Context>
std::vector<Dimension> equal_parts(const Context& context, const Dimension& size) {
    const std::int64_t parts = context.template attrs<SplitAttrs>().num_splits;
    context.require(parts >= 1 && parts <= kMaxParts, "num_splits is ", parts,
                    ", expected a value in [1, ", kMaxParts, "]");
    Dimension part = Dimension::dynamic();
    if (size.is_static()) {
        context.require(size.get_length() % parts == 0, "num_splits ", parts,
                        " does not divide the axis of size ", size.get_length());
        part = size.get_length() / parts;
    }
    return std::vector<Dimension>(static_cast<std::size_t>(parts), part);
}

template <class Context>
std::vector<Dimension> listed_parts(const Context& context,
                                    const Dimension& size,
                                    const std::vector<std::int64_t>& lengths) {
    std::vector<Dimension> parts;
    Dimension sum = 0;
    std::size_t open = lengths.size();
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        context.require(lengths[i] >= -1, "split_lengths has the value ", lengths[i],
                        ", expected -1 or more");
        context.require(lengths[i] >= 0 || open == lengths.size(), "split_lengths has -1 twice");
        parts.emplace_back(lengths[i]);
        if (lengths[i] < 0) {
            open = i;
        } else {
            sum = sum + parts.back();
        }
    }
    if (!size.is_static()) {
        return parts;
    }
    const std::int64_t whole = size.get_length();
    const bool fits = sum.is_static() && (open < lengths.size() ? sum.get_length() <= whole
                                                                : sum.get_length() == whole);
    context.require(fits, "split_lengths add up to ", to_string(sum), ", the axis has size ",
                    whole);
    if (open < lengths.size()) {
        parts[open] = whole - sum.get_length();
    }
    return parts;
}

void set_parts(InferContext& context,
               const PartialShape& src,
               std::size_t axis,
               const std::vector<Dimension>& parts) {
    context.set_output_count(parts.size());
    const auto values = shape_values(context, 0);
    std::size_t first = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        PartialShape part = src;
        part[axis] = parts[i];
        context.set_output(i, context.type(0), part);
        if (values && parts[i].is_static()) {
            const auto count = static_cast<std::size_t>(parts[i].get_length());
            const auto begin = values->begin() + static_cast<std::ptrdiff_t>(first);
            set_shape_values(context, i, {begin, begin + static_cast<std::ptrdiff_t>(count)});
            first += count;
        }
    }
}

void set_open_parts(InferContext& context, std::size_t count) {
    const PartialShape& src = context.shape(0);
    context.set_output_count(count);
    for (std::size_t i = 0; i < count; ++i) {
        context.set_output(
            i, context.type(0),
            src.rank_is_static() ? PartialShape::dynamic(src.rank()) : PartialShape::dynamic());
    }
}

// The axis as a place in src, where both are known.
std::optional<std::size_t> known_axis(InferContext& context) {
    require_int_list(context, 1, "axis");
    const auto axis = context.ints(1);
    if (!axis || !context.shape(0).rank_is_static()) {
        return std::nullopt;
    }
    return checked_axis(context, single_value(context, *axis, "axis"), context.shape(0).rank());
}

void infer_split(InferContext& context) {
    const auto axis = known_axis(context);
    if (!axis) {
        set_open_parts(context, equal_parts(context, Dimension::dynamic()).size());
        return;
    }
    const PartialShape src = context.shape(0);
    set_parts(context, src, *axis, equal_parts(context, src[*axis]));
}

void infer_variadic(InferContext& context) {
    const auto axis = known_axis(context);
    require_int_list(context, 2, "split_lengths");
    const auto count = list_length(context, 2);
    context.require(count.has_value(), "the number of split_lengths is not known");
    context.require(*count >= 1 && *count <= kMaxParts, "split_lengths has ", *count,
                    " values, expected 1 to ", kMaxParts);
    const auto lengths = context.ints(2);
    if (!axis || !lengths) {
        if (lengths) {
            listed_parts(context, Dimension::dynamic(), *lengths);
        }
        set_open_parts(context, *count);
        return;
    }
    const PartialShape src = context.shape(0);
    set_parts(context, src, *axis, listed_parts(context, src[*axis], *lengths));
}

void cut(EvalContext& context, std::size_t axis, const std::vector<Dimension>& parts) {
    const Tensor& src = context.input(0);
    context.require(parts.size() == context.output_count(), "splits into ", parts.size(),
                    " parts, the layer has ", context.output_count(), " outputs");
    std::size_t rows = 1;
    for (std::size_t d = 0; d < axis; ++d) {
        rows *= src.get_shape()[d];
    }
    const std::size_t row = rows == 0 ? 0 : src.get_byte_size() / rows;
    const auto* from = static_cast<const std::byte*>(src.data());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        Shape shape = src.get_shape();
        shape[axis] = static_cast<std::size_t>(parts[i].get_length());
        Tensor& out = context.output(i, shape);
        const std::size_t part = rows == 0 ? 0 : out.get_byte_size() / rows;
        auto* to = static_cast<std::byte*>(out.data());
        for (std::size_t r = 0; part != 0 && r < rows; ++r) {
            std::memcpy(to + r * part, from + r * row, part);
        }
        from += part;
    }
}

std::size_t run_axis(const EvalContext& context) {
    return checked_axis(context, single_value(context, to_ints(context.input(1)), "axis"),
                        context.input(0).get_shape().size());
}

void evaluate_split(EvalContext& context) {
    const std::size_t axis = run_axis(context);
    const auto size = static_cast<std::int64_t>(context.input(0).get_shape()[axis]);
    cut(context, axis, equal_parts(context, size));
}

void evaluate_variadic(EvalContext& context) {
    const std::size_t axis = run_axis(context);
    const auto size = static_cast<std::int64_t>(context.input(0).get_shape()[axis]);
    cut(context, axis, listed_parts(context, size, to_ints(context.input(2))));
}

const OpSpec kOps[] = {
    {.type = "Split",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<SplitAttrs>,
     .infer = infer_split,
     .evaluate = evaluate_split,
     .summary = "Cuts an axis into equal parts",
     .refused = "num_splits that does not divide the axis"},
    {.type = "VariadicSplit",
     .version = 1,
     .inputs = {3, 3},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_variadic,
     .evaluate = evaluate_variadic,
     .summary = "Cuts an axis into parts of given lengths",
     .refused = "split_lengths of unknown number"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::split_ops
