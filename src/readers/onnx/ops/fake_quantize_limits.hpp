// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The limits of a FakeQuantize that stands for a scale and a zero point.
#pragma once

#include <cstdint>

namespace fuseq::onnx_reader {

struct Limits {
    float low = 0;
    float high = 0;
};

// Limits of the grid lowest * scale, ..., highest * scale (integers less the zero point). Where the
// products are no floats, their neighbours are tried: those are taken from which the low-precision
// passes derive exactly this scale, (high - low) / (levels - 1) in f32, and a zero point that
// differs least from the whole number.
Limits fake_quantize_limits(float scale, std::int64_t lowest, std::int64_t highest);

}  // namespace fuseq::onnx_reader
