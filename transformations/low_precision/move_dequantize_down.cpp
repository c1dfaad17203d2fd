// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves every DQ down through the operations that integers can take as well, so that it ends in
// front of a convolution or matmul, or of an operation that needs real numbers.
//
//   Law:     op(DQ(q)) = DQ'(op(q)); one law an operation, low_precision/laws/*.cpp
//   Before:  DQ -> ReLU | MaxPool | Reshape | Transpose | Concat | ... (the table below)
//   After:   the operation on u8 or i8 -> DQ
//            A DQ with several readers stays for those that do not move.
//   Refuses: as the law says; operations without a law are left alone.
//   Source:  DESIGN.md sections 2 and 5.
#include "transformations/low_precision/move_dequantize_down.hpp"

#include <algorithm>
#include <iterator>

#include "transformations/low_precision/laws/law.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kName = "move_dequantize_down";

struct Row {
    std::string_view type;
    Law law;
};

constexpr Row kLaws[] = {
    {"Add", move_through_arithmetic},
    {"AvgPool", move_through_avg_pool},
    {"BatchToSpace", move_through_data_movement},
    {"Broadcast", move_through_data_movement},
    {"Clamp", move_through_clamp},
    {"Concat", move_through_concat},
    {"DepthToSpace", move_through_data_movement},
    {"Gather", move_through_data_movement},
    {"Interpolate", move_through_interpolate},
    {"MVN", cancel_scale_of_mvn},
    {"MaxPool", move_through_max_pool},
    {"Multiply", move_through_arithmetic},
    {"NormalizeL2", cancel_scale_of_normalize_l2},
    {"Pad", move_through_pad},
    {"ReLU", move_through_relu},
    {"ReduceMax", move_through_reduce_max},
    {"ReduceMean", move_through_reduce_mean},
    {"ReduceMin", move_through_reduce_max},
    {"Reshape", move_through_data_movement},
    {"ReverseSequence", move_through_data_movement},
    {"Roll", move_through_data_movement},
    {"ShuffleChannels", move_through_data_movement},
    {"Slice", move_through_data_movement},
    {"SpaceToDepth", move_through_data_movement},
    {"Split", move_through_data_movement},
    {"Squeeze", move_through_data_movement},
    {"StridedSlice", move_through_data_movement},
    {"Tile", move_through_data_movement},
    {"Transpose", move_through_data_movement},
    {"Unsqueeze", move_through_data_movement},
    {"VariadicSplit", move_through_data_movement},
};

Law law_of(const Node& node) {
    const auto row = std::find_if(std::begin(kLaws), std::end(kLaws),
                                  [&](const Row& r) { return node.is(r.type); });
    return row == std::end(kLaws) ? nullptr : row->law;
}

// The Multiply of a DQ, whose Convert or Subtract would match as a DQ of its own, or arithmetic
// with something that is not constant.
bool is_part_of_dequantize(Node& node) {
    if (!node.is("Multiply") && !node.is("Add")) {
        return false;
    }
    return match_dequantize(node.output(0)) || !node.input_node(1)->is_constant();
}

// The DQ at input 0, or at any input of a Concat.
std::optional<Dequantize> dequantize_in_front(const Node& node) {
    const std::size_t inputs = node.is("Concat") ? node.input_count() : 1;
    for (std::size_t i = 0; i < inputs && node.has_input(i); ++i) {
        auto dq = match_dequantize(node.input(i));
        if (dq && !dq->q.node->is_constant()) {
            return dq;
        }
    }
    return std::nullopt;
}

}  // namespace

bool move_dequantize_down(Model& model, PassContext& context) {
    bool changed = false;
    // Producers first: a DQ that was moved is met again at the next operation.
    for (Node* node : model.ordered_nodes()) {
        const Law law = law_of(*node);
        if (is_part_of_dequantize(*node)) {
            continue;
        }
        const auto dq = law == nullptr ? std::nullopt : dequantize_in_front(*node);
        if (!dq) {
            continue;
        }
        if (LawResult result = law(*node, *dq)) {
            context.rewritten(kName, *node);
            changed = true;
        } else if (result.kind == LawResult::Kind::kRefused) {
            context.refused(kName, *node, std::move(result.code), std::move(result.text));
        }
    }
    return changed;
}

}  // namespace fuseq
