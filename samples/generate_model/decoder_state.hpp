// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a decoder keeps from one inference to the next (KV cache), spelled as exporters do it:
// ReadValue -> Concat with the keys of the new tokens -> Assign, and likewise for the values.
#pragma once

#include <map>
#include <string>

#include "generate_model/transformers.hpp"

namespace fuseq::samples {

class DecoderState {
public:
    // `ids`: [1, T], the new tokens. S below: the tokens of all inferences since the state was
    // reset, these included.
    DecoderState(TokenNetwork& net, const TransformerOptions& options, Output ids);

    // Positions of the new tokens, i64 [T].
    Output positions() const { return positions_; }
    // f32 [1, 1, T, S]: 0 where a token may attend, the lowest number elsewhere.
    Output mask() const { return mask_; }
    // [1, heads, T, width] of a layer's keys or values -> [1, heads, S, width], which the next
    // inference begins with.
    Output extend(const std::string& variable, Output now);

private:
    TokenNetwork* net_;
    std::map<std::string, Output> before_;  // by variable
    Output positions_;
    Output mask_;
};

}  // namespace fuseq::samples
