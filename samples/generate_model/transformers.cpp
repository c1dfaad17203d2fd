// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/transformers.hpp"

#include <optional>

#include "fuseq/error.hpp"
#include "generate_model/calibration.hpp"
#include "generate_model/decoder_state.hpp"
#include "generate_model/swin.hpp"
#include "generate_model/transformer_layers.hpp"

namespace fuseq::samples {
namespace {

constexpr float kPositions = 0.5f;

std::size_t patches_of(const TransformerOptions& o) {
    return o.image / o.patch;
}

// Any number, or as many as there are by the options.
Dimension tokens_of(const TransformerOptions& o) {
    return o.open || o.state ? Dimension()
                             : Dimension(static_cast<Dimension::value_type>(o.tokens));
}

void bert(TokenNetwork& net, const TransformerOptions& o) {
    const Dimension tokens = tokens_of(o);
    const Output ids = net.token_input("input_ids", tokens);
    const Output mask = net.padding_mask("mask", net.token_input("attention_mask", tokens));
    Output x = net.embedding("embeddings", ids, o.vocabulary, o.width);
    Output positions = net.values("embeddings/positions", {1, o.tokens, o.width}, kPositions);
    if (o.open) {
        positions = net.gather(
            "embeddings/positions/picked", positions,
            net.range("positions", net.integer("positions/first", 0), net.size("tokens", ids, 1)),
            1);
    }
    x = net.add("embeddings/sum", x, positions);
    x = net.layer_norm("embeddings/norm", x, o.width);
    for (std::size_t i = 0; i < o.layers; ++i) {
        const std::string name = "layer" + std::to_string(i);
        const Output attended = self_attention(net, name + "/attention", x, sizes_of(o), mask);
        x = net.layer_norm(name + "/norm1", net.add(name + "/sum1", attended, x), o.width);
        const Output fed = feed_forward(net, name + "/ffn", x, sizes_of(o));
        x = net.layer_norm(name + "/norm2", net.add(name + "/sum2", fed, x), o.width);
    }
    net.output("last_hidden_state", x);
}

// Layers with norms before attention and feed-forward.
Output blocks(TokenNetwork& net,
              Output x,
              const TransformerOptions& o,
              DecoderState* state = nullptr) {
    for (std::size_t i = 0; i < o.layers; ++i) {
        const std::string name = "layer" + std::to_string(i);
        const Output first = net.layer_norm(name + "/norm1", x, o.width);
        x = net.add(name + "/sum1", x,
                    self_attention(net, name + "/attention", first, sizes_of(o), {}, state));
        const Output second = net.layer_norm(name + "/norm2", x, o.width);
        x = net.add(name + "/sum2", x, feed_forward(net, name + "/ffn", second, sizes_of(o)));
    }
    return net.layer_norm("norm", x, o.width);
}

void vit(TokenNetwork& net, const TransformerOptions& o) {
    const std::size_t count = patches_of(o) * patches_of(o);
    Output x = image_tokens(net, o);
    Output first = net.values("class", {1, 1, o.width}, 1);
    if (o.open) {
        first = net.tile("class/of_images", first, net.size("images", x, 0));
    }
    x = net.concat("with_class", {first, x}, 1);
    x = net.add("with_positions", x, net.values("positions", {1, count + 1, o.width}, kPositions));
    x = blocks(net, x, o);
    x = net.slice("class_token", x, 1, 0, 1);
    net.output("scores", quantized_dense(net, "head", x, o.width, o.classes));
}

void decoder(TokenNetwork& net, const TransformerOptions& o) {
    const Output ids = net.token_input("input_ids", tokens_of(o));
    std::optional<DecoderState> state;
    if (o.state) {
        state.emplace(net, o, ids);
    }
    Output x = net.embedding("embeddings", ids, o.vocabulary, o.width);
    if (o.kind == TransformerKind::kGpt) {
        Output table = net.values("position_table", {1, o.tokens, o.width}, kPositions);
        if (state) {
            table = net.gather("positions/picked", table, state->positions(), 1);
        }
        x = net.add("with_positions", x, table);
    }
    x = blocks(net, x, o, state ? &*state : nullptr);
    // The output layer shares the table of the embedding.
    x = net.activation("head/fq", x, ActivationKind::kAsymmetric);
    net.output("logits", net.product("head", x, net.table("embeddings"), true));
}

void require(bool condition, const std::string& rule) {
    if (!condition) {
        throw Error("generate", rule);
    }
}

bool of_images(const TransformerOptions& o) {
    return o.kind == TransformerKind::kVit || o.kind == TransformerKind::kSwin;
}

void check(const TransformerOptions& o) {
    require(o.layers > 0 && o.width > 0 && o.heads > 0 && o.tokens > 0 && o.vocabulary > 0 &&
                o.classes > 0 && o.patch > 0 && o.window > 0,
            "a size is 0");
    require(o.width % o.heads == 0, "the width is no multiple of the number of heads");
    require(o.width / o.heads % 2 == 0 || o.kind != TransformerKind::kLlama,
            "rotary positions need an even width of heads");
    if (of_images(o)) {
        require(o.image >= o.patch && o.image % o.patch == 0,
                "the image is no multiple of the patch");
    }
    require(!o.state || o.kind == TransformerKind::kGpt || o.kind == TransformerKind::kLlama,
            "only decoders (gpt, llama) have a state");
    require(!o.open || o.kind == TransformerKind::kBert || of_images(o),
            "only bert has an open length, only vit and swin any number of images");
    if (o.kind == TransformerKind::kSwin) {
        require(o.layers % 2 == 0, "every second layer shifts: the number of layers must be even");
        require(patches_of(o) % (2 * o.window) == 0,
                "the patches of a row are no multiple of two windows");
    }
}

std::shared_ptr<Model> build(const TransformerOptions& o,
                             std::uint64_t seed,
                             const Ranges* ranges) {
    constexpr const char* kNames[] = {"bert", "vit", "swin", "gpt", "llama"};
    TokenNetwork net(kNames[static_cast<std::size_t>(o.kind)], seed, ranges, o.spellings);
    switch (o.kind) {
        case TransformerKind::kBert: bert(net, o); break;
        case TransformerKind::kVit: vit(net, o); break;
        case TransformerKind::kSwin: swin(net, o); break;
        case TransformerKind::kGpt:
        case TransformerKind::kLlama: decoder(net, o); break;
    }
    return net.take();
}

Tensor random_ids(const TransformerOptions& o, Random& random) {
    Tensor ids(ElementType::i64, {1, o.tokens});
    for (std::size_t i = 0; i < o.tokens; ++i) {
        ids.data<std::int64_t>()[i] = static_cast<std::int64_t>(random.next() % o.vocabulary);
    }
    return ids;
}

// The last eighth is padding.
Tensor padding(const TransformerOptions& o) {
    Tensor mask(ElementType::i64, {1, o.tokens});
    for (std::size_t i = 0; i < o.tokens; ++i) {
        mask.data<std::int64_t>()[i] = i < o.tokens - o.tokens / 8 ? 1 : 0;
    }
    return mask;
}

Tensor random_image(const TransformerOptions& o, Random& random) {
    Tensor image(ElementType::f32, {1, 3, o.image, o.image});
    for (std::size_t i = 0; i < image.get_size(); ++i) {
        image.data<float>()[i] = random.uniform(-2, 2);
    }
    return image;
}

}  // namespace

TransformerOptions usual_options(TransformerKind kind) {
    TransformerOptions o;
    o.kind = kind;
    if (kind == TransformerKind::kSwin) {
        o.layers = 2;
        o.width = 96;
        o.heads = 3;
        o.patch = 4;
    }
    if (kind == TransformerKind::kLlama) {
        o.spellings.norm = NormSpelling::kRms;
        o.feed_forward = 2048;
    }
    return o;
}

std::shared_ptr<Model> transformer(const TransformerOptions& options, std::uint64_t seed) {
    check(options);
    // State and open sizes do not change the network: the ranges are those of all tokens in one run.
    TransformerOptions whole = options;
    whole.state = false;
    whole.open = false;
    const Ranges ranges =
        observe(*build(whole, seed, nullptr), {transformer_inputs(options, seed)});
    return build(options, seed, &ranges);
}

std::vector<Tensor> transformer_inputs(const TransformerOptions& options, std::uint64_t seed) {
    Random random(seed);
    switch (options.kind) {
        case TransformerKind::kBert: return {random_ids(options, random), padding(options)};
        case TransformerKind::kGpt:
        case TransformerKind::kLlama: return {random_ids(options, random)};
        default: return {random_image(options, random)};
    }
}

}  // namespace fuseq::samples
