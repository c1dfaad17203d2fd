// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "ops/op_spec.hpp"

namespace fuseq {

// In inference: the shape of an input that must have this rank; all open where the rank is not
// known.
inline PartialShape ranked_input(const InferContext& context,
                                 std::size_t i,
                                 std::size_t rank,
                                 std::string_view what) {
    const PartialShape& shape = context.shape(i);
    context.require(!shape.rank_is_static() || shape.rank() == rank, what, " has shape ",
                    to_string(shape), ", expected rank ", rank);
    return shape.rank_is_static() ? shape : PartialShape::dynamic(rank);
}

}  // namespace fuseq
