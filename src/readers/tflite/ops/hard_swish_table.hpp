// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// HARD_SWISH of 8-bit integers as TFLite computes it, in 16-bit fixed point.
#pragma once

#include "readers/tflite/tensor_info.hpp"

namespace fuseq::tflite_reader {

class HardSwishTable {
public:
    HardSwishTable(const TensorInfo& input, const TensorInfo& output);
    // The integer of the output for an integer of the input.
    std::int64_t operator()(std::int64_t x) const;

private:
    struct Multiplier {
        std::int16_t mantissa = 0;
        int exponent = 0;
    };
    static Multiplier multiplier(double real);

    std::int64_t input_zero_;
    std::int64_t output_zero_;
    std::int64_t lowest_;
    std::int64_t highest_;
    Multiplier output_;   // from 1/128 of the input's scale to the scale of the output
    Multiplier reluish_;  // ... to 3/32768
};

}  // namespace fuseq::tflite_reader
