// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// RNN and SVDF. Their states are variables: they last from one inference to the next.
#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/integer_svdf.hpp"
#include "readers/tflite/ops/sequence.hpp"

namespace fuseq::tflite_reader::recurrent_operators {
namespace {

// Inputs from `first` on: weights, recurrent weights, bias, state. [batch, steps, hidden]
Output one_direction(Operator& op,
                     const Sequence& sequence,
                     std::size_t first,
                     ::tflite::ActivationFunctionType function,
                     bool reverse) {
    const std::int64_t hidden = dimension(op, first, 0);
    const std::size_t h = first + 3;
    fuseq::Node* node =
        op.node("RNNSequence",
                {sequence.x, state(op, h, sequence.batch, hidden), sequence_lengths(op, sequence),
                 op.unsqueeze(op.real(first), {0}), op.unsqueeze(op.real(first + 1), {0}),
                 op.unsqueeze(op.real(first + 2), {0})},
                {{"hidden_size", hidden},
                 {"direction", reverse ? "reverse" : "forward"},
                 {"activations", std::vector<std::string>{activation_name(op, function)}}});
    keep_state(op, h, node->output(1));
    return op.squeeze(node->output(0), {1});
}

// Inputs: values, then those of the direction.
Values rnn_sequence(Operator& op) {
    const auto& options = op.options<::tflite::SequenceRNNOptions>();
    const Sequence sequence = read_sequence(op, options.time_major());
    const Output y = one_direction(op, sequence, 1, options.fused_activation_function(), false);
    return plain(sequence_result(op, sequence, y));
}

// Those of both directions.
Values two_directions(Operator& op) {
    const auto& options = op.options<::tflite::BidirectionalSequenceRNNOptions>();
    for (std::size_t i = 9; i < 12; ++i) {
        op.require(!op.has_input(i), "has an auxiliary input (9 to 11), which is not supported");
    }
    const auto function = options.fused_activation_function();
    const Sequence sequence = read_sequence(op, options.time_major());
    const Output forward = one_direction(op, sequence, 1, function, false);
    const Output backward = one_direction(op, sequence, 5, function, true);
    if (options.merge_outputs()) {
        const Output both = op.add("Concat", {forward, backward}, {{"axis", std::int64_t{2}}});
        return plain(sequence_result(op, sequence, both));
    }
    return {{.plain = sequence_result(op, sequence, forward)},
            {.plain = sequence_result(op, sequence, backward)}};
}

// One step: activation(x W^T + h R^T + b).
Values rnn(Operator& op) {
    require_real(op);
    const auto function = op.options<::tflite::RNNOptions>().fused_activation_function();
    const Output from_input = op.add("MatMul", {op.input(0), op.real(1)}, {{"transpose_b", true}});
    const Output from_state = op.add("MatMul", {op.input(4), op.real(2)}, {{"transpose_b", true}});
    const Output sum = op.add("Add", {op.add("Add", {from_input, from_state}), op.real(3)});
    const Output result = op.activation(sum, function);
    keep_state(op, 4, result);
    return plain(result);
}

// Filters over the features of the last steps, which the state holds: [batch, filters, memory]. Its
// last place is free for the step at hand.
Values svdf(Operator& op) {
    if (op.tensor(0).type == ElementType::i8) {
        return integer_svdf(op);
    }
    require_real(op);
    const auto& options = op.options<::tflite::SVDFOptions>();
    const std::int64_t batch = dimension(op, 0, 0);
    const std::int64_t filters = dimension(op, 1, 0);
    const std::int64_t memory = dimension(op, 2, 1);
    const std::int64_t rank = options.rank();
    op.require(rank >= 1 && filters % rank == 0 && memory >= 1, "rank is ", rank, ", there are ",
               filters, " filters of ", memory, " steps");
    const auto cut = [&](const Output& value, std::int64_t from, std::int64_t to) {
        return op.add("Slice", {value, op.int_list({from}), op.int_list({to}), op.int_list({1}),
                                op.int_list({2})});
    };
    const auto join = [&](const Output& a, const Output& b) {
        return op.add("Concat", {a, b}, {{"axis", std::int64_t{2}}});
    };
    const Output feature = op.reshape(
        op.add("MatMul", {op.input(0), op.real(1)}, {{"transpose_b", true}}), {batch, filters, 1});
    const Output old = op.reshape(op.input(4), {batch, filters, memory});
    const Output steps = memory == 1 ? feature : join(cut(old, 0, memory - 1), feature);
    const Output weighted =
        op.add("ReduceSum", {op.add("Multiply", {steps, op.real(2)}), op.int_list({2})});
    Output sum = op.add("ReduceSum",
                        {op.reshape(weighted, {batch, filters / rank, rank}), op.int_list({2})});
    if (op.has_input(3)) {
        sum = op.add("Add", {sum, op.real(3)});
    }
    const Output nothing =
        op.add("Broadcast", {op.scalar(0, ElementType::f32), op.int_list({batch, filters, 1})});
    keep_state(op, 4, memory == 1 ? nothing : join(cut(steps, 1, memory), nothing));
    return plain(op.activation(sum, options.fused_activation_function()));
}

constexpr std::string_view kFloat = "f32, weights of 8 bits too";
const OperatorRow kRows[] = {
    {.type = "BIDIRECTIONAL_SEQUENCE_RNN",
     .newest = 3,
     .translate = two_directions,
     .note = "f32, weights of 8 bits too; an auxiliary input refused"},
    {.type = "RNN", .newest = 3, .translate = rnn, .note = kFloat},
    {.type = "SVDF", .newest = 3, .translate = svdf, .note = "f32 and i8; i8: RELU only"},
    {.type = "UNIDIRECTIONAL_SEQUENCE_RNN", .newest = 3, .translate = rnn_sequence, .note = kFloat},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::recurrent_operators
