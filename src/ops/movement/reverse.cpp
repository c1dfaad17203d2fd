// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reverse-1: reverses the order of elements along the axes that input 1 names: their numbers (mode
// index), or one boolean a dimension (mode mask).
#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq {

enum class ReverseMode { kIndex, kMask };
template <>
struct EnumNames<ReverseMode> {
    static constexpr const char* kNames[] = {"index", "mask"};
};

}  // namespace fuseq

namespace fuseq::reverse_ops {
namespace {

struct ReverseAttrs final : AttributesOf<ReverseAttrs> {
    ReverseMode mode = ReverseMode::kIndex;
    void visit(AttributeVisitor& v) override { v.required("mode", mode); }
};

// Axes in [0, rank), from the values of input 1.
template <class Context>
std::vector<std::size_t> reversed_axes(const Context& context,
                                       const std::vector<std::int64_t>& values,
                                       std::size_t rank) {
    if (context.template attrs<ReverseAttrs>().mode == ReverseMode::kIndex) {
        return checked_axes(context, values, rank);
    }
    context.require(values.size() == rank, "the mask has ", values.size(), " values, expected ",
                    rank);
    std::vector<std::size_t> axes;
    for (std::size_t d = 0; d < rank; ++d) {
        if (values[d] != 0) {
            axes.push_back(d);
        }
    }
    return axes;
}

void infer(InferContext& context) {
    const PartialShape& src = context.shape(0);
    const PartialShape& list = context.shape(1);
    if (context.attrs<ReverseAttrs>().mode == ReverseMode::kIndex) {
        require_int_list(context, 1, "axes");
    } else {
        context.require_type(1, ElementType::boolean, "the mask");
        context.require(!list.rank_is_static() || list.rank() == 1, "the mask has shape ",
                        to_string(list), ", expected one boolean a dimension");
    }
    const auto values = context.ints(1);
    if (values && src.rank_is_static()) {
        reversed_axes(context, *values, src.rank());
    }
    context.set_output(0, context.type(0), src);
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    const Shape& shape = src.get_shape();
    StridedView view{.strides = dense_strides(shape), .offset = 0};
    for (const std::size_t axis : reversed_axes(context, to_ints(context.input(1)), shape.size())) {
        view.offset += view.strides[axis] * (static_cast<std::int64_t>(shape[axis]) - 1);
        view.strides[axis] = -view.strides[axis];
    }
    copy_from_view(src, view, context.output(0, shape));
}

const OpSpec kOps[] = {
    {.type = "Reverse",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<ReverseAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Reverses the order of elements along axes",
     .refused = "axes outside of the rank or named twice; a mask of another length than the rank"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::reverse_ops
