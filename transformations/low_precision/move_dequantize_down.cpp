// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Moves every DQ down through the operations that integers can take as well, so that it ends
// before a convolution or matmul, or an operation that needs real numbers.
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
namespace move_dequantize_down_pass {
namespace {

constexpr std::string_view kName = "move_dequantize_down";

struct Row {
    std::string_view type;
    Law law;
    std::string_view what;  // for docs/operations.md
};

constexpr std::string_view kMoves = "passes, integers move";

constexpr Row kLaws[] = {
    {"Add", move_through_arithmetic, "constants fold into the DQ before an anchor"},
    {"AvgPool", move_through_avg_pool, "passes, the mean of integers is f32"},
    {"BatchToSpace", move_through_data_movement, kMoves},
    {"Broadcast", move_through_data_movement, kMoves},
    {"Clamp", move_through_clamp, "passes, or goes where the range implies it"},
    {"Concat", move_through_concat, "passes, channels may differ in scale"},
    {"DepthToSpace", move_through_data_movement, kMoves},
    {"Gather", move_through_data_movement, kMoves},
    {"Interpolate", move_through_interpolate, "nearest passes, linear computes on integers as f32"},
    {"MVN", cancel_scale_of_mvn, "cancels the scale"},
    {"MaxPool", move_through_max_pool, "passes"},
    {"Multiply", move_through_arithmetic, "constants fold into the DQ before an anchor"},
    {"NormalizeL2", cancel_scale_of_normalize_l2, "cancels the scale"},
    {"PReLU", move_through_prelu, "the scale passes, or it goes where the range implies it"},
    {"Pad", move_through_pad, "passes where the value is a whole step"},
    {"SpaceToBatch", move_through_space_to_batch, "passes where pads are the integer 0"},
    {"ReLU", move_through_relu, "passes, or goes where the range implies it"},
    {"ReduceMax", move_through_reduce_max, "passes"},
    {"ReduceMean", move_through_reduce_mean, "passes, the mean of integers is f32"},
    {"ReduceMin", move_through_reduce_max, "passes"},
    {"Reshape", move_through_data_movement, kMoves},
    {"Reverse", move_through_data_movement, kMoves},
    {"ReverseSequence", move_through_data_movement, kMoves},
    {"Roll", move_through_data_movement, kMoves},
    {"ShuffleChannels", move_through_data_movement, kMoves},
    {"Slice", move_through_data_movement, kMoves},
    {"SpaceToDepth", move_through_data_movement, kMoves},
    {"Split", move_through_data_movement, kMoves},
    {"Squeeze", move_through_data_movement, kMoves},
    {"StridedSlice", move_through_data_movement, kMoves},
    {"Tile", move_through_data_movement, kMoves},
    {"Transpose", move_through_data_movement, kMoves},
    {"Unsqueeze", move_through_data_movement, kMoves},
    {"VariadicSplit", move_through_data_movement, kMoves},
};

const Row* row_of(std::string_view type) {
    const auto* row = std::find_if(std::begin(kLaws), std::end(kLaws),
                                   [&](const Row& r) { return r.type == type; });
    return row == std::end(kLaws) ? nullptr : row;
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
std::optional<Dequantize> dequantize_before(const Node& node) {
    const std::size_t inputs = node.is("Concat") ? node.input_count() : 1;
    for (std::size_t i = 0; i < inputs && node.has_input(i); ++i) {
        auto dq = match_dequantize(node.input(i));
        if (dq && !dq->q.node->is_constant()) {
            return dq;
        }
    }
    return std::nullopt;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    // Producers first: a DQ that was moved is met again at the next operation.
    for (Node* node : model.ordered_nodes()) {
        const Row* row = row_of(node->type());
        if (is_part_of_dequantize(*node)) {
            continue;
        }
        const auto dq = row == nullptr ? std::nullopt : dequantize_before(*node);
        if (!dq) {
            continue;
        }
        if (LawResult result = row->law(*node, *dq)) {
            context.rewritten(kName, *node);
            changed = true;
        } else if (result.kind == LawResult::Kind::kRefused) {
            context.refused(kName, *node, std::move(result.code), std::move(result.text));
        }
    }
    return changed;
}

}  // namespace
}  // namespace move_dequantize_down_pass

bool move_dequantize_down(Model& model, PassContext& context) {
    return move_dequantize_down_pass::run(model, context);
}

std::string_view dequantize_law(std::string_view type) {
    const move_dequantize_down_pass::Row* row = move_dequantize_down_pass::row_of(type);
    return row == nullptr ? std::string_view() : row->what;
}

}  // namespace fuseq
