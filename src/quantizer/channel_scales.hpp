// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Scales of channels: equalization of tensors that no constants make (sums, hard-swish, ELU, ...),
// and through layers that move channels (Concat, Split, shuffles). The FakeQuantize takes the
// factors: its input limits differ by channel and its output limits do not, so that what it gives
// is value / factor[c] with one scale. The weights that read channel c are multiplied by factor[c].
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "quantizer/conversion.hpp"
#include "quantizer/equalization.hpp"

namespace fuseq::quantizer {

// Puts a Multiply by 1 / factor[c] before the integers of each tensor that only anchors read,
// perhaps through layers that move values; insert_integers makes limits of it. Factors are those of
// equalize(); where depthwise convolutions alone read a channel, it gets the whole range instead.
// `equalized`: tensors that have their factors already. Changes the model and the profile of the
// conversion; returns how many tensors there are.
std::size_t scale_channels(Conversion& conversion,
                           double strength,
                           const FixedInputs& fixed,
                           const std::set<std::string>& equalized = {});

}  // namespace fuseq::quantizer
