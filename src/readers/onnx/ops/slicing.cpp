// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Joining, cutting and padding.
#include <algorithm>

#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::slicing_operators {
namespace {

using Outputs = std::vector<Output>;

Outputs concat(Operator& op) {
    return {op.add("Concat", op.inputs(), {{"axis", op.attributes.required_integer("axis")}})};
}

Outputs parts(Operator& op, const Output& lengths) {
    const Output axis = op.int_scalar(op.attributes.integer("axis", 0));
    fuseq::Node* node = op.node("VariadicSplit", {op.input(0), axis, lengths});
    Outputs outputs;
    for (std::size_t i = 0; i < node->output_count(); ++i) {
        outputs.push_back(node->output(i));
    }
    return outputs;
}

// As many parts as the node has outputs; the last is smaller where they do not divide the axis.
Outputs equal_parts(Operator& op) {
    const Output x = op.input(0);
    const auto count =
        op.attributes.integer("num_outputs", static_cast<std::int64_t>(op.output_count()));
    op.require(count >= 1 && count <= 4096, "splits into ", count, " parts");
    const std::int64_t stated = op.attributes.integer("axis", 0);
    const Dimension size = x.partial_shape().rank_is_static()
                               ? x.partial_shape()[op.axis(stated, op.rank(x))]
                               : Dimension::dynamic();
    if (size.is_static() && size.get_length() % count != 0) {
        const std::int64_t part = (size.get_length() + count - 1) / count;
        std::vector<std::int64_t> lengths(static_cast<std::size_t>(count - 1), part);
        const std::int64_t last = size.get_length() - part * (count - 1);
        op.require(last >= 0, "cannot split ", size.get_length(), " into ", count, " parts");
        lengths.push_back(last);
        return parts(op, op.int_list(lengths));
    }
    fuseq::Node* node = op.node("Split", {x, op.int_scalar(stated)}, {{"num_splits", count}});
    Outputs outputs;
    for (std::size_t i = 0; i < node->output_count(); ++i) {
        outputs.push_back(node->output(i));
    }
    return outputs;
}

Outputs split_by_attribute(Operator& op) {
    const auto lengths = op.attributes.integers("split");
    return lengths.empty() ? equal_parts(op) : parts(op, op.int_list(lengths));
}

Outputs split_by_input(Operator& op) {
    return op.has_input(1) ? parts(op, op.input(1)) : equal_parts(op);
}

Outputs slice_by_attributes(Operator& op) {
    const auto starts = op.attributes.integers("starts");
    const auto ends = op.attributes.integers("ends");
    const auto axes = op.attributes.integers("axes");
    op.require(starts.size() == ends.size() && (axes.empty() || axes.size() == starts.size()),
               "attributes starts, ends and axes have ", starts.size(), ", ", ends.size(), " and ",
               axes.size(), " values");
    std::vector<Output> inputs{op.input(0), op.int_list(starts), op.int_list(ends),
                               op.int_list(std::vector<std::int64_t>(starts.size(), 1))};
    if (!axes.empty()) {
        inputs.push_back(op.int_list(axes));
    }
    return {op.add("Slice", inputs)};
}

Outputs slice_by_inputs(Operator& op) {
    const Output starts = op.input(1);
    Output steps = op.has_input(4) ? op.input(4) : Output{};
    if (!steps) {
        const PartialShape& shape = starts.partial_shape();
        op.require(shape.rank_is_static() && shape.rank() == 1 && shape[0].is_static(),
                   "starts has shape ", to_string(shape), ", expected a known number of values");
        const auto count = static_cast<std::size_t>(shape[0].get_length());
        constexpr std::size_t kMaxRank = 64;
        op.require(count <= kMaxRank, "starts has ", count, " values, expected one an axis");
        steps = op.convert(op.int_list(std::vector<std::int64_t>(count, 1)), starts.type());
    }
    std::vector<Output> inputs{op.input(0), starts, op.input(2), steps};
    if (op.has_input(3)) {
        inputs.push_back(op.input(3));
    }
    return {op.add("Slice", inputs)};
}

std::string pad_mode(const Operator& op) {
    const std::string mode = op.attributes.text("mode", "constant");
    op.require(mode == "constant" || mode == "reflect" || mode == "edge" || mode == "wrap",
               "attribute mode is '", mode, "', expected constant, reflect, edge or wrap");
    return mode;
}

// The image repeats without end: element i is element (i - begin) mod size.
Outputs pad_by_wrapping(Operator& op, const Output& begin, const Output& end) {
    const std::vector<std::int64_t> before = op.ints(begin, "pads");
    const std::vector<std::int64_t> after = op.ints(end, "pads");
    Output x = op.input(0);
    op.require(before.size() == op.rank(x), "pads has ", 2 * before.size(),
               " values, expected two a dimension");
    for (std::size_t d = 0; d < before.size(); ++d) {
        if (before[d] == 0 && after[d] == 0) {
            continue;
        }
        const Dimension& dimension = x.partial_shape()[d];
        op.require(dimension.is_static() && dimension.get_length() > 0, "dimension ", d,
                   " is not known or empty, which mode wrap needs");
        const std::int64_t size = dimension.get_length();
        // Each place is listed.
        constexpr std::int64_t kMost = std::int64_t{1} << 20;
        op.require(std::max({std::abs(before[d]), std::abs(after[d]), size}) <= kMost, "dimension ",
                   d, " of ", size, " elements with pads ", before[d], " and ", after[d],
                   " is too large for mode wrap");
        std::vector<std::int64_t> places;
        for (std::int64_t i = -before[d]; i < size + after[d]; ++i) {
            places.push_back((i % size + size) % size);
        }
        x = op.add("Gather", {x, op.int_list(places), op.int_scalar(static_cast<std::int64_t>(d))});
    }
    return {x};
}

Outputs pad(Operator& op, const Output& begin, const Output& end, const Output& value) {
    const std::string mode = pad_mode(op);
    if (mode == "wrap") {
        return pad_by_wrapping(op, begin, end);
    }
    std::vector<Output> inputs{op.input(0), begin, end};
    if (mode == "constant") {
        inputs.push_back(value);
    }
    return {op.add("Pad", inputs, {{"pad_mode", mode}})};
}

Outputs pad_lists(Operator& op, const std::vector<std::int64_t>& pads, const Output& value) {
    op.require(pads.size() % 2 == 0, "pads has ", pads.size(), " values, expected two a dimension");
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
    return pad(op, op.int_list({pads.begin(), middle}), op.int_list({middle, pads.end()}), value);
}

Outputs pad_by_attributes(Operator& op) {
    return pad_lists(op, op.attributes.integers("pads"),
                     op.scalar(op.attributes.real("value", 0.0F), op.input(0)));
}

// [begin of every axis, end of every axis] of the axes listed, to all axes.
std::vector<std::int64_t> spread(const Operator& op,
                                 const std::vector<std::int64_t>& pads,
                                 const std::vector<std::int64_t>& axes) {
    const std::size_t rank = op.rank(op.input(0));
    op.require(pads.size() == 2 * axes.size(), "pads has ", pads.size(), " values for ",
               axes.size(), " axes");
    std::vector<std::int64_t> all(2 * rank, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t axis = op.axis(axes[i], rank);
        all[axis] = pads[i];
        all[rank + axis] = pads[axes.size() + i];
    }
    return all;
}

Outputs pad_by_inputs(Operator& op) {
    const Output x = op.input(0);
    Output value = op.has_input(2) ? op.input(2) : op.scalar(0, x);
    value = op.rank(value, "constant_value") == 0 ? value : op.reshape(value, {});
    if (op.has_input(3)) {
        return pad_lists(op, spread(op, op.ints(op.input(1), "pads"), op.ints(op.input(3), "axes")),
                         value);
    }
    if (const auto known = op.known_ints(op.input(1))) {
        return pad_lists(op, *known, value);
    }
    fuseq::Node* halves =
        op.node("Split", {op.input(1), op.int_scalar(0)}, {{"num_splits", std::int64_t{2}}});
    return pad(op, halves->output(0), halves->output(1), value);
}

// The triangle of the last two dimensions, zeros elsewhere.
Outputs trilu(Operator& op) {
    const Output x = op.input(0);
    const std::size_t rank = op.rank(x);
    op.require(rank >= 2, "the input has rank ", rank, ", expected 2 or more");
    const Output sizes = op.shape_of(x);
    const auto count_up = [&](std::size_t d, std::int64_t axis) {
        const Output size = op.add(
            "Gather", {sizes, op.int_scalar(static_cast<std::int64_t>(d)), op.int_scalar(0)});
        return op.unsqueeze(op.add("Range", {op.int_scalar(0), size, op.int_scalar(1)},
                                   {{"output_type", ElementType::i64}}),
                            {axis});
    };
    const Output rows = count_up(rank - 2, 1);
    const Output columns = count_up(rank - 1, 0);
    const Output k = op.has_input(1) ? op.convert(op.input(1), ElementType::i64) : op.int_scalar(0);
    const bool upper = op.attributes.integer("upper", 1) != 0;
    const Output inside =
        op.add(upper ? "GreaterEqual" : "LessEqual", {op.add("Subtract", {columns, rows}), k});
    return {op.add("Select", {inside, x, op.scalar(0, x)})};
}

Outputs reverse_sequence(Operator& op) {
    return {op.add("ReverseSequence", {op.input(0), op.input(1)},
                   {{"batch_axis", op.attributes.integer("batch_axis", 1)},
                    {"seq_axis", op.attributes.integer("time_axis", 0)}})};
}

const OperatorRow kRows[] = {
    {.type = "Concat", .since = 4, .translate = concat},
    {.type = "Split", .since = 2, .translate = split_by_attribute},
    {.type = "Split", .since = 13, .translate = split_by_input},
    {.type = "Slice", .since = 1, .translate = slice_by_attributes},
    {.type = "Slice", .since = 10, .translate = slice_by_inputs},
    {.type = "Pad", .since = 2, .translate = pad_by_attributes},
    {.type = "Pad", .since = 11, .translate = pad_by_inputs, .note = "mode wrap for known sizes"},
    {.type = "Trilu", .since = 14, .translate = trilu},
    {.type = "ReverseSequence", .since = 10, .translate = reverse_sequence},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::slicing_operators
