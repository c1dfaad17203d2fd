// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Heads of attention: [batch, positions, heads * size] and [batch, heads, positions, size].
#pragma once

#include <optional>

#include "readers/onnx/operator.hpp"

namespace fuseq::onnx_reader {

// x of rank 3 with the heads before the positions; of rank 4 as it is. Throws Error for other
// ranks.
Output split_heads(Operator& op, const Output& x, std::int64_t heads);
// The way back to rank 3.
Output merge_heads(Operator& op, const Output& x);

// A key or value head for each head of the query: each of the `kept` stands for as many that follow
// one another. Both numbers are known, or none.
Output repeat_heads(Operator& op,
                    const Output& x,
                    std::optional<std::int64_t> kept,
                    std::optional<std::int64_t> wanted);

// 0, 1, ... count - 1.
Output count_up(Operator& op, const Output& count);

}  // namespace fuseq::onnx_reader
