// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attention of ai.onnx and MultiHeadAttention of com.microsoft: ScaledDotProductAttention on heads
// that are put in front.
#include <limits>
#include <optional>

#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/heads.hpp"

namespace fuseq::onnx_reader::attention_operators {
namespace {

using Outputs = std::vector<Output>;

// [batch, heads, positions, size]
struct Attended {
    Output query;
    Output key;
    Output value;
    Output past;  // positions before those of the key, a number; null where there are none
    Output mask;  // null where there is none
    bool causal = false;
    float scale = 0;  // 0: 1 / sqrt(size)
};

// [S, T]: whether a query may see a key, which is not after it.
Output causal_mask(Operator& op, const Attended& a) {
    Output row = count_up(op, op.size_of(a.query, 2));
    if (a.past) {
        row = op.add("Add", {row, a.past});
    }
    const Output column = count_up(op, op.size_of(a.key, 2));
    return op.add("LessEqual", {op.unsqueeze(column, {0}), op.unsqueeze(row, {1})});
}

Output with_causal(Operator& op, const Attended& a) {
    const Output seen = causal_mask(op, a);
    if (!a.mask) {
        return seen;
    }
    if (a.mask.type() == ElementType::boolean) {
        return op.add("LogicalAnd", {a.mask, seen});
    }
    const Output never = op.scalar(-std::numeric_limits<double>::infinity(), a.mask.type());
    return op.add("Select", {seen, a.mask, never});
}

Output attend(Operator& op, const Attended& a) {
    std::vector<Output> inputs{a.query, a.key, a.value};
    const bool spelled = a.causal && (a.mask || a.past);
    const Output mask = spelled ? with_causal(op, a) : a.mask;
    if (mask || a.scale != 0) {
        inputs.push_back(mask ? mask : op.scalar(0, a.query));
    }
    if (a.scale != 0) {
        inputs.push_back(op.scalar(a.scale, a.query));
    }
    return op.add("ScaledDotProductAttention", inputs, {{"causal", a.causal && !spelled}});
}

// None where a tensor of rank 4 leaves it open.
std::optional<std::int64_t> heads_of(const Operator& op, const Output& x, const char* attribute) {
    if (op.rank(x) != 4) {
        return op.attributes.required_integer(attribute);
    }
    const Dimension& heads = x.partial_shape()[1];
    return heads.is_static() ? std::optional(heads.get_length()) : std::nullopt;
}

// The positions of `past` before those of x.
Output after_past(Operator& op, const Output& x, std::size_t past) {
    return op.has_input(past) ? op.add("Concat", {op.input(past), x}, {{"axis", std::int64_t{2}}})
                              : x;
}

Outputs attention(Operator& op) {
    op.require(op.attributes.real("softcap", 0.0F) == 0, "softcap is not supported");
    op.require(!op.has_output(3), "output qk_matmul_output is not supported");
    op.require(op.has_input(4) == op.has_input(5), "past_key and past_value go together");
    const bool flat = op.rank(op.input(0), "Q") == 3;
    const auto heads = heads_of(op, op.input(0), "q_num_heads");
    const auto kept = heads_of(op, op.input(1), "kv_num_heads");
    const Output key = after_past(op, split_heads(op, op.input(1), kept.value_or(0)), 4);
    const Output value = after_past(op, split_heads(op, op.input(2), kept.value_or(0)), 5);
    Attended a{.query = split_heads(op, op.input(0), heads.value_or(0)),
               .key = repeat_heads(op, key, kept, heads),
               .value = repeat_heads(op, value, kept, heads),
               .past = op.has_input(4) ? op.size_of(op.input(4), 2) : Output{},
               .mask = op.has_input(3) ? op.input(3) : Output{},
               .causal = op.attributes.integer("is_causal", 0) != 0,
               .scale = op.attributes.real("scale", 0.0F)};
    const Output y = attend(op, a);
    return {flat ? merge_heads(op, y) : y, key, value};
}

// Part `i` of a bias for query, key and value.
Output bias_part(Operator& op, std::size_t i) {
    op.require(op.rank(op.input(3), "bias") == 1, "bias has shape ",
               to_string(op.input(3).partial_shape()), ", expected one dimension");
    const Dimension& size = op.input(3).partial_shape()[0];
    const Dimension& query = op.input(0).partial_shape()[2];
    op.require(size.is_static() && query.is_static(), "the sizes of bias and query must be known");
    const Output lengths = op.int_list(
        {query.get_length(), query.get_length(), size.get_length() - 2 * query.get_length()});
    return op.node("VariadicSplit", {op.input(3), op.int_scalar(0), lengths})->output(i);
}

// Keys that are padding, as what is added to their scores.
Output padding_mask(Operator& op) {
    const Output given = op.input(4);
    op.require(op.rank(given, "key_padding_mask") == 2, "key_padding_mask has shape ",
               to_string(given.partial_shape()), "; supported: [batch, positions]");
    const Output seen = op.add("NotEqual", {given, op.scalar(0, given)});
    const Output zero = op.scalar(0, op.input(0));
    const Output hidden =
        op.scalar(op.attributes.real("mask_filter_value", -10000.0F), op.input(0));
    return op.unsqueeze(op.add("Select", {seen, zero, hidden}), {1, 2});
}

Outputs multi_head_attention(Operator& op) {
    op.require(op.has_input(1) && op.has_input(2),
               "key and value packed into the query are not supported");
    for (std::size_t i = 0; i < 3; ++i) {
        op.require(op.rank(op.input(i)) == 3, "input ", i, " has shape ",
                   to_string(op.input(i).partial_shape()),
                   "; supported: [batch, positions, heads * size]");
    }
    op.require(!op.has_output(3), "output qk is not supported");
    op.require(op.has_input(6) == op.has_input(7), "past_key and past_value go together");
    const std::int64_t heads = op.attributes.required_integer("num_heads");
    const auto part = [&](std::size_t i) {
        const Output x =
            op.has_input(3) ? op.add("Add", {op.input(i), bias_part(op, i)}) : op.input(i);
        return split_heads(op, x, heads);
    };
    Attended a{.query = part(0),
               .key = after_past(op, part(1), 6),
               .value = after_past(op, part(2), 7),
               .past = op.has_input(6) ? op.size_of(op.input(6), 2) : Output{},
               .mask = {},
               .causal = op.attributes.integer("unidirectional", 0) != 0,
               .scale = op.attributes.real("scale", 0.0F)};
    if (op.has_input(4)) {
        a.mask = padding_mask(op);
    }
    if (op.has_input(5)) {
        a.mask = a.mask ? op.add("Add", {a.mask, op.input(5)}) : op.input(5);
    }
    return {merge_heads(op, attend(op, a)), a.key, a.value};
}

// Sizes of query, key and value in the packed weights [features, all three].
std::vector<std::int64_t> packed_sizes(Operator& op) {
    const PartialShape& shape = op.input(1).partial_shape();
    op.require(shape.rank_is_static() && shape.rank() == 2 && shape[1].is_static(),
               "the weights have shape ", to_string(shape), ", expected two known sizes");
    const std::int64_t whole = shape[1].get_length();
    const auto sizes =
        op.attributes.integers("qkv_hidden_sizes", {whole / 3, whole / 3, whole / 3});
    op.require(sizes.size() == 3 && sizes[0] == sizes[1] && sizes[0] + sizes[1] + sizes[2] == whole,
               "the weights have ", whole, " columns, expected query, key and value of ", sizes[0],
               " each");
    return sizes;
}

// Keys that are hidden: [batch] lengths, [batch, positions] or [batch, queries, positions] of 0 and
// 1; as what is added to their scores.
Output packed_mask(Operator& op, const Attended& a) {
    const Output given = op.input(3);
    const std::size_t rank = op.rank(given, "mask_index");
    op.require(rank >= 1 && rank <= 3, "mask_index has shape ", to_string(given.partial_shape()),
               "; supported: [batch], [batch, positions], [batch, queries, positions]");
    Output seen;
    if (rank == 1) {
        const Output batch = op.size_of(op.input(0), 0);
        const Dimension& rows = op.input(0).partial_shape()[0];
        op.require(!rows.is_static() || given.partial_shape()[0].compatible(rows),
                   "mask_index has shape ", to_string(given.partial_shape()),
                   "; lengths of both ends are not supported");
        const Output lengths =
            op.add("Reshape",
                   {given, op.add("Concat", {op.unsqueeze(batch, {0}), op.int_list({1})},
                                  {{"axis", std::int64_t{0}}})},
                   {{"special_zero", false}});
        const Output columns = op.unsqueeze(count_up(op, op.size_of(a.key, 2)), {0});
        seen = op.add("Less", {columns, op.convert(lengths, ElementType::i64)});
    } else {
        seen = op.add("NotEqual", {given, op.scalar(0, given)});
    }
    const Output hidden =
        op.scalar(op.attributes.real("mask_filter_value", -10000.0F), op.input(0));
    const Output added = op.add("Select", {seen, op.scalar(0, op.input(0)), hidden});
    return op.unsqueeze(added,
                        rank == 3 ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{1, 2});
}

// com.microsoft: one product makes query, key and value. Past and present are keys and values in
// one tensor.
Outputs packed_attention(Operator& op) {
    op.require(op.rank(op.input(0)) == 3, "the input has shape ",
               to_string(op.input(0).partial_shape()), ", expected rank 3");
    op.require(op.attributes.integer("do_rotary", 0) == 0 &&
                   op.attributes.integer("past_present_share_buffer", 0) == 0 && !op.has_input(6),
               "do_rotary and past_present_share_buffer are not supported");
    const std::int64_t heads = op.attributes.required_integer("num_heads");
    const std::vector<std::int64_t> sizes = packed_sizes(op);
    Output joint = op.add("MatMul", {op.input(0), op.input(1)});
    joint = op.has_input(2) ? op.add("Add", {joint, op.input(2)}) : joint;
    fuseq::Node* parts = op.node("VariadicSplit", {joint, op.int_scalar(2), op.int_list(sizes)});
    Output past[2];
    for (std::int64_t i = 0; i < 2 && op.has_input(4); ++i) {
        past[i] = op.add("Gather", {op.input(4), op.int_scalar(i), op.int_scalar(0)});
    }
    const auto joined = [&](std::size_t i) {
        const Output x = split_heads(op, parts->output(i), heads);
        return past[i - 1] ? op.add("Concat", {past[i - 1], x}, {{"axis", std::int64_t{2}}}) : x;
    };
    Attended a{.query = split_heads(op, parts->output(0), heads),
               .key = joined(1),
               .value = joined(2),
               .past = past[0] ? op.size_of(past[0], 2) : Output{},
               .mask = {},
               .causal = op.attributes.integer("unidirectional", 0) != 0,
               .scale = op.attributes.real("scale", 0.0F)};
    if (op.has_input(3)) {
        a.mask = packed_mask(op, a);
    }
    if (op.has_input(5)) {
        a.mask = a.mask ? op.add("Add", {a.mask, op.input(5)}) : op.input(5);
    }
    Outputs outputs{merge_heads(op, attend(op, a))};
    if (op.has_output(1)) {
        outputs.push_back(op.add("Concat", {op.unsqueeze(a.key, {0}), op.unsqueeze(a.value, {0})},
                                 {{"axis", std::int64_t{0}}}));
    }
    return outputs;
}

const OperatorRow kRows[] = {
    {.type = "Attention",
     .since = 1,
     .translate = packed_attention,
     .domain = "com.microsoft",
     .note = "do_rotary, shared buffers, lengths of both ends and masks of rank 4 refused"},
    {.type = "Attention",
     .since = 23,
     .translate = attention,
     .note = "softcap and qk_matmul_output refused"},
    {.type = "MultiHeadAttention",
     .since = 1,
     .translate = multi_head_attention,
     .domain = "com.microsoft",
     .note = "packed inputs, cross attention of rank 4 and masks other than [batch, positions] "
             "refused"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::attention_operators
