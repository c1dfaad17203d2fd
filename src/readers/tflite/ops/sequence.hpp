// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What recurrent layers have in common.
#pragma once

#include "readers/tflite/operator.hpp"

namespace fuseq::tflite_reader {

// Size of an axis of an input.
std::int64_t dimension(const Operator& op, std::size_t input, std::size_t axis);
void require_real(const Operator& op);
// Of LSTMSequence and RNNSequence.
const char* activation_name(const Operator& op, ::tflite::ActivationFunctionType function);

// Values are [batch, steps, size].
struct Sequence {
    Output x;
    std::int64_t batch = 0;
    std::int64_t steps = 0;
    bool time_major = false;
};

Sequence read_sequence(Operator& op, bool time_major);
// [batch], as LSTMSequence and RNNSequence want it.
Output sequence_lengths(Operator& op, const Sequence& sequence);
// [batch, steps, size] to the order of the file.
Output sequence_result(Operator& op, const Sequence& sequence, const Output& y);
// A state as [batch, 1, size], and back into its variable.
Output state(Operator& op, std::size_t input, std::int64_t batch, std::int64_t size);
void keep_state(Operator& op, std::size_t input, const Output& value);

}  // namespace fuseq::tflite_reader
