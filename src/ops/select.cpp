// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Select-1: then where the condition is true, else otherwise; elements of any type.
#include "ops/select.hpp"

#include <cstring>

#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::select_ops {
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

// The last dimension on its own, where every tensor goes on by one element or stays.
struct Rows {
    Shape outer;
    std::vector<std::vector<std::size_t>> strides;  // of the outer dimensions
    std::size_t length = 1;
    std::size_t steps[3] = {0, 0, 0};

    void set_row(const Shape& shape, std::vector<std::vector<std::size_t>> all) {
        outer = shape;
        strides = std::move(all);
        if (shape.empty()) {
            return;
        }
        length = outer.back();
        outer.pop_back();
        for (std::size_t t = 0; t < 3; ++t) {
            steps[t] = strides[t].back();
            strides[t].pop_back();
        }
    }
};

struct Memory {
    const std::uint8_t* condition;
    const std::byte* yes;
    const std::byte* no;
    std::byte* to;
};

// Elements as unsigned integers of their size.
template <class Bits>
void select(const Rows& rows, const Memory& m) {
    std::byte* to = m.to;
    for (StridedLoop loop(rows.outer, rows.strides); !loop.done(); loop.next()) {
        const std::uint8_t* c = m.condition + loop.offset(0);
        const std::byte* yes = m.yes + loop.offset(1) * sizeof(Bits);
        const std::byte* no = m.no + loop.offset(2) * sizeof(Bits);
        for (std::size_t i = 0; i < rows.length; ++i, to += sizeof(Bits)) {
            // Both are read: a branch on the condition would often be guessed wrong.
            Bits yes_bits;
            Bits no_bits;
            std::memcpy(&yes_bits, yes + i * rows.steps[1] * sizeof(Bits), sizeof(Bits));
            std::memcpy(&no_bits, no + i * rows.steps[2] * sizeof(Bits), sizeof(Bits));
            const Bits mask = static_cast<Bits>(c[i * rows.steps[0]] != 0 ? -1 : 0);
            const auto bits = static_cast<Bits>((yes_bits & mask) | (no_bits & ~mask));
            std::memcpy(to, &bits, sizeof(Bits));
        }
    }
}

void evaluate(EvalContext& context) {
    const AutoBroadcast mode = context.attrs<SelectAttrs>().auto_broadcast;
    const Tensor& condition = context.input(0);
    const Tensor& yes = context.input(1);
    const Tensor& no = context.input(2);
    const Shape shape = broadcast_shapes(
        condition.get_shape(), broadcast_shapes(yes.get_shape(), no.get_shape(), mode), mode);
    Tensor& out = context.output(0, shape);
    Rows rows;
    rows.set_row(shape, {broadcast_strides(condition.get_shape(), shape),
                         broadcast_strides(yes.get_shape(), shape),
                         broadcast_strides(no.get_shape(), shape)});
    const Memory memory{static_cast<const std::uint8_t*>(condition.data()),
                        static_cast<const std::byte*>(yes.data()),
                        static_cast<const std::byte*>(no.data()),
                        static_cast<std::byte*>(out.data())};
    switch (size_of(yes.get_element_type())) {
        case 1: return select<std::uint8_t>(rows, memory);
        case 2: return select<std::uint16_t>(rows, memory);
        case 4: return select<std::uint32_t>(rows, memory);
        case 8: return select<std::uint64_t>(rows, memory);
        default: context.fail("no kernel for elements of ", to_string(yes.get_element_type()));
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

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::select_ops
