// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// NonZero-3: [rank, count] positions of the elements that are not zero, in row-major order. A
// scalar counts as a vector of one element.
#include "ops/non_zero.hpp"

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq::non_zero_ops {
namespace {

void infer(InferContext& context) {
    const ElementType type = context.attrs<NonZeroAttrs>().output_type;
    context.require(type == ElementType::i64 || type == ElementType::i32, "output_type is ",
                    to_string(type), ", expected i32 or i64");
    const PartialShape& src = context.shape(0);
    if (!src.rank_is_static()) {
        context.set_output(0, type, PartialShape::dynamic(2));
        return;
    }
    Dimension all = 1;
    for (const Dimension& d : src) {
        all = all * d;
    }
    const auto rank = static_cast<std::int64_t>(src.rank() == 0 ? 1 : src.rank());
    context.set_output(0, type, PartialShape{rank, Dimension(0, all.get_max_length())});
}

// Offsets of the elements that are not zero.
std::vector<std::size_t> offsets(const Tensor& tensor) {
    std::vector<std::size_t> found;
    const auto collect = [&](const auto* values) {
        for (std::size_t i = 0; i < tensor.get_size(); ++i) {
            if (values[i] != 0) {
                found.push_back(i);
            }
        }
    };
    if (tensor.get_element_type() == ElementType::boolean) {
        collect(static_cast<const std::uint8_t*>(tensor.data()));
    } else {
        dispatch_numeric(tensor.get_element_type(),
                         [&](auto tag) { collect(tensor.data<typename decltype(tag)::type>()); });
    }
    return found;
}

void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    const Shape shape = in.get_shape().empty() ? Shape{1} : in.get_shape();
    const std::vector<std::size_t> found = offsets(in);
    std::vector<std::int64_t> positions(shape.size() * found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        std::size_t left = found[i];
        for (std::size_t d = shape.size(); d-- > 0;) {
            positions[d * found.size() + i] = static_cast<std::int64_t>(left % shape[d]);
            left /= shape[d];
        }
    }
    Tensor& out = context.output(0, Shape{shape.size(), found.size()});
    convert_values(ElementType::i64, positions.data(), out.get_element_type(), out.data(),
                   positions.size());
}

const OpSpec kOps[] = {
    {.type = "NonZero",
     .version = 3,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NonZeroAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Positions of the elements that are not zero"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::non_zero_ops
