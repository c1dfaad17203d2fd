// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// GroupQueryAttention of com.microsoft: causal attention over a cache of keys and values, rows of
// the batch as long as seqlens_k says. The cache may be longer than what is used of it, as where
// past and present share a buffer.
#include <limits>

#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/heads.hpp"
#include "readers/onnx/ops/rotary.hpp"

namespace fuseq::onnx_reader::group_query_attention_operators {
namespace {

using Outputs = std::vector<Output>;

enum Input : std::size_t {
    kQuery,
    kKey,
    kValue,
    kPastKey,
    kPastValue,
    kLastKeys,     // seqlens_k: index of the last key of each row
    kTotalLength,  // of the longest row
    kCosine,
    kSine,
    kPositions,
    kBias,
    kSink,
};

struct Heads {
    std::int64_t query = 0;
    std::int64_t kept = 0;  // of key and value
};

void check(const Operator& op, const Heads& heads) {
    op.require(heads.query > 0 && heads.kept > 0 && heads.query % heads.kept == 0,
               "attributes num_heads and kv_num_heads are ", heads.query, " and ", heads.kept);
    op.require(op.attributes.real("softcap", 0.0F) == 0, "softcap is not supported");
    op.require(op.attributes.integer("smooth_softmax", 0) == 0 && op.input_count() <= kSink,
               "smooth_softmax, head_sink and inputs after it are not supported");
    for (const char* type : {"k_quant_type", "v_quant_type"}) {
        const std::string stated = op.attributes.text(type, "NONE");
        op.require(stated == "NONE", "attribute ", type, " is '", stated, "'; supported: NONE");
    }
    op.require(!op.has_output(3), "output output_qk is not supported");
    op.require(op.has_input(kPastKey) == op.has_input(kPastValue),
               "past_key and past_value go together");
    op.require(op.has_input(kKey) == op.has_input(kValue), "key and value go together");
}

struct Projected {
    Output query;
    Output key;
    Output value;
};

// [batch, heads, positions, size] of each; without a key the query has all three.
Projected project(Operator& op, const Heads& heads) {
    Projected flat{.query = op.input(kQuery), .key = {}, .value = {}};
    if (op.has_input(kKey)) {
        flat.key = op.input(kKey);
        flat.value = op.input(kValue);
    } else {
        const std::int64_t all = heads.query + 2 * heads.kept;
        const PartialShape& shape = flat.query.partial_shape();
        op.require(
            op.rank(flat.query) == 3 && shape[2].is_static() && shape[2].get_length() % all == 0,
            "query has shape ", to_string(shape), ", which has no room for ", all,
            " heads of query, key and value");
        const std::int64_t size = shape[2].get_length() / all;
        fuseq::Node* parts =
            op.node("VariadicSplit",
                    {flat.query, op.int_scalar(2),
                     op.int_list({heads.query * size, heads.kept * size, heads.kept * size})});
        flat = {parts->output(0), parts->output(1), parts->output(2)};
    }
    return {split_heads(op, flat.query, heads.query), split_heads(op, flat.key, heads.kept),
            split_heads(op, flat.value, heads.kept)};
}

// Positions of the cache of each row before this inference, [batch, 1].
Output past_lengths(Operator& op, const Output& steps) {
    const Output last = op.convert(op.reshape(op.input(kLastKeys), {-1, 1}), ElementType::i64);
    const Output length = op.add("Add", {last, op.int_scalar(1)});
    const Output before = op.add("Subtract", {length, steps});
    return op.add("Maximum", {before, op.int_scalar(0)});  // a prompt that is padded
}

// Cache and new positions of each row: the new ones follow the used part of the cache.
Output updated(Operator& op,
               const Output& added,
               std::size_t past,
               const Output& past_length,
               const Output& steps) {
    if (!op.has_input(past)) {
        return added;
    }
    const Output room = op.size_of(op.input(past), 2);
    const Output total = op.convert(op.reshape(op.input(kTotalLength), {}), ElementType::i64);
    const Output place = op.unsqueeze(count_up(op, op.add("Maximum", {total, room})), {0});
    const Output moved = op.add("Add", {op.add("Subtract", {place, past_length}), room});
    const Output end = op.add("Add", {room, op.add("Subtract", {steps, op.int_scalar(1)})});
    const Output from = op.add(
        "Select", {op.add("Less", {place, past_length}), place, op.add("Minimum", {moved, end})});
    const Output both = op.add("Concat", {op.input(past), added}, {{"axis", std::int64_t{2}}});
    return op.add("Gather", {both, from, op.int_scalar(2)}, {{"batch_dims", std::int64_t{1}}});
}

// [batch, 1, queries, keys]: a key is seen from its own position on, and for `window` positions.
Output visible(Operator& op, const Output& places, const Output& key) {
    const Output row = op.unsqueeze(places, {1, 3});
    const Output column = count_up(op, op.size_of(key, 2));
    Output seen = op.add("LessEqual", {column, row});
    const std::int64_t window = op.attributes.integer("local_window_size", -1);
    if (window > 0) {
        const Output first = op.add("Subtract", {row, op.int_scalar(window)});
        seen = op.add("LogicalAnd", {seen, op.add("Greater", {column, first})});
    }
    return seen;
}

Output scores_mask(Operator& op, const Output& seen, const Output& like) {
    const Output hidden = op.scalar(-std::numeric_limits<double>::infinity(), like);
    const Output shown = op.has_input(kBias) ? op.input(kBias) : op.scalar(0, like);
    return op.add("Select", {seen, shown, hidden});
}

Outputs group_query_attention(Operator& op) {
    const Heads heads{op.attributes.required_integer("num_heads"),
                      op.attributes.required_integer("kv_num_heads")};
    check(op, heads);
    Projected x = project(op, heads);
    const Output steps = op.size_of(x.query, 2);
    const Output past_length = past_lengths(op, steps);
    const Output places = op.add("Add", {op.unsqueeze(count_up(op, steps), {0}), past_length});
    if (op.attributes.integer("do_rotary", 0) != 0) {
        const Output ids = op.has_input(kPositions) ? op.input(kPositions) : places;
        const auto angle = [&](std::size_t table) {
            return op.unsqueeze(op.add("Gather", {op.input(table), ids, op.int_scalar(0)}), {1});
        };
        const Angles angles{angle(kCosine), angle(kSine)};
        op.require(op.rank(op.input(kCosine), "cos_cache") == 2, "cos_cache has shape ",
                   to_string(op.input(kCosine).partial_shape()), ", expected [positions, pairs]");
        const Dimension& pairs = op.input(kCosine).partial_shape()[1];
        op.require(pairs.is_static(), "the width of cos_cache is not known");
        const bool interleaved = op.attributes.integer("rotary_interleaved", 0) != 0;
        x.query = rotate(op, x.query, angles, 2 * pairs.get_length(), interleaved);
        x.key = rotate(op, x.key, angles, 2 * pairs.get_length(), interleaved);
    }
    const Output key = updated(op, x.key, kPastKey, past_length, steps);
    const Output value = updated(op, x.value, kPastValue, past_length, steps);
    std::vector<Output> inputs{x.query, repeat_heads(op, key, heads.kept, heads.query),
                               repeat_heads(op, value, heads.kept, heads.query),
                               scores_mask(op, visible(op, places, key), x.query)};
    const float scale = op.attributes.real("scale", 0.0F);
    if (scale != 0) {
        inputs.push_back(op.scalar(scale, x.query));
    }
    const Output y = op.add("ScaledDotProductAttention", inputs, {{"causal", false}});
    return {merge_heads(op, y), key, value};
}

const OperatorRow kRows[] = {
    {.type = "GroupQueryAttention",
     .since = 1,
     .translate = group_query_attention,
     .domain = "com.microsoft",
     .note = "softcap, smooth_softmax, head_sink and quantized caches refused"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::group_query_attention_operators
