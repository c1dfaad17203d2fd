// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/tflite/operator.hpp"

namespace fuseq::tflite_reader {

// UNIDIRECTIONAL_SEQUENCE_LSTM whose input is i8, as QuantizedLstm.
Values integer_lstm(Operator& op);

}  // namespace fuseq::tflite_reader
