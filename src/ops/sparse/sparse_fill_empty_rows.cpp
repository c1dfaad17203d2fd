// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SparseFillEmptyRows-16: a sparse matrix as values [M], its dense shape {rows, columns}, the
// places [M, 2] of the values and a default value. Each row without a value gets the default value
// in column 0. Outputs: the places in row-major order, the values, and which rows were empty.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/stated_sizes.hpp"
#include "ops/truth.hpp"

namespace fuseq::sparse_fill_empty_rows_ops {
namespace {

using Ints = std::vector<std::int64_t>;

struct Matrix {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

template <class Context>
Matrix matrix_of(const Context& context, const Ints& dense_shape) {
    context.require(dense_shape.size() == 2, "dense_shape has ", dense_shape.size(),
                    " values, expected 2");
    context.require(dense_shape[1] >= 0, "dense_shape has ", dense_shape[1],
                    " columns, expected 0 or more");
    return {checked_count(context, dense_shape[0], "the number of rows in dense_shape"),
            dense_shape[1]};
}

// Which rows have a value.
template <class Context>
std::vector<bool> filled_rows(const Context& context, const Matrix& matrix, const Ints& places) {
    std::vector<bool> filled(static_cast<std::size_t>(matrix.rows), false);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::int64_t size = i % 2 == 0 ? matrix.rows : matrix.columns;
        context.require(places[i] >= 0 && places[i] < size, "element ", i, " of the indices is ",
                        places[i], ", expected a value in [0, ", size - 1, "]");
        if (i % 2 == 0) {
            filled[static_cast<std::size_t>(places[i])] = true;
        }
    }
    return filled;
}

std::int64_t empty_rows(const std::vector<bool>& filled) {
    return std::count(filled.begin(), filled.end(), false);
}

template <class Context>
void check_shapes(const Context& context,
                  const PartialShape& values,
                  const PartialShape& dense_shape,
                  const PartialShape& indices,
                  const PartialShape& default_value) {
    context.require(values.compatible(PartialShape::dynamic(1)), "values have shape ",
                    to_string(values), ", expected rank 1");
    context.require(dense_shape.compatible(PartialShape{2}), "dense_shape has shape ",
                    to_string(dense_shape), ", expected [2]");
    const Dimension count = values.rank_is_static() ? values[0] : Dimension::dynamic();
    const PartialShape expected{count, 2};
    context.require(indices.compatible(expected), "indices have shape ", to_string(indices),
                    ", expected ", to_string(expected));
    context.require(default_value.compatible({}) || default_value.compatible({1}),
                    "default_value has shape ", to_string(default_value), ", expected one element");
}

// Number of values of the output.
Dimension output_count(const InferContext& context, const std::optional<Matrix>& matrix) {
    const PartialShape& values = context.shape(0);
    const PartialShape& indices = context.shape(2);
    Dimension count = values.rank_is_static() ? values[0] : Dimension::dynamic();
    if (indices.rank_is_static()) {
        Dimension::merge(count, count, indices[0]);
    }
    if (!matrix) {
        return {count.get_min_length(), Dimension::kUnbounded};
    }
    if (const auto places = context.ints(2)) {
        return count + Dimension(empty_rows(filled_rows(context, *matrix, *places)));
    }
    // Each row has at least one value. The maximum is added when all values share a row.
    const std::int64_t low = std::max(count.get_min_length(), matrix->rows);
    if (count.get_max_length() == Dimension::kUnbounded) {
        return {low, Dimension::kUnbounded};
    }
    const Dimension values_at_most(count.get_max_length());
    const bool one_row_has_them = values_at_most.get_length() > 0 && matrix->rows > 0;
    const Dimension sum = values_at_most + Dimension(matrix->rows - (one_row_has_them ? 1 : 0));
    const std::int64_t high = sum.get_max_length();  // unbounded where the sum overflows
    return {low, high == Dimension::kUnbounded ? high : std::max(low, high)};
}

void infer(InferContext& context) {
    context.require_same_type(1, 2);
    context.require_same_type(0, 3);
    require_indices(context, 2);
    check_shapes(context, context.shape(0), context.shape(1), context.shape(2), context.shape(3));
    std::optional<Matrix> matrix;
    if (const auto dense_shape = context.ints(1)) {
        matrix = matrix_of(context, *dense_shape);
    }
    const Dimension count = output_count(context, matrix);
    context.set_output_count(3);
    context.set_output(0, context.type(2), PartialShape{count, 2});
    context.set_output(1, context.type(0), PartialShape{count});
    context.set_output(2, ElementType::boolean,
                       PartialShape{matrix ? Dimension(matrix->rows) : Dimension::dynamic()});
}

// A value of the output: its place, and its index among the input values or kDefault.
struct Entry {
    static constexpr std::size_t kDefault = SIZE_MAX;
    std::int64_t row;
    std::int64_t column;
    std::size_t value;
};

std::vector<Entry> entries_of(const Ints& places, const std::vector<bool>& filled) {
    std::vector<Entry> entries;
    for (std::size_t i = 0; i < places.size() / 2; ++i) {
        entries.push_back({places[2 * i], places[2 * i + 1], i});
    }
    for (std::size_t row = 0; row < filled.size(); ++row) {
        if (!filled[row]) {
            entries.push_back({static_cast<std::int64_t>(row), 0, Entry::kDefault});
        }
    }
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.row != b.row ? a.row < b.row : a.column < b.column;
    });
    return entries;
}

void evaluate(EvalContext& context) {
    const Tensor& values = context.input(0);
    const Tensor& default_value = context.input(3);
    check_shapes(context, values.get_shape(), context.input(1).get_shape(),
                 context.input(2).get_shape(), default_value.get_shape());
    const Ints places = to_ints(context.input(2));
    const Matrix matrix = matrix_of(context, to_ints(context.input(1)));
    const std::vector<bool> filled = filled_rows(context, matrix, places);
    const std::vector<Entry> entries = entries_of(places, filled);
    Tensor& out_places = context.output(0, Shape{entries.size(), 2});
    Tensor& out_values = context.output(1, Shape{entries.size()});
    bool* empty = context.output(2, Shape{filled.size()}).data<bool>();
    std::transform(filled.begin(), filled.end(), empty, [](bool has_value) { return !has_value; });
    Ints sorted;
    const std::size_t bytes = size_of(values.get_element_type());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const Entry& entry = entries[i];
        sorted.insert(sorted.end(), {entry.row, entry.column});
        std::memcpy(elements<std::byte>(out_values) + i * bytes,
                    entry.value == Entry::kDefault
                        ? elements<std::byte>(default_value)
                        : elements<std::byte>(values) + entry.value * bytes,
                    bytes);
    }
    convert_values(ElementType::i64, sorted.data(), out_places.get_element_type(),
                   out_places.data(), sorted.size());
}

const OpSpec kOps[] = {
    {.type = "SparseFillEmptyRows",
     .version = 16,
     .inputs = {4, 4},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Gives every empty row of a sparse matrix a default value",
     .refused = "indices outside of the matrix; more than 2^24 rows"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::sparse_fill_empty_rows_ops
