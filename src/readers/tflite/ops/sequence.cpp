// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/ops/sequence.hpp"

namespace fuseq::tflite_reader {

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

Sequence read_sequence(Operator& op, bool time_major) {
    require_real(op);
    Sequence sequence;
    sequence.time_major = time_major;
    sequence.x = time_major ? op.transpose(op.input(0), {1, 0, 2}) : op.input(0);
    sequence.batch = dimension(op, 0, time_major ? 1 : 0);
    sequence.steps = dimension(op, 0, time_major ? 0 : 1);
    return sequence;
}

Output sequence_lengths(Operator& op, const Sequence& sequence) {
    return op.add("Broadcast", {op.int_scalar(sequence.steps), op.int_list({sequence.batch})});
}

Output sequence_result(Operator& op, const Sequence& sequence, const Output& y) {
    return sequence.time_major ? op.transpose(y, {1, 0, 2}) : y;
}

Output state(Operator& op, std::size_t input, std::int64_t batch, std::int64_t size) {
    return op.reshape(op.input(input), {batch, 1, size});
}

void keep_state(Operator& op, std::size_t input, const Output& value) {
    const Shape& shape = op.tensor(input).shape;
    op.assign(input, op.reshape(value, {shape.begin(), shape.end()}));
}

}  // namespace fuseq::tflite_reader
