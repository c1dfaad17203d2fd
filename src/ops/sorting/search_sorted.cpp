// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SearchSorted-15: for each value its place in a sorted sequence. Sequences [rows..., N] and values
// [rows..., M] are searched row by row; a sequence [N] serves values of any shape.
#include "ops/sorting/search_sorted.hpp"

#include <algorithm>

#include "model/typed.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"

namespace fuseq::search_sorted_ops {
namespace {

// Shape of the output: that of the values, merged with the leading dimensions of the sequences.
template <class Context>
PartialShape searched_shape(const Context& context,
                            const PartialShape& sequences,
                            const PartialShape& values) {
    if (!sequences.rank_is_static()) {
        return values;
    }
    context.require(sequences.rank() >= 1, "the sorted sequence is a scalar");
    if (sequences.rank() == 1) {
        return values;
    }
    PartialShape rows = sequences;
    rows[rows.rank() - 1] = Dimension::dynamic();
    if (!values.rank_is_static()) {
        return rows;
    }
    bool fits = values.rank() == rows.rank();
    for (std::size_t d = 0; fits && d < rows.rank(); ++d) {
        fits = Dimension::merge(rows[d], rows[d], values[d]);
    }
    context.require(fits, "sorted sequences of shape ", to_string(sequences),
                    " and values of shape ", to_string(values),
                    " differ before the last dimension");
    return rows;
}

void infer(InferContext& context) {
    const ElementType type = context.attrs<SearchSortedAttrs>().output_type;
    context.require(type == ElementType::i32 || type == ElementType::i64, "output_type is ",
                    to_string(type), ", expected i32 or i64");
    context.require_same_type(0, 1);
    context.require(is_real(context.type(0)) || is_integral(context.type(0)), "input 0 is ",
                    to_string(context.type(0)), ", expected a numeric type");
    context.set_output(0, type, searched_shape(context, context.shape(0), context.shape(1)));
}

template <class T>
void check_sorted(const EvalContext& context, std::span<const T> row) {
    const auto end = std::is_sorted_until(row.begin(), row.end());
    context.require(end == row.end(), "element ", end - row.begin(),
                    " of a sorted sequence is less than the one before it");
}

// Number of elements before the place of `value`.
template <class T>
std::int64_t place_of(std::span<const T> row, T value, bool right) {
    const auto before = [&](T element) { return right ? element <= value : element < value; };
    return std::partition_point(row.begin(), row.end(), before) - row.begin();
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<SearchSortedAttrs>();
    const Tensor& sequences = context.input(0);
    const Tensor& values = context.input(1);
    const Shape& shape = sequences.get_shape();
    searched_shape(context, shape, values.get_shape());
    Tensor& out = context.output(0, values.get_shape());
    const std::size_t length = shape.back();
    const std::size_t rows = partial_size(shape, 0, shape.size() - 1);
    const std::size_t each = rows == 0 ? 0 : values.get_size() / rows;  // values of a row
    std::vector<std::int64_t> found;
    found.reserve(values.get_size());
    dispatch_numeric(sequences.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::size_t r = 0; r < rows; ++r) {
            const std::span row(sequences.data<T>() + r * length, length);
            check_sorted(context, row);
            for (std::size_t i = 0; i < each; ++i) {
                found.push_back(place_of(row, values.data<T>()[r * each + i], attrs.right_mode));
            }
        }
    });
    convert_values(ElementType::i64, found.data(), out.get_element_type(), out.data(),
                   found.size());
}

const OpSpec kOps[] = {
    {.type = "SearchSorted",
     .version = 15,
     .inputs = {2, 2},
     .make_attributes = make_attributes<SearchSortedAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Places where values keep a sequence sorted",
     .refused = "sequences that fall"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::search_sorted_ops
