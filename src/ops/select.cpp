// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Select-1: then where the condition is true, else otherwise; elements of any type.
#include "ops/select.hpp"

#include <cstring>

#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq {
namespace {

// Elements of a shape; where the condition is not known, those that both sides agree on.
void infer_values(InferContext& context) {
    const auto condition = context.ints(0);
    const auto yes = shape_values(context, 1);
    const auto no = shape_values(context, 2);
    if (!yes || !no || yes->size() != no->size()) {
        return;
    }
    std::vector<Dimension> values;
    for (std::size_t i = 0; i < yes->size(); ++i) {
        Dimension value = (*yes)[i] == (*no)[i] ? (*yes)[i] : Dimension::dynamic();
        if (condition && (condition->size() == yes->size() || condition->size() == 1)) {
            value = (*condition)[condition->size() == 1 ? 0 : i] != 0 ? (*yes)[i] : (*no)[i];
        }
        values.push_back(value);
    }
    set_shape_values(context, 0, std::move(values));
}

void infer(InferContext& context) {
    const AutoBroadcast mode = context.attrs<SelectAttrs>().auto_broadcast;
    context.require(mode != AutoBroadcast::kPdpd, "auto_broadcast is pdpd, expected numpy or none");
    context.require_type(0, ElementType::boolean, "the condition");
    context.require_same_type(1, 2);
    const PartialShape both = broadcast_shapes(context, context.shape(1), context.shape(2), mode);
    context.set_output(0, context.type(1), broadcast_shapes(context, context.shape(0), both, mode));
    infer_values(context);
}

void evaluate(EvalContext& context) {
    const AutoBroadcast mode = context.attrs<SelectAttrs>().auto_broadcast;
    const Tensor& condition = context.input(0);
    const Tensor& yes = context.input(1);
    const Tensor& no = context.input(2);
    const Shape shape = broadcast_shapes(
        condition.get_shape(), broadcast_shapes(yes.get_shape(), no.get_shape(), mode), mode);
    Tensor& out = context.output(0, shape);
    const std::size_t bytes = size_of(yes.get_element_type());
    const auto* c = static_cast<const std::uint8_t*>(condition.data());
    const auto* a = static_cast<const std::byte*>(yes.data());
    const auto* b = static_cast<const std::byte*>(no.data());
    auto* to = static_cast<std::byte*>(out.data());
    for (StridedWalk walk(shape, {broadcast_strides(condition.get_shape(), shape),
                                  broadcast_strides(yes.get_shape(), shape),
                                  broadcast_strides(no.get_shape(), shape)});
         !walk.done(); walk.next()) {
        const std::byte* from =
            c[walk.offset(0)] != 0 ? a + walk.offset(1) * bytes : b + walk.offset(2) * bytes;
        std::memcpy(to + walk.position() * bytes, from, bytes);
    }
}

const OpSpec kOps[] = {
    {.type = "Select",
     .version = 1,
     .inputs = {3, 3},
     .make_attributes = make_attributes<SelectAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "then where the condition is true, else otherwise",
     .refused = "auto_broadcast=pdpd"},
};

}  // namespace

std::span<const OpSpec> select_ops() {
    return kOps;
}

}  // namespace fuseq
