// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Matrices and their diagonals.
#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader::diagonal_operators {
namespace {

// True on the diagonal, [rows, columns].
Output diagonal(Operator& op, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t kLargest = std::int64_t{1} << 26;
    op.require(rows >= 0 && columns >= 0 && (columns == 0 || rows <= kLargest / columns),
               "matrices of ", rows, " x ", columns, " are too large");
    Tensor mask(ElementType::boolean,
                Shape{static_cast<std::size_t>(rows), static_cast<std::size_t>(columns)});
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
            mask.data<bool>()[i * columns + j] = i == j;
        }
    }
    return op.constant(mask);
}

// Size of a dimension counted from the end.
std::int64_t size_from_end(Operator& op, const Output& value, std::int64_t from_end) {
    const std::size_t rank = op.rank(value);
    op.require(static_cast<std::int64_t>(rank) >= from_end, "rank is ", rank, ", expected ",
               from_end, " or more");
    const Dimension size = value.partial_shape()[rank - static_cast<std::size_t>(from_end)];
    op.require(size.is_static(), "the size of the matrices is open");
    return size.get_length();
}

// [..., N] to [..., N, N], 0 beside the diagonal.
Values matrix_diagonal(Operator& op) {
    const Output x = op.input(0);
    const std::int64_t size = size_from_end(op, x, 1);
    const auto last = static_cast<std::int64_t>(op.rank(x));
    return plain(
        op.add("Select", {diagonal(op, size, size), op.unsqueeze(x, {last}), op.scalar(0, x)}));
}

// [..., M, N] with another diagonal, [..., min(M, N)].
Values set_diagonal(Operator& op) {
    const Output x = op.input(0);
    const std::int64_t rows = size_from_end(op, x, 2);
    const std::int64_t columns = size_from_end(op, x, 1);
    const auto rank = static_cast<std::int64_t>(op.rank(x));
    // As a column where it is as long as there are rows, else as a row.
    const Output values = op.unsqueeze(op.input(1), {rows <= columns ? rank - 1 : rank - 2});
    return plain(op.add("Select", {diagonal(op, rows, columns), values, x}));
}

const OperatorRow kRows[] = {
    {.type = "MATRIX_DIAG", .newest = 1, .translate = matrix_diagonal},
    {.type = "MATRIX_SET_DIAG", .newest = 1, .translate = set_diagonal},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::diagonal_operators
