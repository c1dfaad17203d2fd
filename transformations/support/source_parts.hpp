// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The source of a dense convolution whose channels have different scales, as parts of one scale
// each:  conv(x, w) = sum over parts of conv(x[channels], w[:, channels]).
#pragma once

#include <cstdint>
#include <vector>

#include "fuseq/model.hpp"
#include "transformations/support/dequantize.hpp"

namespace fuseq {

struct SourcePart {
    Dequantize src;                     // per tensor; q holds the channels of this part, or more
    std::vector<std::int64_t> picked;   // channels of src.q to take; empty: all, in order
    std::vector<std::size_t> channels;  // channels of the whole source, in the order of the part
};

// Parts of a source that is dequantized, per tensor or per channel, or a Concat along channels of
// dequantized tensors. Empty when it is not, or when its number of channels is not known. A
// part reads the tensor its channels come from, before Concat, Split and Gather. Builds
// nothing but a Concat of some of the inputs of a Concat, where a part consists of those.
std::vector<SourcePart> source_parts(const Output& source);

// The integers of a part; adds a Gather where only some channels are taken.
Output build_part(Model& model, const std::string& base_name, const SourcePart& part);

// wei[:, channels] of i8 weights [OC, C, kernel...].
Tensor weights_of_part(const Tensor& weights, const SourcePart& part);

}  // namespace fuseq
