// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ShuffleChannels-1: the axis seen as [group, size / group] is transposed.
#include "ops/shuffle_channels.hpp"

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::shuffle_channels_ops {
namespace {

template <class Context>
std::size_t checked(const Context& context, const PartialShape& src) {
    const auto& attrs = context.template attrs<ShuffleChannelsAttrs>();
    context.require(attrs.group >= 1, "group is ", attrs.group, ", expected 1 or more");
    const std::size_t axis = checked_axis(context, attrs.axis, src.rank());
    context.require(!src[axis].is_static() || src[axis].get_length() % attrs.group == 0, "group ",
                    attrs.group, " does not divide the axis of size ", to_string(src[axis]));
    return axis;
}

void infer(InferContext& context) {
    if (context.shape(0).rank_is_static()) {
        checked(context, context.shape(0));
    }
    context.set_output(0, context.type(0), context.shape(0));
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    const Shape& shape = src.get_shape();
    const std::size_t axis = checked(context, shape);
    const auto group = static_cast<std::size_t>(context.attrs<ShuffleChannelsAttrs>().group);
    Tensor& dst = context.output(0, shape);
    std::size_t outer = 1;
    std::size_t inner = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        (d < axis ? outer : inner) *= d == axis ? 1 : shape[d];
    }
    const std::size_t each = shape[axis] / group;
    Tensor mixed = dst.reshaped({outer, each, group, inner});
    copy_transposed(src.reshaped({outer, group, each, inner}), {0, 2, 1, 3}, mixed);
}

const OpSpec kOps[] = {
    {.type = "ShuffleChannels",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<ShuffleChannelsAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Interleaves the groups of an axis",
     .refused = "a group that does not divide the axis"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::shuffle_channels_ops
