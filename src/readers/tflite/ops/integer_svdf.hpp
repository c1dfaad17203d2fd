// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "readers/tflite/operator.hpp"

namespace fuseq::tflite_reader {

// SVDF of i8 with weights over time and a state of i16.
Values integer_svdf(Operator& op);

}  // namespace fuseq::tflite_reader
