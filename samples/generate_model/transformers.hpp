// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Transformers of random weights with the structure of well-known ones, quantized as NNCF does it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "generate_model/token_network.hpp"

namespace fuseq::samples {

enum class TransformerKind {
    kBert,   // token ids and a mask of padding -> encoder -> hidden states
    kVit,    // image -> patches and a class token -> encoder, norms before -> scores of classes
    kSwin,   // image -> windows that shift from block to block, two stages -> scores of classes
    kGpt,    // token ids -> causal decoder, norms before, learned positions -> scores of tokens
    kLlama,  // the same with RMS norms, rotary positions and a gated feed-forward
};

struct TransformerOptions {
    TransformerKind kind = TransformerKind::kBert;
    std::size_t layers = 12;       // of kSwin: a stage; even, every second one shifts
    std::size_t width = 768;       // of kSwin: of the first stage
    std::size_t heads = 12;        // of kSwin: of the first stage
    std::size_t tokens = 128;      // not of images
    std::size_t feed_forward = 0;  // 0: four times the width
    std::size_t vocabulary = 8192;
    std::size_t image = 224;  // height and width
    std::size_t patch = 16;   // a token stands for so many pixels
    std::size_t window = 7;   // tokens of a window of kSwin
    std::size_t classes = 1000;
    // Decoders: any number of tokens at a time, and variables with the keys and values of those
    // before them; no more than `tokens` in all.
    bool state = false;
    bool open = false;  // bert: texts of any length up to `tokens`; vit, swin: any number of images
    Spellings spellings;
};

// The sizes of the network that the kind is named after: BERT-base, ViT-B/16, Swin-T, GPT-2, and a
// Llama of the size of GPT-2.
TransformerOptions usual_options(TransformerKind kind);

// Ranges of quantizers are those of the float network on one input of that seed. Throws Error for
// sizes that do not go together.
std::shared_ptr<Model> transformer(const TransformerOptions& options, std::uint64_t seed);

// One tensor a Parameter, in their order.
std::vector<Tensor> transformer_inputs(const TransformerOptions& options, std::uint64_t seed);

}  // namespace fuseq::samples
