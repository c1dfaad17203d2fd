// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers of transformers, [N, T, D], with FakeQuantize where NNCF puts it: before every product
// with weights, and on the operands of the products of attention.
#pragma once

#include "generate_model/quantized_network.hpp"

namespace fuseq::samples {

// How a network spells what exporters spell in several ways.
enum class AttentionSpelling { kOperation, kMatMuls };
enum class NormSpelling { kMvn, kDecomposed, kRms };
enum class GeluSpelling { kOperation, kErf, kTanh };

struct Spellings {
    AttentionSpelling attention = AttentionSpelling::kMatMuls;
    NormSpelling norm = NormSpelling::kMvn;
    GeluSpelling gelu = GeluSpelling::kOperation;
};

// [N, heads, T, width] each.
struct Heads {
    Output query, key, value;
};

class TokenNetwork : public QuantizedNetwork {
public:
    TokenNetwork(std::string name,
                 std::uint64_t seed,
                 const Ranges* ranges,
                 const Spellings& spellings)
        : QuantizedNetwork(std::move(name), seed, ranges), spellings_(spellings) {}

    // Integers [1, tokens], by the name that exporters give.
    Output token_input(const std::string& name, const Dimension& tokens);
    // Rows of a table of 8 bits, one scale a row, as NNCF compresses it.
    Output embedding(const std::string& name, Output ids, std::size_t rows, std::size_t width);
    // The dequantized table of that name, for an output layer that shares it.
    Output table(const std::string& name) const { return tables_.at(name); }
    // Random values, about as large as `bound`.
    Output values(const std::string& name, const Shape& shape, float bound);
    Output list(const std::string& name, const Shape& shape, const std::vector<float>& values) {
        return constant(name, shape, values);
    }
    Output number(const std::string& name, float value);
    Output integer(const std::string& name, std::int64_t value);

    // x times weights [out, in] transposed, and a bias; x is quantized by the caller.
    Output dense(const std::string& name, Output x, std::size_t in, std::size_t out);
    Output product(const std::string& name, Output a, Output b, bool transpose_b);
    Output layer_norm(const std::string& name, Output x, std::size_t width);
    Output gelu(const std::string& name, Output x);
    Output swish(const std::string& name, Output x);
    // x * cos + rotate_half(x) * sin of [N, heads, T, width]. `positions`: i64 [T], each below
    // `tokens`; none: the tokens are those from 0 on.
    Output rotary(
        const std::string& name, Output x, std::size_t tokens, std::size_t width, Output positions);
    // Softmax of the scores times the values. `mask` is added, if there is one; `causal` makes one.
    Output attention(const std::string& name, const Heads& heads, Output mask, bool causal);

    // [N, T, D] as [N, heads, T, D / heads], and back.
    Output split_heads(const std::string& name, Output x, std::size_t heads);
    Output merge_heads(const std::string& name, Output x);
    Output multiply(const std::string& name, Output a, Output b);
    Output divide(const std::string& name, Output a, Output b);
    // Elements from begin to end of an axis, by steps.
    Output slice(const std::string& name,
                 Output x,
                 std::int64_t axis,
                 std::int64_t begin,
                 std::int64_t end,
                 std::int64_t step = 1);
    Output concat(const std::string& name, std::vector<Output> parts, std::int64_t axis);
    // Turns axes 1 and 2 round by so many elements.
    Output roll(const std::string& name, Output x, std::int64_t by);
    // Along an axis by integers.
    Output gather(const std::string& name, Output x, Output indices, std::int64_t axis);
    // A dimension of x, i64 [].
    Output size(const std::string& name, Output x, std::int64_t axis);
    // begin, begin + 1, ... below end, i64.
    Output range(const std::string& name, Output begin, Output end);
    // The elements of the first axis so many times; `times`: i64 [].
    Output tile(const std::string& name, Output x, Output times);
    // Rows of a constant table by constant indices.
    Output pick(const std::string& name, Output table, const std::vector<std::int64_t>& rows);
    // [N, T, D] -> [N, 1, D]
    Output mean_of_tokens(const std::string& name, Output x);
    // A convolution whose stride is its kernel, [N, C, H, W] -> [N, width, H / size, W / size].
    Output patches(const std::string& name, Output image, std::size_t width, std::size_t size);
    // Any other operation without attributes.
    Output plain(const std::string& type, const std::string& name, std::vector<Output> inputs);
    // 0 where the mask of the tokens, [1, T], is 1, and the lowest number elsewhere: [1, 1, 1, T].
    Output padding_mask(const std::string& name, Output mask);
    void output(const std::string& name, Output x) { model_->add_result(name, x); }

private:
    Output mean(const std::string& name, Output x, std::int64_t axis = -1);
    Output rms(const std::string& name, Output x);
    Output mvn(const std::string& name, Output x);
    Output decomposed_norm(const std::string& name, Output x);
    Output attention_operation(const std::string& name,
                               const Heads& heads,
                               Output mask,
                               bool causal);
    Output attention_of_matmuls(const std::string& name, const Heads& heads, Output mask);
    Output causal_mask(const std::string& name, std::size_t tokens);

    Spellings spellings_;
    std::map<std::string, Output> tables_;
};

}  // namespace fuseq::samples
