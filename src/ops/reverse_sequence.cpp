// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ReverseSequence-1: for batch element b the first seq_lengths[b] elements along seq_axis are
// reversed, the others stay.
#include "ops/reverse_sequence.hpp"

#include <cstring>

#include "ops/axes.hpp"
#include "ops/op_list.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::reverse_sequence_ops {
namespace {

struct Axes {
    std::size_t batch, sequence;
};

template <class Context>
Axes axes_of(const Context& context, std::size_t rank) {
    const auto& attrs = context.template attrs<ReverseSequenceAttrs>();
    const Axes axes{checked_axis(context, attrs.batch_axis, rank, "batch_axis"),
                    checked_axis(context, attrs.seq_axis, rank, "seq_axis")};
    context.require(axes.batch != axes.sequence, "batch_axis and seq_axis are both ", axes.batch);
    return axes;
}

template <class Context>
void check_lengths(const Context& context, const PartialShape& lengths, const Dimension& batch) {
    context.require(lengths.compatible(PartialShape{batch}), "seq_lengths has shape ",
                    to_string(lengths), ", expected [", to_string(batch), "]");
}

template <class Context>
void check_values(const Context& context,
                  const std::vector<std::int64_t>& lengths,
                  std::int64_t max_length) {
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        context.require(lengths[b] >= 0 && lengths[b] <= max_length, "element ", b,
                        " of seq_lengths is ", lengths[b], ", expected one in [0, ", max_length,
                        "]");
    }
}

void infer(InferContext& context) {
    PartialShape src = context.shape(0);
    const ElementType type = context.type(1);
    context.require(is_integral(type) || is_real(type), "seq_lengths is ", to_string(type),
                    ", expected a numeric type");
    if (src.rank_is_static()) {
        const Axes axes = axes_of(context, src.rank());
        check_lengths(context, context.shape(1), src[axes.batch]);
        const auto lengths = context.ints(1);
        if (lengths && src[axes.sequence].is_static()) {
            check_values(context, *lengths, src[axes.sequence].get_length());
        }
        if (context.shape(1).rank_is_static()) {
            Dimension& batch = src[axes.batch];
            Dimension::merge(batch, batch, context.shape(1)[0]);
        }
    }
    context.set_output(0, context.type(0), src);
}

void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    const Shape& shape = src.get_shape();
    const Axes axes = axes_of(context, shape.size());
    check_lengths(context, context.input(1).get_shape(),
                  Dimension(static_cast<std::int64_t>(shape[axes.batch])));
    const std::vector<std::int64_t> lengths = to_ints(context.input(1));
    check_values(context, lengths, static_cast<std::int64_t>(shape[axes.sequence]));
    Tensor& dst = context.output(0, shape);
    const std::vector<std::int64_t> strides = dense_strides(shape);
    const std::size_t bytes = size_of(src.get_element_type());
    const auto* from = static_cast<const std::byte*>(src.data());
    auto* to = static_cast<std::byte*>(dst.data());
    const auto step = static_cast<std::size_t>(strides[axes.sequence]);
    for (std::size_t i = 0; i < src.get_size(); ++i) {
        const std::size_t b = i / static_cast<std::size_t>(strides[axes.batch]) % shape[axes.batch];
        const std::size_t at = i / step % shape[axes.sequence];
        const auto length = static_cast<std::size_t>(lengths[b]);
        const std::size_t other = at < length ? length - 1 - at : at;
        std::memcpy(to + (i - at * step + other * step) * bytes, from + i * bytes, bytes);
    }
}

const OpSpec kOps[] = {
    {.type = "ReverseSequence",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<ReverseSequenceAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Reverses the beginning of every sequence of a batch",
     .refused = "lengths outside the sequence"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::reverse_sequence_ops
