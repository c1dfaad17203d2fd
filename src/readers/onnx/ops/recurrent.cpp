// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU and RNN.
#include <algorithm>
#include <cctype>

#include "readers/common/lstm_loop.hpp"
#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/bodies.hpp"

namespace fuseq::onnx_reader::recurrent_operators {
namespace {

using Outputs = std::vector<Output>;

// A recurrent node; inputs are X, W, R, B, sequence_lens, initial_h, and for LSTM initial_c and P.
struct Sequence {
    std::int64_t gates = 1;
    std::int64_t hidden = 0;
    std::int64_t directions = 1;
    bool batch_first = false;
    Output x = {};        // [batch, steps, input]
    Output batch = {};    // [1]
    Output lengths = {};  // [batch]
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

Sequence read(Operator& op, std::int64_t gates) {
    Sequence sequence{.gates = gates};
    const PartialShape& r = op.input(2).partial_shape();
    op.require(r.rank_is_static() && r.rank() == 3 && r[0].is_static() && r[2].is_static(),
               "R has shape ", to_string(r), ", expected three known dimensions");
    sequence.directions = r[0].get_length();
    sequence.hidden = op.attributes.integer("hidden_size", r[2].get_length());
    sequence.batch_first = op.attributes.integer("layout", 0) != 0;
    sequence.x = sequence.batch_first ? op.input(0) : op.transpose(op.input(0), {1, 0, 2});
    const Output sizes = op.shape_of(sequence.x);
    sequence.batch = op.add("Gather", {sizes, op.int_list({0}), op.int_scalar(0)});
    if (op.has_input(4)) {
        sequence.lengths = op.input(4);
    } else {
        const Output steps = op.add("Gather", {sizes, op.int_list({1}), op.int_scalar(0)});
        sequence.lengths = op.add("Broadcast", {steps, sequence.batch});
    }
    return sequence;
}

// [batch, directions, hidden]
Output initial_state(Operator& op, const Sequence& sequence, std::size_t input) {
    if (op.has_input(input)) {
        return sequence.batch_first ? op.input(input) : op.transpose(op.input(input), {1, 0, 2});
    }
    const Output shape =
        op.add("Concat", {sequence.batch, op.int_list({sequence.directions, sequence.hidden})},
               {{"axis", std::int64_t{0}}});
    return op.add("Broadcast", {op.scalar(0, sequence.x), shape});
}

// Blocks of the axis 1 in another order.
Output reorder(Operator& op, const Output& value, const std::vector<std::size_t>& order) {
    fuseq::Node* parts = op.node("Split", {value, op.int_scalar(1)},
                                 {{"num_splits", static_cast<std::int64_t>(order.size())}});
    std::vector<Output> chosen;
    chosen.reserve(order.size());
    for (const std::size_t i : order) {
        chosen.push_back(parts->output(i));
    }
    return op.add("Concat", chosen, {{"axis", std::int64_t{1}}});
}

// B is [directions, 2 * gates * hidden]: that of W, then that of R. The Model wants their sum; GRU
// with linear_before_reset wants the last block of both apart.
Output biases(Operator& op, const Sequence& sequence, bool last_apart) {
    const std::int64_t wanted = (sequence.gates + (last_apart ? 1 : 0)) * sequence.hidden;
    if (!op.has_input(3)) {
        return op.add("Broadcast",
                      {op.scalar(0, sequence.x), op.int_list({sequence.directions, wanted})});
    }
    fuseq::Node* halves =
        op.node("Split", {op.input(3), op.int_scalar(1)}, {{"num_splits", std::int64_t{2}}});
    const Output sum = op.add("Add", {halves->output(0), halves->output(1)});
    if (!last_apart) {
        return sum;
    }
    const Output lengths = op.int_list({(sequence.gates - 1) * sequence.hidden, sequence.hidden});
    const auto cut = [&](const Output& value) {
        return op.node("VariadicSplit", {value, op.int_scalar(1), lengths});
    };
    return op.add(
        "Concat",
        {cut(sum)->output(0), cut(halves->output(0))->output(1), cut(halves->output(1))->output(1)},
        {{"axis", std::int64_t{1}}});
}

ModelAttributes attributes_of(const Operator& op, const Sequence& sequence) {
    const std::string direction = op.attributes.text("direction", "forward");
    op.require(direction == "forward" || direction == "reverse" || direction == "bidirectional",
               "attribute direction is '", direction,
               "', expected forward, reverse or bidirectional");
    ModelAttributes attributes{{"hidden_size", sequence.hidden}, {"direction", direction}};
    std::vector<std::string> names = op.attributes.texts("activations");
    if (names.size() > 1 && direction == "bidirectional") {
        const auto half = names.begin() + static_cast<std::ptrdiff_t>(names.size() / 2);
        op.require(std::equal(names.begin(), half, half, names.end()),
                   "activations of both directions must be the same");
        names.erase(half, names.end());
    }
    if (!names.empty()) {
        std::transform(names.begin(), names.end(), names.begin(), lower);
        attributes.push_back({"activations", names});
    }
    attributes.push_back({"activations_alpha", op.attributes.reals("activation_alpha")});
    attributes.push_back({"activations_beta", op.attributes.reals("activation_beta")});
    attributes.push_back({"clip", op.attributes.real("clip", 0.0F)});
    return attributes;
}

// Y as [steps, directions, batch, hidden], states as [directions, batch, hidden]; with layout=1
// [batch, steps, directions, hidden] and [batch, directions, hidden].
Outputs results(Operator& op, const Sequence& sequence, const Outputs& made) {
    Outputs outputs;
    outputs.push_back(op.transpose(made[0], sequence.batch_first
                                                ? std::vector<std::int64_t>{0, 2, 1, 3}
                                                : std::vector<std::int64_t>{2, 1, 0, 3}));
    for (std::size_t i = 1; i < made.size(); ++i) {
        outputs.push_back(sequence.batch_first ? made[i] : op.transpose(made[i], {1, 0, 2}));
    }
    return outputs;
}

// Input P with other values than zero.
bool has_peepholes(const Operator& op) {
    if (!op.has_input(7)) {
        return false;
    }
    const auto value = op.value(op.input(7));
    const std::vector<float> list = value ? to_floats(*value) : std::vector<float>{1.0F};
    return std::any_of(list.begin(), list.end(), [](float v) { return v != 0; });
}

// Part `direction` of axis 0, without that axis.
Output direction_of(Operator& op, const Output& value, std::int64_t direction) {
    return op.add("Gather", {value, op.int_scalar(direction), op.int_scalar(0)});
}

// One direction of an LSTM with peepholes, which LSTMSequence does not have.
readers::LstmResult peephole_direction(Operator& op,
                                       const Sequence& sequence,
                                       std::int64_t direction,
                                       bool reverse) {
    using readers::LstmGate;
    const std::vector<std::size_t> order{0, 2, 3, 1};
    const auto part = [&](const Output& value) { return direction_of(op, value, direction); };
    const auto state = [&](std::size_t input) {
        const Output at = op.int_scalar(direction);
        return op.add("Gather", {initial_state(op, sequence, input), at, op.int_scalar(1)});
    };
    readers::LstmLoop lstm;
    lstm.x = sequence.x;
    lstm.lengths = op.has_input(4) ? op.convert(sequence.lengths, ElementType::i64) : Output{};
    lstm.h = state(5);
    lstm.c = state(6);
    lstm.weights = part(reorder(op, op.input(1), order));
    lstm.recurrent = part(reorder(op, op.input(2), order));
    lstm.bias = part(reorder(op, biases(op, sequence, false), order));
    fuseq::Node* peepholes =
        op.node("Split", {part(op.input(7)), op.int_scalar(0)}, {{"num_splits", std::int64_t{3}}});
    constexpr LstmGate kOrder[] = {LstmGate::input, LstmGate::output, LstmGate::forget};
    for (std::size_t i = 0; i < 3; ++i) {
        lstm.peepholes[static_cast<std::size_t>(kOrder[i])] = peepholes->output(i);
    }
    lstm.reverse = reverse;
    lstm.candidate = lstm.result = [](readers::LayerBuilder& layers, const Output& x) {
        return layers.add("Tanh", {x});
    };
    return readers::lstm_loop(op, lstm);
}

// The loop of steps cuts X, and its product with W, along known axes.
Outputs peephole_lstm(Operator& op, const Sequence& sequence) {
    for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
        const PartialShape& shape = op.input(input).partial_shape();
        op.require(shape.rank_is_static() && shape.rank() == 3, input == 0 ? "X" : "W",
                   " has shape ", to_string(shape), ", expected three dimensions with peepholes");
    }
    op.require(op.attributes.texts("activations").empty() && op.attributes.real("clip", 0.0F) == 0,
               "peepholes (input P) with activations or clip are not supported");
    const std::string direction = op.attributes.text("direction", "forward");
    std::vector<Outputs> parts(3);
    for (std::int64_t i = 0; i < sequence.directions; ++i) {
        const bool reverse = direction == "reverse" || i == 1;
        const readers::LstmResult result = peephole_direction(op, sequence, i, reverse);
        parts[0].push_back(op.unsqueeze(result.y, {1}));
        parts[1].push_back(op.unsqueeze(result.h, {1}));
        parts[2].push_back(op.unsqueeze(result.c, {1}));
    }
    Outputs joined;
    joined.reserve(parts.size());
    for (const Outputs& part : parts) {
        joined.push_back(op.add("Concat", part, {{"axis", std::int64_t{1}}}));
    }
    return results(op, sequence, joined);
}

// The gates of ONNX are input, output, forget, cell; those of the Model forget, input, cell,
// output.
Outputs lstm(Operator& op) {
    op.require(op.attributes.integer("input_forget", 0) == 0, "input_forget=1 is not supported");
    const Sequence sequence = read(op, 4);
    if (has_peepholes(op)) {
        return peephole_lstm(op, sequence);
    }
    const std::vector<std::size_t> order{2, 0, 3, 1};
    fuseq::Node* node =
        op.node("LSTMSequence",
                {sequence.x, initial_state(op, sequence, 5), initial_state(op, sequence, 6),
                 sequence.lengths, reorder(op, op.input(1), order), reorder(op, op.input(2), order),
                 reorder(op, biases(op, sequence, false), order)},
                attributes_of(op, sequence));
    return results(op, sequence, all_outputs(node));
}

Outputs gru(Operator& op) {
    const Sequence sequence = read(op, 3);
    const bool apart = op.attributes.integer("linear_before_reset", 0) != 0;
    ModelAttributes attributes = attributes_of(op, sequence);
    attributes.push_back({"linear_before_reset", apart});
    fuseq::Node* node = op.node("GRUSequence",
                                {sequence.x, initial_state(op, sequence, 5), sequence.lengths,
                                 op.input(1), op.input(2), biases(op, sequence, apart)},
                                attributes);
    return results(op, sequence, all_outputs(node));
}

Outputs rnn(Operator& op) {
    const Sequence sequence = read(op, 1);
    fuseq::Node* node = op.node("RNNSequence",
                                {sequence.x, initial_state(op, sequence, 5), sequence.lengths,
                                 op.input(1), op.input(2), biases(op, sequence, false)},
                                attributes_of(op, sequence));
    return results(op, sequence, all_outputs(node));
}

const OperatorRow kRows[] = {
    {.type = "LSTM",
     .since = 7,
     .translate = lstm,
     .note = "input_forget, activations that differ by direction, and peepholes with activations "
             "or clip refused"},
    {.type = "GRU",
     .since = 7,
     .translate = gru,
     .note = "activations that differ by direction refused"},
    {.type = "RNN", .since = 7, .translate = rnn, .note = "likewise"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::recurrent_operators
