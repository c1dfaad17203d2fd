// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/tflite/operator.hpp"

namespace fuseq::tflite_reader {

struct IntegerLstmOptions {
    ::tflite::ActivationFunctionType activation = ::tflite::ActivationFunctionType::TANH;
    float cell_clip = 0;
    float projection_clip = 0;
    std::int64_t together = 1;  // sequences whose steps TFLite computes at once
};

// LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM whose input is i8, as QuantizedLstm. x: [batch, steps, size].
Output integer_lstm(Operator& op, const Output& x, const IntegerLstmOptions& options);

}  // namespace fuseq::tflite_reader
