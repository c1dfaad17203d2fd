// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/concat.hpp"

#include <cstring>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::concat_ops {
namespace {

// Joins `next` to `all` along the axis; the other dimensions are narrowed to what both allow.
template <class Context>
void join(const Context& context, PartialShape& all, const PartialShape& next, std::size_t axis) {
    context.require(next.rank() == all.rank(), "inputs have shapes ", to_string(all), " and ",
                    to_string(next), ", expected the same rank");
    for (std::size_t d = 0; d < all.rank(); ++d) {
        if (d == axis) {
            all[d] = all[d] + next[d];
            continue;
        }
        context.require(Dimension::merge(all[d], all[d], next[d]), "inputs have the sizes ",
                        to_string(all[d]), " and ", to_string(next[d]), " in dimension ", d,
                        ", which is not the axis ", axis);
    }
}

void infer_values(InferContext& context) {
    std::vector<Dimension> values;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        const auto part = shape_values(context, i);
        if (!part) {
            return;
        }
        values.insert(values.end(), part->begin(), part->end());
    }
    set_shape_values(context, 0, std::move(values));
}

void infer(InferContext& context) {
    const std::int64_t axis = context.attrs<ConcatAttrs>().axis;
    std::optional<PartialShape> all;
    bool unknown_rank = false;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        context.require_same_type(0, i);
        const PartialShape& shape = context.shape(i);
        if (!shape.rank_is_static()) {
            unknown_rank = true;
        } else if (!all) {
            context.require(shape.rank() >= 1, "input ", i, " is a scalar");
            checked_axis(context, axis, shape.rank());
            all = shape;
        } else {
            join(context, *all, shape, checked_axis(context, axis, all->rank()));
        }
    }
    if (all && unknown_rank) {
        (*all)[checked_axis(context, axis, all->rank())] = Dimension::dynamic();
    }
    context.set_output(0, context.type(0), all.value_or(PartialShape::dynamic()));
    infer_values(context);
}

void evaluate(EvalContext& context) {
    PartialShape all = context.input(0).get_shape();
    const std::size_t axis = checked_axis(context, context.attrs<ConcatAttrs>().axis, all.rank());
    for (std::size_t i = 1; i < context.input_count(); ++i) {
        join(context, all, context.input(i).get_shape(), axis);
    }
    const Shape shape = all.to_shape();
    Tensor& out = context.output(0, shape);
    std::size_t rows = 1;
    for (std::size_t d = 0; d < axis; ++d) {
        rows *= shape[d];
    }
    if (out.get_byte_size() == 0) {
        return;
    }
    const std::size_t row = out.get_byte_size() / rows;
    auto* to = static_cast<std::byte*>(out.data());
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        const std::size_t part = context.input(i).get_byte_size() / rows;
        const auto* from = static_cast<const std::byte*>(context.input(i).data());
        for (std::size_t r = 0; part != 0 && r < rows; ++r) {
            std::memcpy(to + r * row, from + r * part, part);
        }
        to += part;
    }
}

const OpSpec kOps[] = {
    {.type = "Concat",
     .version = 1,
     .inputs = {1, Arity::kMany},
     .make_attributes = make_attributes<ConcatAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Joins tensors along an axis",
     .refused = "scalars"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::concat_ops
