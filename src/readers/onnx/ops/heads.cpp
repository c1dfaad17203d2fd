// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/heads.hpp"

namespace fuseq::onnx_reader {
namespace {

void check_heads(const Operator& op, std::int64_t heads) {
    constexpr std::int64_t kMaxHeads = 1 << 16;
    op.require(heads > 0 && heads <= kMaxHeads, "the number of heads is ", heads,
               ", expected 1 to ", kMaxHeads);
}

}  // namespace

Output split_heads(Operator& op, const Output& x, std::int64_t heads) {
    const std::size_t rank = op.rank(x);
    op.require(rank == 3 || rank == 4, "an input of attention has rank ", rank,
               ", expected 3 or 4");
    if (rank == 4) {
        return x;
    }
    const Dimension& size = x.partial_shape()[2];
    check_heads(op, heads);
    op.require(!size.is_static() || size.get_length() % heads == 0, "the last ", "dimension is ",
               to_string(size), ", which ", heads, " heads do not divide");
    return op.transpose(op.reshape(x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

Output merge_heads(Operator& op, const Output& x) {
    return op.reshape(op.transpose(x, {0, 2, 1, 3}), {0, 0, -1});
}

Output repeat_heads(Operator& op,
                    const Output& x,
                    std::optional<std::int64_t> kept,
                    std::optional<std::int64_t> wanted) {
    op.require(kept.has_value() == wanted.has_value(),
               "the number of heads is known of the query or the key, but not of both");
    if (!kept) {
        return x;  // as many, or the products refuse them
    }
    const std::int64_t from = *kept;
    const std::int64_t to = *wanted;
    check_heads(op, to);
    op.require(from > 0 && to % from == 0, "the query has ", to, " heads, key and value have ",
               from, ", which is no divisor");
    if (from == to) {
        return x;
    }
    std::vector<std::int64_t> source(static_cast<std::size_t>(to));
    for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<std::int64_t>(i) / (to / from);
    }
    return op.add("Gather", {x, op.int_list(source), op.int_scalar(1)});
}

Output count_up(Operator& op, const Output& count) {
    return op.add("Range", {op.int_scalar(0), count, op.int_scalar(1)},
                  {{"output_type", ElementType::i64}});
}

}  // namespace fuseq::onnx_reader
