// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// GatherTree: the sequences of a beam search, from the token of every step and the beam that it
// came from.
#include <algorithm>
#include <cstring>

#include "ops/op_list.hpp"

namespace fuseq::gather_tree_ops {
namespace {

// Inputs step_ids and parent_idx [step, batch, beam], max_seq_len [batch], end_token [].
template <class Context>
void check_shapes(const Context& context,
                  const PartialShape& ids,
                  const PartialShape& parents,
                  const PartialShape& lengths,
                  const PartialShape& end) {
    context.require(ids.compatible(PartialShape::dynamic(3)), "step_ids has shape ", to_string(ids),
                    ", expected three dimensions");
    context.require(parents.compatible(ids), "parent_idx has shape ", to_string(parents),
                    ", expected that of step_ids, ", to_string(ids));
    const Dimension batch = ids.rank_is_static() ? ids[1] : Dimension::dynamic();
    context.require(lengths.compatible(PartialShape{batch}), "max_seq_len has shape ",
                    to_string(lengths), ", expected [", to_string(batch), "]");
    context.require(end.compatible(PartialShape{}), "end_token has shape ", to_string(end),
                    ", expected a scalar");
}

void infer(InferContext& context) {
    for (std::size_t i = 1; i < 4; ++i) {
        context.require_same_type(0, i);
    }
    const ElementType type = context.type(0);
    context.require(is_integral(type) || is_real(type), "step_ids is ", to_string(type),
                    ", expected a numeric type");
    const PartialShape& ids = context.shape(0);
    check_shapes(context, ids, context.shape(1), context.shape(2), context.shape(3));
    context.set_output(0, type, ids);
}

struct Tree {
    std::size_t steps, batch, beams;
    std::size_t place(std::size_t step, std::size_t b, std::size_t beam) const {
        return (step * batch + b) * beams + beam;
    }
};

// The places of the tokens of one sequence, its last one first. Sequences are followed from their
// end to their beginning.
std::vector<std::size_t> sequence(const EvalContext& context,
                                  const Tree& tree,
                                  const std::vector<std::int64_t>& parents,
                                  std::size_t b,
                                  std::size_t beam,
                                  std::size_t length) {
    std::vector<std::size_t> places;
    for (std::size_t step = length; step-- > 0;) {
        places.push_back(tree.place(step, b, beam));
        const std::int64_t parent = parents[places.back()];
        context.require(
            step == 0 || (parent >= 0 && parent < static_cast<std::int64_t>(tree.beams)),
            "element ", places.back(), " of parent_idx is ", parent, ", expected one in [0, ",
            tree.beams - 1, "]");
        beam = static_cast<std::size_t>(parent);
    }
    return places;
}

void evaluate(EvalContext& context) {
    const Tensor& ids = context.input(0);
    const Shape& shape = ids.get_shape();
    const auto shape_of = [&](std::size_t i) { return PartialShape(context.input(i).get_shape()); };
    check_shapes(context, shape_of(0), shape_of(1), shape_of(2), shape_of(3));
    const Tree tree{shape[0], shape[1], shape[2]};
    const std::vector<std::int64_t> parents = to_ints(context.input(1));
    const std::vector<std::int64_t> lengths = to_ints(context.input(2));
    const std::size_t bytes = size_of(ids.get_element_type());
    const auto* from = static_cast<const std::byte*>(ids.data());
    const auto* end = static_cast<const std::byte*>(context.input(3).data());
    auto* to = static_cast<std::byte*>(context.output(0, shape).data());
    for (std::size_t i = 0; i < ids.get_size(); ++i) {
        std::memcpy(to + i * bytes, end, bytes);
    }
    for (std::size_t b = 0; b < tree.batch; ++b) {
        const auto max_length = static_cast<std::int64_t>(tree.steps);
        const auto length =
            static_cast<std::size_t>(std::clamp<std::int64_t>(lengths[b], 0, max_length));
        for (std::size_t beam = 0; beam < tree.beams; ++beam) {
            const auto places = sequence(context, tree, parents, b, beam, length);
            // After the first end token there are only such.
            for (std::size_t step = 0; step < length; ++step) {
                const std::byte* token = from + places[length - 1 - step] * bytes;
                if (std::memcmp(token, end, bytes) == 0) {
                    break;
                }
                std::memcpy(to + tree.place(step, b, beam) * bytes, token, bytes);
            }
        }
    }
}

const OpSpec kOps[] = {
    {.type = "GatherTree",
     .version = 1,
     .inputs = {4, 4},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The sequences of a beam search, from each step's tokens and parent beams",
     .refused = "parents outside of the beams"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::gather_tree_ops
