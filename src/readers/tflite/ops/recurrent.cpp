// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent layers. Their states are variables: they last from one inference to the next.
#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/integer_lstm.hpp"
#include "readers/tflite/ops/integer_svdf.hpp"

namespace fuseq::tflite_reader {
namespace {

using ::tflite::ActivationFunctionType;

std::int64_t dimension(const Operator& op, std::size_t input, std::size_t axis) {
    const Shape& shape = op.tensor(input).shape;
    op.require(axis < shape.size(), "input ", input, ", ", op.tensor(input).title(), ", has shape ",
               to_string(shape));
    return static_cast<std::int64_t>(shape[axis]);
}

void require_real(const Operator& op) {
    op.require(op.tensor(0).type == ElementType::f32, "the input is ", to_string(op.tensor(0).type),
               "; only f32 is supported");
}

const char* activation_name(const Operator& op, ActivationFunctionType function) {
    op.require(function == ActivationFunctionType::TANH || function == ActivationFunctionType::RELU,
               "fused activation ", static_cast<int>(function), " is not supported");
    return function == ActivationFunctionType::TANH ? "tanh" : "relu";
}

// What the sequences have in common. Values are [batch, steps, size].
struct Sequence {
    Output x;
    Output lengths;  // [batch]
    std::int64_t batch = 0;
    bool time_major = false;
};

Sequence read_sequence(Operator& op, bool time_major) {
    require_real(op);
    Sequence sequence;
    sequence.time_major = time_major;
    sequence.x = time_major ? op.transpose(op.input(0), {1, 0, 2}) : op.input(0);
    sequence.batch = dimension(op, 0, time_major ? 1 : 0);
    const std::int64_t steps = dimension(op, 0, time_major ? 0 : 1);
    sequence.lengths = op.add("Broadcast", {op.int_scalar(steps), op.int_list({sequence.batch})});
    return sequence;
}

// [batch, 1, steps, size] to the order of the file.
Values sequence_result(Operator& op, const Sequence& sequence, const Output& y) {
    const Output squeezed = op.squeeze(y, {1});
    return plain(sequence.time_major ? op.transpose(squeezed, {1, 0, 2}) : squeezed);
}

// A state as [batch, 1, size], and back into its variable.
Output state(Operator& op, std::size_t input, std::int64_t batch, std::int64_t size) {
    return op.reshape(op.input(input), {batch, 1, size});
}

void keep_state(Operator& op, std::size_t input, const Output& value) {
    const Shape& shape = op.tensor(input).shape;
    op.assign(input, op.reshape(value, {shape.begin(), shape.end()}));
}

// Inputs, by gate: 1 to 4 weights of the input, 5 to 8 of the last output, 12 to 15 biases; each
// input, forget, cell, output. The Model wants forget, input, cell, output.
Values lstm_sequence(Operator& op) {
    const auto& options = op.options<::tflite::UnidirectionalSequenceLSTMOptions>();
    constexpr std::size_t kGates[] = {1, 0, 2, 3};
    constexpr std::size_t kRefused[] = {9, 10, 11, 16, 17, 20, 21, 22, 23};
    op.require(op.has_input(1), "coupled input and forget gates are not supported");
    for (const std::size_t i : kRefused) {
        op.require(!op.has_input(i), "input ", i,
                   " is given: peepholes, projection and layer normalization are not supported");
    }
    op.require(options.proj_clip() == 0, "proj_clip is not supported");
    op.require(!options.diagonal_recurrent_tensors(),
               "diagonal_recurrent_tensors is not supported");
    if (op.tensor(0).type == ElementType::i8) {
        return integer_lstm(op);
    }
    require_real(op);
    op.require(options.cell_clip() == 0, "cell_clip of f32 is not supported");
    const Sequence sequence = read_sequence(op, options.time_major());
    const std::int64_t hidden = dimension(op, 8, 0);
    const auto joined = [&](std::size_t first) {
        std::vector<Output> parts;
        for (const std::size_t gate : kGates) {
            parts.push_back(op.real(first + gate));
        }
        return op.unsqueeze(op.add("Concat", parts, {{"axis", std::int64_t{0}}}), {0});
    };
    const std::string activation = activation_name(op, options.fused_activation_function());
    fuseq::Node* node = op.node(
        "LSTMSequence",
        {sequence.x, state(op, 18, sequence.batch, hidden), state(op, 19, sequence.batch, hidden),
         sequence.lengths, joined(1), joined(5), joined(12)},
        {{"hidden_size", hidden},
         {"direction", "forward"},
         {"activations", std::vector<std::string>{"sigmoid", activation, activation}}});
    keep_state(op, 18, node->output(1));
    keep_state(op, 19, node->output(2));
    return sequence_result(op, sequence, node->output(0));
}

// Inputs: values, weights, recurrent weights, bias, state.
Values rnn_sequence(Operator& op) {
    const auto& options = op.options<::tflite::SequenceRNNOptions>();
    const Sequence sequence = read_sequence(op, options.time_major());
    const std::int64_t hidden = dimension(op, 1, 0);
    const std::string activation = activation_name(op, options.fused_activation_function());
    fuseq::Node* node = op.node("RNNSequence",
                                {sequence.x, state(op, 4, sequence.batch, hidden), sequence.lengths,
                                 op.unsqueeze(op.real(1), {0}), op.unsqueeze(op.real(2), {0}),
                                 op.unsqueeze(op.real(3), {0})},
                                {{"hidden_size", hidden},
                                 {"direction", "forward"},
                                 {"activations", std::vector<std::string>{activation}}});
    keep_state(op, 4, node->output(1));
    return sequence_result(op, sequence, node->output(0));
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
    {.type = "RNN", .newest = 3, .translate = rnn, .note = kFloat},
    {.type = "SVDF", .newest = 3, .translate = svdf, .note = "f32 and i8; i8: RELU only"},
    {.type = "UNIDIRECTIONAL_SEQUENCE_LSTM",
     .newest = 4,
     .translate = lstm_sequence,
     .note = "f32 and i8; coupled gates, peepholes, projection, layer normalization, and clips of "
             "f32 refused"},
    {.type = "UNIDIRECTIONAL_SEQUENCE_RNN", .newest = 3, .translate = rnn_sequence, .note = kFloat},
};

}  // namespace

std::span<const OperatorRow> recurrent_operators() {
    return kRows;
}

}  // namespace fuseq::tflite_reader
