// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Squeeze-1 drops dimensions of size 1: those that input 1 names, or all; a named dimension of
// another size stays. Squeeze-15 can say that this may happen to open ones. Unsqueeze-1 puts
// dimensions in: input 1 names their places in the result.
#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::squeeze_ops {
namespace {

struct Squeeze15Attrs final : AttributesOf<Squeeze15Attrs> {
    // A named dimension that is open may be another one than 1; then it stays.
    bool allow_axis_skip = false;
    void visit(AttributeVisitor& v) override { v.optional("allow_axis_skip", allow_axis_skip); }
};

using Axes = std::optional<std::vector<std::int64_t>>;

// The result; of unknown rank where that depends on open dimensions. No axes: all. A named
// dimension that is open counts as 1, unless it may stay.
template <class Context>
PartialShape squeezed(const Context& context,
                      const PartialShape& src,
                      const Axes& axes,
                      bool open_may_stay) {
    const bool all = !axes || axes->empty();
    std::vector<bool> named(src.rank(), all);
    for (const std::size_t axis :
         checked_axes(context, axes.value_or(std::vector<std::int64_t>{}), src.rank())) {
        named[axis] = true;
    }
    std::vector<Dimension> dst;
    for (std::size_t d = 0; d < src.rank(); ++d) {
        const bool may_go = named[d] && src[d].compatible(1);
        if (may_go && !src[d].is_static() && (all || open_may_stay)) {
            return PartialShape::dynamic();
        }
        if (!may_go) {
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

void finish(InferContext& context, const PartialShape& dst) {
    context.set_output(0, context.type(0), dst);
    if (auto values = shape_values(context, 0)) {
        set_shape_values(context, 0, std::move(*values));
    }
}

bool open_may_stay(const Node& node) {
    return node.spec().version != 1 && node.attrs<Squeeze15Attrs>().allow_axis_skip;
}

void infer_squeeze(InferContext& context) {
    const PartialShape& src = context.shape(0);
    Axes axes;
    if (context.has_input(1)) {
        require_int_list(context, 1, "axes");
        axes = context.ints(1);
    }
    const bool known = src.rank_is_static() && (axes || !context.has_input(1));
    finish(context, known ? squeezed(context, src, axes, open_may_stay(context.node()))
                          : PartialShape::dynamic());
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
    const PartialShape src = context.input(0).get_shape();
    const Axes axes = context.has_input(1) ? Axes(to_ints(context.input(1))) : std::nullopt;
    const PartialShape dst = squeezed(context, src, axes, false);
    // Inference took open dimensions for 1.
    const PartialShape& expected = context.node().port(0).shape;
    context.require(dst.compatible(expected), "src of shape ", to_string(src), " gives ",
                    to_string(dst), ", expected ", to_string(expected),
                    ": a dimension that axes names is not 1");
    copy_as(context, dst);
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
     .refused = "axes outside of the rank or named twice"},
    {.type = "Squeeze",
     .version = 15,
     .inputs = {1, 2},
     .make_attributes = make_attributes<Squeeze15Attrs>,
     .infer = infer_squeeze,
     .evaluate = evaluate_squeeze,
     .summary = "Squeeze-1 with allow_axis_skip: open dimensions need not be 1",
     .refused = "axes outside of the rank or named twice"},
    {.type = "Unsqueeze",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_unsqueeze,
     .evaluate = evaluate_unsqueeze,
     .summary = "Puts in dimensions of size 1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::squeeze_ops
