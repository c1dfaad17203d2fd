// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Values at places that indices name: sparse tensors, segments, rows of tables that are added up.
#include <algorithm>
#include <limits>

#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader::scattering_operators {
namespace {

Output scattered(
    Operator& op, const Output& to, const Output& at, const Output& updates, const char* how) {
    return op.add("ScatterNDUpdate", {to, at, updates}, {{"reduction", how}});
}

// Inputs: places, shape of the result, values (one for each place), what the others have. Of several
// values for one place the last stays.
Values sparse_to_dense(Operator& op) {
    const Output base = op.add("Broadcast", {op.input(3), op.input(1)});
    Output places = op.input(0);
    const std::size_t rank = op.rank(places, "the list of places");
    op.require(rank == 1 || rank == 2, "the list of places has rank ", rank, ", expected 1 or 2");
    if (rank == 1) {
        places = op.unsqueeze(places, {1});
    }
    Output values = op.input(2);
    if (op.rank(values) == 0) {
        values = op.reshape(values, {1});
    }
    return plain(scattered(op, base, places, values, "none"));
}

// `count` rows like those of `data` behind its first dimensions, as many as `ids` has.
Output rows_of(
    Operator& op, double value, const Output& count, const Output& data, std::size_t ids) {
    const auto rest = static_cast<std::int64_t>(ids);
    const Output sizes = op.add(
        "Slice", {op.shape_of(data), op.int_list({rest}),
                  op.int_list({static_cast<std::int64_t>(op.rank(data))}), op.int_list({1})});
    const Output shape =
        op.add("Concat", {op.reshape(count, {1}), sizes}, {{"axis", std::int64_t{0}}});
    return op.add("Broadcast", {op.scalar(value, data), shape});
}

// Numbers of segments rise by 0 or 1, so that the last names their number.
Values segment_sum(Operator& op) {
    const Output data = op.input(0);
    const Output ids = op.convert(op.input(1), ElementType::i64);
    op.require(op.rank(ids, "the list of segments") == 1, "the list of segments has rank ",
               op.rank(ids));
    const Output last = op.add("ReduceMax", {ids, op.int_list({0})});
    const Output count = op.add("Add", {last, op.int_scalar(1)});
    return plain(
        scattered(op, rows_of(op, 0, count, data, 1), op.unsqueeze(ids, {1}), data, "sum"));
}

struct Segments {
    std::string_view type;
    const char* how;
    // What a segment without rows has.
    double (*empty)(ElementType type);
};

double lowest(ElementType type) {
    return type == ElementType::i32 ? std::numeric_limits<std::int32_t>::min()
                                    : std::numeric_limits<float>::lowest();
}
double highest(ElementType type) {
    return type == ElementType::i32 ? std::numeric_limits<std::int32_t>::max()
                                    : std::numeric_limits<float>::max();
}
constexpr Segments kSegments[] = {
    {"UNSORTED_SEGMENT_MAX", "max", lowest},
    {"UNSORTED_SEGMENT_MIN", "min", highest},
    {"UNSORTED_SEGMENT_PROD", "prod", [](ElementType) { return 1.0; }},
    {"UNSORTED_SEGMENT_SUM", "sum", [](ElementType) { return 0.0; }},
};

// Rows with a negative number belong to no segment: they go to one more, which is cut off.
Values unsorted_segments(Operator& op) {
    const auto* kind = std::find_if(std::begin(kSegments), std::end(kSegments),
                                    [&](const auto& row) { return row.type == op.type(); });
    const Output data = op.input(0);
    op.require(data.type() == ElementType::f32 || data.type() == ElementType::i32, "the data are ",
               to_string(data.type()), ", expected f32 or i32");
    const Output ids = op.convert(op.input(1), ElementType::i64);
    const std::size_t rank = op.rank(ids, "the list of segments");
    op.require(rank >= 1 && rank <= op.rank(data), "the numbers of segments have rank ", rank,
               ", the data ", op.rank(data));
    const Output count = op.convert(op.reshape(op.input(2), {}), ElementType::i64);
    const Output none = op.add("Less", {ids, op.int_scalar(0)});
    const Output places = op.add("Select", {none, count, ids});
    const Output base =
        rows_of(op, kind->empty(data.type()), op.add("Add", {count, op.int_scalar(1)}), data, rank);
    const Output all = scattered(op, base, op.unsqueeze(places, {static_cast<std::int64_t>(rank)}),
                                 data, kind->how);
    return plain(op.add("Slice", {all, op.int_list({0}), op.reshape(count, {1}), op.int_list({1}),
                                  op.int_list({0})}));
}

// Inputs: rows of a table, the places [n, r] of a sparse tensor that they stand at, its shape, their
// weights, the table. Rows are added up over the last dimension, and divided by their weights.
Values embedding_lookup_sparse(Operator& op) {
    const auto combiner = op.options<::tflite::EmbeddingLookupSparseOptions>().combiner();
    const Output table = op.real(4);
    op.require(op.rank(table, "the table") >= 1 && op.rank(op.input(1), "the places") == 2,
               "the table and the places have ranks ", op.rank(table), " and ",
               op.rank(op.input(1)));
    const auto cut_last = [&](const Output& value, std::int64_t axis) {
        return op.add("Slice", {op.convert(value, ElementType::i64), op.int_list({0}),
                                op.int_list({-1}), op.int_list({1}), op.int_list({axis})});
    };
    const Output places = cut_last(op.input(1), 1);
    const Output outer = cut_last(op.input(2), 0);
    const Output weights = op.input(3);
    const Output rows = op.add("Gather", {table, op.input(0), op.int_scalar(0)});
    const auto rank = static_cast<std::int64_t>(op.rank(table));
    const auto spread = [&](const Output& value) {
        Output wide = value;
        for (std::int64_t i = 1; i < rank; ++i) {
            wide = op.unsqueeze(wide, {-1});
        }
        return wide;
    };
    const auto total = [&](const Output& values) {
        return scattered(op, op.add("Broadcast", {op.scalar(0, values), outer}), places, values,
                         "sum");
    };
    const Output rest = op.add(
        "Slice", {op.shape_of(table), op.int_list({1}), op.int_list({rank}), op.int_list({1})});
    const Output shape = op.add("Concat", {outer, rest}, {{"axis", std::int64_t{0}}});
    const Output sums = scattered(op, op.add("Broadcast", {op.scalar(0, table), shape}), places,
                                  op.add("Multiply", {rows, spread(weights)}), "sum");
    if (combiner == ::tflite::CombinerType::SUM) {
        return plain(sums);
    }
    const bool mean = combiner == ::tflite::CombinerType::MEAN;
    op.require(mean || combiner == ::tflite::CombinerType::SQRTN, "combiner is ",
               static_cast<int>(combiner));
    const Output by =
        mean ? total(weights) : op.add("Sqrt", {total(op.add("Multiply", {weights, weights}))});
    // Nothing is divided where there are no rows.
    const Output ones = op.add("Broadcast", {op.scalar(1, weights), op.shape_of(weights)});
    const Output filled = op.add("Greater", {total(ones), op.scalar(0, weights)});
    const Output divisor = op.add("Select", {filled, by, op.scalar(1, by)});
    return plain(op.add("Divide", {sums, spread(divisor)}));
}

const OperatorRow kRows[] = {
    {.type = "EMBEDDING_LOOKUP_SPARSE", .newest = 1, .translate = embedding_lookup_sparse},
    {.type = "SEGMENT_SUM", .newest = 1, .translate = segment_sum},
    {.type = "SPARSE_TO_DENSE", .newest = 3, .translate = sparse_to_dense},
    {.type = "UNSORTED_SEGMENT_MAX", .newest = 1, .translate = unsorted_segments},
    {.type = "UNSORTED_SEGMENT_MIN", .newest = 1, .translate = unsorted_segments},
    {.type = "UNSORTED_SEGMENT_PROD", .newest = 1, .translate = unsorted_segments},
    {.type = "UNSORTED_SEGMENT_SUM", .newest = 1, .translate = unsorted_segments},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::scattering_operators
