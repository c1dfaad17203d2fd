// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/shape_of.hpp"

#include <limits>

#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::shape_of_ops {
namespace {

ElementType output_type(const Node& node) {
    return node.spec().version == 1 ? ElementType::i64 : node.attrs<ShapeOfAttrs>().output_type;
}

void infer(InferContext& context) {
    const ElementType type = output_type(context.node());
    context.require(type == ElementType::i64 || type == ElementType::i32, "output_type is ",
                    to_string(type), ", expected i32 or i64");
    const PartialShape& src = context.shape(0);
    if (!src.rank_is_static()) {
        context.set_output(0, type, PartialShape::dynamic(1));
        return;
    }
    context.set_output(0, type, Shape{src.rank()});
    set_shape_values(context, 0, src.dims());
}

void evaluate(EvalContext& context) {
    const Shape& shape = context.input(0).get_shape();
    Tensor& out = context.output(0, Shape{shape.size()});
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (out.get_element_type() == ElementType::i64) {
            out.data<std::int64_t>()[d] = static_cast<std::int64_t>(shape[d]);
            continue;
        }
        context.require(shape[d] <= std::numeric_limits<std::int32_t>::max(), "size ", shape[d],
                        " does not fit in i32");
        out.data<std::int32_t>()[d] = static_cast<std::int32_t>(shape[d]);
    }
}

const OpSpec kOps[] = {
    {.type = "ShapeOf",
     .version = 1,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Shape of a tensor, i64"},
    {.type = "ShapeOf",
     .version = 3,
     .inputs = {1, 1},
     .make_attributes = make_attributes<ShapeOfAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Shape of a tensor, i64 or i32"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::shape_of_ops
