// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Squeeze-1 drops dimensions of size 1: those that input 1 names, or all. Unsqueeze-1 puts them in:
// input 1 names their places in the result.
#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq {
namespace {

template <class Context>
PartialShape squeezed(const Context& context,
                      const PartialShape& src,
                      const std::vector<std::int64_t>& axes) {
    std::vector<bool> drop(src.rank(), false);
    for (const std::size_t axis : checked_axes(context, axes, src.rank())) {
        context.require(src[axis].compatible(1), "axes names dimension ", axis, " of size ",
                        to_string(src[axis]), ", expected 1");
        drop[axis] = true;
    }
    std::vector<Dimension> dst;
    for (std::size_t d = 0; d < src.rank(); ++d) {
        if (!drop[d]) {
            dst.push_back(src[d]);
        }
    }
    return PartialShape(dst);
}

template <class Context>
PartialShape unsqueezed(const Context& context,
                        const PartialShape& src,
                        const std::vector<std::int64_t>& axes) {
    constexpr std::size_t kHighestRank = 64;
    context.require(axes.size() <= kHighestRank, "axes has ", axes.size(), " values");
    std::vector<Dimension> dst = src.dims();
    for (const std::size_t axis : checked_axes(context, axes, src.rank() + axes.size())) {
        dst.insert(dst.begin() + static_cast<std::ptrdiff_t>(axis), Dimension(1));
    }
    return PartialShape(dst);
}

std::vector<std::int64_t> ones_of(const Shape& shape) {
    std::vector<std::int64_t> axes;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) {
            axes.push_back(static_cast<std::int64_t>(d));
        }
    }
    return axes;
}

void finish(InferContext& context, const PartialShape& dst) {
    context.set_output(0, context.type(0), dst);
    if (auto values = shape_values(context, 0)) {
        set_shape_values(context, 0, std::move(*values));
    }
}

void infer_squeeze(InferContext& context) {
    const PartialShape& src = context.shape(0);
    PartialShape dst = PartialShape::dynamic();
    if (!context.has_input(1)) {
        if (src.is_static()) {
            dst = squeezed(context, src, ones_of(src.to_shape()));
        }
    } else {
        require_int_list(context, 1, "axes");
        const auto axes = context.ints(1);
        const auto count = list_length(context, 1);
        if (src.rank_is_static() && axes) {
            dst = squeezed(context, src, *axes);
        } else if (src.rank_is_static() && count && *count <= src.rank()) {
            dst = PartialShape::dynamic(src.rank() - *count);
        }
    }
    finish(context, dst);
}

void infer_unsqueeze(InferContext& context) {
    const PartialShape& src = context.shape(0);
    require_int_list(context, 1, "axes");
    const auto axes = context.ints(1);
    const auto count = list_length(context, 1);
    PartialShape dst = PartialShape::dynamic();
    if (src.rank_is_static() && axes) {
        dst = unsqueezed(context, src, *axes);
    } else if (src.rank_is_static() && count) {
        dst = PartialShape::dynamic(src.rank() + *count);
    }
    finish(context, dst);
}

void copy_as(EvalContext& context, const PartialShape& shape) {
    const Shape dst = shape.to_shape();
    Tensor& out = context.output(0, dst);
    context.input(0).reshaped(dst).copy_to(out);
}

void evaluate_squeeze(EvalContext& context) {
    const Shape& src = context.input(0).get_shape();
    copy_as(context, squeezed(context, src,
                              context.has_input(1) ? to_ints(context.input(1)) : ones_of(src)));
}

void evaluate_unsqueeze(EvalContext& context) {
    copy_as(context, unsqueezed(context, context.input(0).get_shape(), to_ints(context.input(1))));
}

const OpSpec kOps[] = {
    {.type = "Squeeze",
     .version = 1,
     .inputs = {1, 2},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_squeeze,
     .evaluate = evaluate_squeeze,
     .summary = "Drops dimensions of size 1",
     .refused = "axes of another size than 1"},
    {.type = "Unsqueeze",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_unsqueeze,
     .evaluate = evaluate_unsqueeze,
     .summary = "Puts in dimensions of size 1"},
};

}  // namespace

std::span<const OpSpec> squeeze_ops() {
    return kOps;
}

}  // namespace fuseq
