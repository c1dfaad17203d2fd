// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <vector>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::roll_ops {
namespace {

void infer(InferContext& context) {
    context.require(is_integral(context.type(1)), "shift is ", to_string(context.type(1)),
                    ", expected an integer type");
    check_axes_input(context, 2);
    const auto shift = context.ints(1);
    const auto axes = context.ints(2);
    context.require(!shift || !axes || shift->size() == 1 || shift->size() == axes->size(),
                    "shift has ", shift ? shift->size() : 0, " values, axes ",
                    axes ? axes->size() : 0);
    context.set_output(0, context.type(0), context.shape(0));
}

// How far each dimension moves, in [0, size).
std::vector<std::size_t> shifts(const EvalContext& context, const Shape& shape) {
    const std::vector<std::int64_t> shift = to_ints(context.input(1));
    const std::vector<std::int64_t> axes = to_ints(context.input(2));
    context.require(shift.size() == 1 || shift.size() == axes.size(), "shift has ", shift.size(),
                    " values, axes ", axes.size());
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::vector<std::size_t> result(shape.size(), 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        context.require(axes[i] >= -rank && axes[i] < rank, "axes has the value ", axes[i],
                        " for a tensor of rank ", rank);
        const auto axis = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i]);
        const auto size = static_cast<std::int64_t>(shape[axis]);
        if (size > 0) {
            const std::int64_t rest = shift[shift.size() == 1 ? 0 : i] % size;
            result[axis] = (result[axis] + static_cast<std::size_t>(rest + size)) % shape[axis];
        }
    }
    return result;
}

void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const std::vector<std::size_t> moved = shifts(context, shape);
    Tensor& output = context.output(0, shape);
    const std::size_t bytes = size_of(in.get_element_type());
    const auto* src = static_cast<const std::byte*>(in.data());
    auto* dst = static_cast<std::byte*>(output.data());
    std::vector<std::size_t> index(shape.size(), 0);
    for (std::size_t i = 0; i < in.get_size(); ++i) {
        std::size_t to = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            to = to * shape[d] + (index[d] + moved[d]) % shape[d];
        }
        std::memcpy(dst + to * bytes, src + i * bytes, bytes);
        for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) {
            index[d] = 0;
        }
    }
}

const OpSpec kOps[] = {
    {.type = "Roll",
     .version = 7,
     .inputs = {3, 3},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Moves elements along axes; what leaves at one end enters at the other",
     .refused = "axes outside of the rank"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::roll_ops
