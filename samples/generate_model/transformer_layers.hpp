// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the transformers share: attention with its projections, feed-forward, patches of an image.
#pragma once

#include "generate_model/transformers.hpp"

namespace fuseq::samples {

class DecoderState;

struct LayerSizes {
    std::size_t width = 0;
    std::size_t heads = 0;
    std::size_t tokens = 0;
    std::size_t feed_forward = 0;
    bool causal = false;
    bool rotary = false;  // positions turn query and key
    bool gated = false;   // feed-forward: swish(x * gate) * (x * up)
};
LayerSizes sizes_of(const TransformerOptions& options);

// FakeQuantize and dense layer.
Output quantized_dense(
    TokenNetwork& net, const std::string& name, Output x, std::size_t in, std::size_t out);
// Projections to query, key and value, attention, projection back. x: [N, T, width]. `state`: of a
// decoder that has one; its mask is taken then.
Output self_attention(TokenNetwork& net,
                      const std::string& name,
                      Output x,
                      const LayerSizes& sizes,
                      Output mask,
                      DecoderState* state = nullptr);
Output feed_forward(TokenNetwork& net, const std::string& name, Output x, const LayerSizes& sizes);
// The input "image" as tokens [1, patches, width].
Output image_tokens(TokenNetwork& net, const TransformerOptions& options);

}  // namespace fuseq::samples
