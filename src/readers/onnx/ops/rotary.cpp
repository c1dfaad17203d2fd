// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// RotaryEmbedding of ai.onnx and com.microsoft: pairs of values are turned by an angle that grows
// with the position.
#include "readers/onnx/ops/rotary.hpp"

#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/heads.hpp"

namespace fuseq::onnx_reader {
namespace {

using Outputs = std::vector<Output>;

// First and second values of the pairs.
struct Pairs {
    Output first;
    Output second;
};

Pairs split_pairs(Operator& op, const Output& x, bool interleaved) {
    if (!interleaved) {
        fuseq::Node* halves =
            op.node("Split", {x, op.int_scalar(3)}, {{"num_splits", std::int64_t{2}}});
        return {halves->output(0), halves->output(1)};
    }
    const Output pairs = op.reshape(x, {0, 0, 0, -1, 2});
    const auto pick = [&](std::int64_t i) {
        return op.add("Gather", {pairs, op.int_scalar(i), op.int_scalar(4)});
    };
    return {pick(0), pick(1)};
}

Output join_pairs(Operator& op, const Pairs& pairs, bool interleaved) {
    if (!interleaved) {
        return op.add("Concat", {pairs.first, pairs.second}, {{"axis", std::int64_t{3}}});
    }
    const Output both =
        op.add("Concat", {op.unsqueeze(pairs.first, {4}), op.unsqueeze(pairs.second, {4})},
               {{"axis", std::int64_t{4}}});
    return op.reshape(both, {0, 0, 0, -1});
}

}  // namespace

Output rotate(
    Operator& op, const Output& x, const Angles& angles, std::int64_t turned, bool interleaved) {
    Output part = x;
    Output rest;
    if (turned != 0) {
        const Dimension& size = x.partial_shape()[3];
        op.require(
            turned > 0 && turned % 2 == 0 && (!size.is_static() || turned <= size.get_length()),
            "attribute rotary_embedding_dim is ", turned, ", the size of a head ", to_string(size));
        if (size != Dimension(turned)) {
            fuseq::Node* parts =
                op.node("VariadicSplit", {x, op.int_scalar(3), op.int_list({turned, -1})});
            part = parts->output(0);
            rest = parts->output(1);
        }
    }
    const auto [first, second] = split_pairs(op, part, interleaved);
    const auto times = [&](const Output& a, const Output& b) { return op.add("Multiply", {a, b}); };
    const Pairs result{
        op.add("Subtract", {times(first, angles.cosine), times(second, angles.sine)}),
        op.add("Add", {times(first, angles.sine), times(second, angles.cosine)})};
    const Output y = join_pairs(op, result, interleaved);
    return rest ? op.add("Concat", {y, rest}, {{"axis", std::int64_t{3}}}) : y;
}

}  // namespace fuseq::onnx_reader

namespace fuseq::onnx_reader::rotary_operators {
namespace {

Output with_heads(Operator& op, const Output& x, const Angles& angles, std::int64_t heads) {
    const Output y = rotate(op, split_heads(op, x, heads), angles,
                            op.attributes.integer("rotary_embedding_dim", 0),
                            op.attributes.integer("interleaved", 0) != 0);
    return op.rank(x) == 3 ? merge_heads(op, y) : y;
}

Outputs rotary_embedding(Operator& op) {
    const auto angle = [&](std::size_t i) {
        const Output table = op.input(i);
        const Output rows =
            op.has_input(3) ? op.add("Gather", {table, op.input(3), op.int_scalar(0)}) : table;
        op.require(op.rank(rows) == 3, "angles have shape ", to_string(rows.partial_shape()),
                   ", expected [batch, positions, pairs]");
        return op.unsqueeze(rows, {1});
    };
    const Output x = op.input(0);
    const std::int64_t heads =
        op.rank(x) == 3 ? op.attributes.required_integer("num_heads") : std::int64_t{0};
    return {with_heads(op, x, {angle(1), angle(2)}, heads)};
}

// Numbers of the positions, [batch or 1, positions]: given, or counted from a first one.
Output position_ids(Operator& op, const Output& x) {
    const Output given = op.input(1);
    if (op.rank(given, "position_ids") == 2) {
        return given;
    }
    const std::int64_t axis = op.rank(x) == 3 ? 1 : 2;
    const Output count = op.add("Gather", {op.shape_of(x), op.int_scalar(axis), op.int_scalar(0)});
    const Output places = op.add("Range", {op.int_scalar(0), count, op.int_scalar(1)},
                                 {{"output_type", ElementType::i64}});
    const Output first = op.convert(op.reshape(given, {1}), ElementType::i64);
    return op.unsqueeze(op.add("Add", {places, first}), {0});
}

Outputs microsoft_rotary_embedding(Operator& op) {
    op.require(op.attributes.integer("is_packed_batching", 0) == 0,
               "is_packed_batching=1 is not supported");
    op.require(op.attributes.real("scale", 1.0F) == 1, "scale other than 1 is not supported");
    const Output x = op.input(0);
    const Output ids = position_ids(op, x);
    const auto angle = [&](std::size_t i) {
        return op.unsqueeze(op.add("Gather", {op.input(i), ids, op.int_scalar(0)}), {1});
    };
    std::int64_t heads = op.attributes.integer("num_heads", 0);
    op.require(op.rank(op.input(2), "cos_cache") == 2, "cos_cache has shape ",
               to_string(op.input(2).partial_shape()), ", expected [positions, pairs]");
    if (heads == 0 && op.rank(x) == 3) {
        const Dimension& size = x.partial_shape()[2];
        const Dimension& pairs = op.input(2).partial_shape()[1];
        op.require(size.is_static() && pairs.is_static() && pairs.get_length() > 0,
                   "attribute num_heads is missing, and the sizes that say it are not known");
        heads = size.get_length() / (2 * pairs.get_length());
    }
    return {with_heads(op, x, {angle(2), angle(3)}, heads)};
}

const OperatorRow kRows[] = {
    {.type = "RotaryEmbedding", .since = 23, .translate = rotary_embedding},
    {.type = "RotaryEmbedding",
     .since = 1,
     .translate = microsoft_rotary_embedding,
     .domain = "com.microsoft",
     .note = "is_packed_batching and scale refused"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::rotary_operators
