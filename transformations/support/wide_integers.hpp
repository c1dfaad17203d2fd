// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Integers of 9 to 16 bits: FakeQuantize layers that give them, and weights that consist of them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "transformations/pass.hpp"
#include "transformations/support/channel_values.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {

// Whether an FQ of f32 has 257 to 65536 levels, and may give integers.
bool is_wide_quantizer(const Node& fq, const PassOptions& options);

// FakeQuantize of `source` with these limits (il, ih, ol, oh), named after `node`.
Output add_quantizer(const Node& node,
                     const std::string& suffix,
                     const Output& source,
                     const std::array<ChannelValues, 4>& limits,
                     std::int64_t levels,
                     ElementType type);

// The chain at input 1 of a layer that takes weights where they have 9 to 16 bits: an FQ of
// constants with as many levels, or Convert of a Const i16 or u16, which Subtract and Multiply may
// follow.
std::optional<WeightChain> match_wide_weights(const Node& consumer);

struct WideWeightIntegers {
    Tensor values;              // i16, in the shape of the consumer's weights
    std::vector<float> scales;  // one, or one an output channel
};
// Nothing where weights are not whole multiples of a scale an output channel, or leave 16 bits.
std::optional<WideWeightIntegers> wide_weight_integers(const Node& consumer,
                                                       const WeightChain& chain);

}  // namespace fuseq
