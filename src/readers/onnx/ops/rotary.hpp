// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rotary embedding: pairs of values of a head are turned by the angle of their position.
#pragma once

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// Angles [batch or 1, 1, positions, pairs].
struct Angles {
    Output cosine;
    Output sine;
};

// x is [batch, heads, positions, size], of which the first `turned` values are turned; 0: all. A
// pair is two neighbours (interleaved), or one value of each half.
Output rotate(
    Operator& op, const Output& x, const Angles& angles, std::int64_t turned, bool interleaved);

}  // namespace fuseq::onnx_reader
