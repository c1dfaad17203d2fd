// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sequences of tensors, where their lengths and the positions are known when the file is read. None
// is left in the Model.
#include <algorithm>

#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::sequences_operators {
namespace {

using Outputs = std::vector<Output>;

constexpr std::int64_t kLongest = 4096;

const Outputs& sequence(Operator& op) {
    const Outputs* found = op.graph().sequence(op.input(0));
    op.require(found != nullptr, "input 0 is no sequence");
    return *found;
}

Outputs made(Operator& op, Outputs parts) {
    const Output handle = op.constant(Tensor(ElementType::i64, Shape{0}));
    op.graph().note_sequence(handle, std::move(parts));
    return {handle};
}

// Input `input` as a position among `count`; negative ones count from the end. `last`: how far it may
// go beyond them.
std::size_t position(Operator& op, std::size_t input, std::size_t count, std::int64_t last = 0) {
    const std::vector<std::int64_t> values = op.ints(op.input(input), "the position");
    op.require(values.size() == 1, "the position has ", values.size(), " values");
    const auto size = static_cast<std::int64_t>(count);
    op.require(values[0] >= -size && values[0] < size + last, "the position is ", values[0],
               ", the sequence has ", count, " tensors");
    return static_cast<std::size_t>(values[0] < 0 ? values[0] + size : values[0]);
}

Outputs construct(Operator& op) {
    Outputs parts;
    for (std::size_t i = 0; i < op.input_count(); ++i) {
        parts.push_back(op.input(i));
    }
    return made(op, parts);
}

Outputs empty(Operator& op) {
    return made(op, {});
}

Outputs insert(Operator& op) {
    Outputs parts = sequence(op);
    // Behind the last one too.
    const std::size_t at = op.has_input(2) ? position(op, 2, parts.size(), 1) : parts.size();
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at), op.input(1));
    return made(op, parts);
}

Outputs erase(Operator& op) {
    Outputs parts = sequence(op);
    op.require(!parts.empty(), "the sequence is empty");
    const std::size_t at = op.has_input(1) ? position(op, 1, parts.size()) : parts.size() - 1;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at));
    return made(op, parts);
}

Outputs element(Operator& op) {
    const Outputs& parts = sequence(op);
    return {parts[position(op, 1, parts.size())]};
}

Outputs length(Operator& op) {
    return {op.int_scalar(static_cast<std::int64_t>(sequence(op).size()))};
}

Outputs concat(Operator& op) {
    const Outputs& parts = sequence(op);
    op.require(!parts.empty(), "the sequence is empty");
    const bool new_axis = op.attributes.integer("new_axis", 0) != 0;
    const std::size_t rank = op.rank(parts[0]) + (new_axis ? 1 : 0);
    const auto axis =
        static_cast<std::int64_t>(op.axis(op.attributes.required_integer("axis"), rank));
    Outputs joined;
    for (const Output& part : parts) {
        joined.push_back(new_axis ? op.unsqueeze(part, {axis}) : part);
    }
    return {op.add("Concat", joined, {{"axis", axis}})};
}

// Lengths along the axis: each 1, pieces of one length of which the last may be shorter, or a list.
std::vector<std::int64_t> part_lengths(Operator& op, const Dimension& whole) {
    std::vector<std::int64_t> lengths{1};
    if (op.has_input(1)) {
        lengths = op.ints(op.input(1), "input split");
        if (op.rank(op.input(1), "input split") > 0) {
            return lengths;
        }
    }
    op.require(whole.is_static(), "the size of the axis is not known");
    const std::int64_t size = whole.get_length();
    const std::int64_t each = lengths.at(0);
    op.require(each >= 1 && size / each <= kLongest, "split is ", each, ", the axis has the size ",
               size, ", at most ", kLongest, " parts are supported");
    lengths.assign(static_cast<std::size_t>(size / each), each);
    if (size % each != 0) {
        lengths.push_back(size % each);
    }
    return lengths;
}

Outputs split(Operator& op) {
    const Output x = op.input(0);
    const std::size_t axis = op.axis(op.attributes.integer("axis", 0), op.rank(x));
    const std::vector<std::int64_t> lengths = part_lengths(op, x.partial_shape()[axis]);
    op.require(!lengths.empty(), "there is nothing to split");
    // keepdims is not read where lengths are given.
    const bool squeezed = !op.has_input(1) && op.attributes.integer("keepdims", 1) == 0;
    const auto at = static_cast<std::int64_t>(axis);
    fuseq::Node* parts = op.node("VariadicSplit", {x, op.int_scalar(at), op.int_list(lengths)});
    Outputs all;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        all.push_back(squeezed ? op.squeeze(parts->output(i), {at}) : parts->output(i));
    }
    return made(op, all);
}

constexpr std::string_view kKnown = "known positions, no sequences as inputs or outputs of graphs";
const OperatorRow kRows[] = {
    {.type = "SequenceConstruct", .since = 11, .translate = construct, .note = kKnown},
    {.type = "SequenceEmpty", .since = 11, .translate = empty, .note = "likewise"},
    {.type = "SequenceInsert",
     .since = 11,
     .translate = insert,
     .note = "likewise",
     .sequences = true},
    {.type = "SequenceErase",
     .since = 11,
     .translate = erase,
     .note = "likewise",
     .sequences = true},
    {.type = "SequenceAt",
     .since = 11,
     .translate = element,
     .note = "likewise",
     .sequences = true},
    {.type = "SequenceLength",
     .since = 11,
     .translate = length,
     .note = "likewise",
     .sequences = true},
    {.type = "ConcatFromSequence",
     .since = 11,
     .translate = concat,
     .note = "likewise",
     .sequences = true},
    {.type = "SplitToSequence", .since = 11, .translate = split, .note = "known lengths"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::sequences_operators
