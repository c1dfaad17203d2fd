// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/swin.hpp"

#include "generate_model/transformer_layers.hpp"

namespace fuseq::samples {
namespace {

// Of one stage. `side`: tokens of a row and of a column. Reshapes leave the number of images open (-1).
struct Stage {
    std::size_t side;
    std::size_t width;
    std::size_t heads;
    std::size_t window;
    std::size_t shift = 0;
    Output images{};  // how many there are, where that is open: i64 []

    std::int64_t windows() const { return static_cast<std::int64_t>(side / window); }
    std::size_t window_tokens() const { return window * window; }
};

std::int64_t as_signed(std::size_t value) {
    return static_cast<std::int64_t>(value);
}

// [N, side, side, width] as [N * windows, tokens of a window, width].
Output to_windows(TokenNetwork& net, const std::string& name, Output x, const Stage& s) {
    const std::int64_t window = as_signed(s.window);
    const std::int64_t width = as_signed(s.width);
    x = net.reshape(name + "/parts", x, {-1, s.windows(), window, s.windows(), window, width});
    x = net.transpose(name + "/turned", x, {0, 1, 3, 2, 4, 5});
    return net.reshape(name, x, {-1, as_signed(s.window_tokens()), width});
}

Output from_windows(TokenNetwork& net, const std::string& name, Output x, const Stage& s) {
    const std::int64_t window = as_signed(s.window);
    const std::int64_t width = as_signed(s.width);
    x = net.reshape(name + "/parts", x, {-1, s.windows(), s.windows(), window, window, width});
    x = net.transpose(name + "/turned", x, {0, 1, 3, 2, 4, 5});
    return net.reshape(name, x, {-1, as_signed(s.side), as_signed(s.side), width});
}

// Which part of the image a token of a shifted image comes from: those of different parts do not
// see each other.
std::size_t region(std::size_t at, const Stage& s) {
    return at < s.side - s.window ? 0 : at < s.side - s.shift ? 1 : 2;
}

// [windows, 1, tokens, tokens]: 0 within a region, -100 across.
std::vector<float> region_mask(const Stage& s) {
    constexpr float kHidden = -100;
    const auto windows = static_cast<std::size_t>(s.windows());
    const std::size_t tokens = s.window_tokens();
    const auto region_of = [&](std::size_t w, std::size_t t) {
        const std::size_t row = w / windows * s.window + t / s.window;
        const std::size_t column = w % windows * s.window + t % s.window;
        return region(row, s) * 3 + region(column, s);
    };
    std::vector<float> mask;
    for (std::size_t w = 0; w < windows * windows; ++w) {
        for (std::size_t i = 0; i < tokens * tokens; ++i) {
            const bool same = region_of(w, i / tokens) == region_of(w, i % tokens);
            mask.push_back(same ? 0.0f : kHidden);
        }
    }
    return mask;
}

// Bias by the distance of two tokens, [1, heads, tokens, tokens], and the mask of regions.
Output window_mask(TokenNetwork& net, const std::string& name, const Stage& s) {
    const std::size_t tokens = s.window_tokens();
    const std::size_t distances = 2 * s.window - 1;
    const Output table = net.values(name + "/table", {distances * distances, s.heads}, 1);
    std::vector<std::int64_t> index;
    for (std::size_t i = 0; i < tokens * tokens; ++i) {
        const std::size_t a = i / tokens;
        const std::size_t b = i % tokens;
        const std::size_t row = a / s.window + s.window - 1 - b / s.window;
        const std::size_t column = a % s.window + s.window - 1 - b % s.window;
        index.push_back(as_signed(row * distances + column));
    }
    Output bias = net.pick(name + "/picked", table, index);
    bias = net.reshape(name + "/square", bias,
                       {as_signed(tokens), as_signed(tokens), as_signed(s.heads)});
    bias = net.transpose(name + "/first", bias, {2, 0, 1});
    bias = net.reshape(name, bias, {1, as_signed(s.heads), as_signed(tokens), as_signed(tokens)});
    if (s.shift == 0) {
        return bias;
    }
    const auto windows = static_cast<std::size_t>(s.windows() * s.windows());
    const Output mask =
        net.add(name + "/with_regions", bias,
                net.list(name + "/regions", {windows, 1, tokens, tokens}, region_mask(s)));
    return s.images ? net.tile(name + "/of_images", mask, s.images) : mask;
}

// One projection to query, key and value.
Output window_attention(TokenNetwork& net, const std::string& name, Output x, const Stage& s) {
    const Output joint = quantized_dense(net, name + "/qkv", x, s.width, 3 * s.width);
    const std::int64_t width = as_signed(s.width / s.heads);
    Output parts = net.reshape(name + "/qkv/parts", joint, {0, 0, 3, as_signed(s.heads), width});
    parts = net.transpose(name + "/qkv/turned", parts, {2, 0, 3, 1, 4});
    const auto part = [&](const char* part_name, std::int64_t number) {
        const std::string base = name + "/" + part_name;
        const Output one = net.slice(base + "/part", parts, 0, number, number + 1);
        return net.reshape(base, one,
                           {-1, as_signed(s.heads), as_signed(s.window_tokens()), width});
    };
    const Heads heads{part("query", 0), part("key", 1), part("value", 2)};
    const Output context =
        net.attention(name + "/context", heads, window_mask(net, name + "/bias", s), false);
    return quantized_dense(net, name + "/output", net.merge_heads(name, context), s.width, s.width);
}

Output block(TokenNetwork& net, const std::string& name, Output x, const Stage& s) {
    const std::int64_t side = as_signed(s.side);
    const std::int64_t shift = as_signed(s.shift);
    Output y = net.layer_norm(name + "/norm1", x, s.width);
    y = net.reshape(name + "/image", y, {-1, side, side, as_signed(s.width)});
    if (shift != 0) {
        y = net.roll(name + "/shift", y, -shift);
    }
    y = window_attention(net, name + "/attention", to_windows(net, name + "/windows", y, s), s);
    y = from_windows(net, name + "/joined", y, s);
    if (shift != 0) {
        y = net.roll(name + "/shift_back", y, shift);
    }
    y = net.reshape(name + "/tokens", y, {-1, side * side, as_signed(s.width)});
    x = net.add(name + "/sum1", x, y);
    LayerSizes sizes;
    sizes.width = s.width;
    sizes.feed_forward = 4 * s.width;
    const Output norm = net.layer_norm(name + "/norm2", x, s.width);
    return net.add(name + "/sum2", x, feed_forward(net, name + "/ffn", norm, sizes));
}

// Four neighbours become one token of twice the width.
Output merge(TokenNetwork& net, Output x, const Stage& s) {
    const std::int64_t side = as_signed(s.side);
    x = net.reshape("merge/image", x, {-1, side, side, as_signed(s.width)});
    std::vector<Output> parts;
    for (const std::int64_t column : {0, 1}) {
        for (const std::int64_t row : {0, 1}) {
            const std::string name =
                "merge/part" + std::to_string(row) + "_" + std::to_string(column);
            const Output rows = net.slice(name + "/rows", x, 1, row, side, 2);
            parts.push_back(net.slice(name, rows, 2, column, side, 2));
        }
    }
    x = net.reshape("merge/tokens", net.concat("merge/parts", parts, 3),
                    {-1, side * side / 4, as_signed(4 * s.width)});
    x = net.layer_norm("merge/norm", x, 4 * s.width);
    return quantized_dense(net, "merge", x, 4 * s.width, 2 * s.width);
}

}  // namespace

void swin(TokenNetwork& net, const TransformerOptions& o) {
    Output x = net.layer_norm("embed/norm", image_tokens(net, o), o.width);
    Stage stage{o.image / o.patch, o.width, o.heads, o.window};
    if (o.open) {
        stage.images = net.size("images", x, 0);
    }
    for (std::size_t number = 0; number < 2; ++number) {
        for (std::size_t i = 0; i < o.layers; ++i) {
            stage.shift = i % 2 == 1 && stage.side > stage.window ? stage.window / 2 : 0;
            x = block(net, "stage" + std::to_string(number) + "/layer" + std::to_string(i), x,
                      stage);
        }
        if (number == 0) {
            x = merge(net, x, stage);
            stage = {stage.side / 2, 2 * stage.width, 2 * stage.heads, stage.window, 0,
                     stage.images};
        }
    }
    x = net.layer_norm("norm", x, stage.width);
    x = net.mean_of_tokens("mean", x);
    net.output("scores", quantized_dense(net, "head", x, stage.width, o.classes));
}

}  // namespace fuseq::samples
