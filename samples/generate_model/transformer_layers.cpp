// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/transformer_layers.hpp"

#include "generate_model/decoder_state.hpp"

namespace fuseq::samples {

LayerSizes sizes_of(const TransformerOptions& options) {
    LayerSizes sizes;
    sizes.width = options.width;
    sizes.heads = options.heads;
    sizes.tokens = options.tokens;
    sizes.feed_forward = options.feed_forward == 0 ? 4 * options.width : options.feed_forward;
    sizes.rotary = sizes.gated = options.kind == TransformerKind::kLlama;
    sizes.causal = sizes.rotary || options.kind == TransformerKind::kGpt;
    return sizes;
}

Output quantized_dense(
    TokenNetwork& net, const std::string& name, Output x, std::size_t in, std::size_t out) {
    return net.dense(name, net.activation(name + "/fq", x, ActivationKind::kAsymmetric), in, out);
}

Output self_attention(TokenNetwork& net,
                      const std::string& name,
                      Output x,
                      const LayerSizes& sizes,
                      Output mask,
                      DecoderState* state) {
    x = net.activation(name + "/fq", x, ActivationKind::kAsymmetric);
    const auto projected = [&](const char* part) {
        const std::string base = name + "/" + part;
        return net.split_heads(base, net.dense(base, x, sizes.width, sizes.width), sizes.heads);
    };
    Heads heads{projected("query"), projected("key"), projected("value")};
    if (sizes.rotary) {
        const std::size_t width = sizes.width / sizes.heads;
        const Output at = state != nullptr ? state->positions() : Output{};
        heads.query = net.rotary(name + "/query/rotary", heads.query, sizes.tokens, width, at);
        heads.key = net.rotary(name + "/key/rotary", heads.key, sizes.tokens, width, at);
    }
    if (state != nullptr) {
        heads.key = state->extend(name + "/key", heads.key);
        heads.value = state->extend(name + "/value", heads.value);
        mask = state->mask();
    }
    const bool causal = sizes.causal && state == nullptr;
    const Output context = net.attention(name + "/context", heads, mask, causal);
    return quantized_dense(net, name + "/output", net.merge_heads(name, context), sizes.width,
                           sizes.width);
}

Output feed_forward(TokenNetwork& net, const std::string& name, Output x, const LayerSizes& sizes) {
    if (!sizes.gated) {
        const Output wide = quantized_dense(net, name + "/up", x, sizes.width, sizes.feed_forward);
        return quantized_dense(net, name + "/down", net.gelu(name + "/gelu", wide),
                               sizes.feed_forward, sizes.width);
    }
    x = net.activation(name + "/fq", x, ActivationKind::kAsymmetric);
    const Output gate = net.dense(name + "/gate", x, sizes.width, sizes.feed_forward);
    const Output up = net.dense(name + "/up", x, sizes.width, sizes.feed_forward);
    const Output product = net.multiply(name + "/product", net.swish(name + "/swish", gate), up);
    return quantized_dense(net, name + "/down", product, sizes.feed_forward, sizes.width);
}

Output image_tokens(TokenNetwork& net, const TransformerOptions& o) {
    const auto side = static_cast<Dimension::value_type>(o.image);
    const Dimension images = o.open ? Dimension() : Dimension(1);
    const Output image = net.activation("image/fq", net.input("image", {images, 3, side, side}),
                                        ActivationKind::kAsymmetric);
    const Output patches = net.patches("patches", image, o.width, o.patch);
    const auto width = static_cast<std::int64_t>(o.width);
    return net.transpose("tokens", net.reshape("patches/flat", patches, {0, width, -1}), {0, 2, 1});
}

}  // namespace fuseq::samples
