// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The integers that quantized weights stand for, and their scales.
#pragma once

#include <optional>
#include <string>

#include "fuseq/tensor.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {

// Why weights cannot be integers: a stable word and a sentence.
struct WeightRefusal {
    std::string code;
    std::string text;
};

// The weights are (values - zero_point) * scale, in the shape of the consumer's weights.
struct WeightIntegers {
    Tensor values;      // i8
    Tensor scale;       // f32, one an output channel, in a shape that broadcasts; or a scalar
    Tensor zero_point;  // as the scale; empty for zero
};

// What the chain's numbers are read from: bytes as they are stored, without the Convert.
Tensor stored_numbers(const WeightChain& chain);

// Works out the integers of a chain at the weights of `consumer`. Reads the model, changes nothing:
// several may run at once.
std::optional<WeightRefusal> weight_integers(const Node& consumer,
                                             const WeightChain& chain,
                                             WeightIntegers& out);

}  // namespace fuseq
