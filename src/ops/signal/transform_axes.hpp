// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs of DFT, IDFT, RDFT and IRDFT: data, axes, and optionally a size for each axis. Complex
// numbers are pairs in the last dimension, which no axis names.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/op_spec.hpp"

namespace fuseq {

enum class TransformKind {
    kComplex,        // pairs to pairs
    kRealToComplex,  // the last axis of the list keeps the size / 2 + 1 values that the rest mirror
    kComplexToReal,  // the inverse of that
};

// In the order of the list.
struct TransformAxes {
    std::vector<std::size_t> axes;
    std::vector<std::int64_t> sizes;  // -1: the size of the data

    // Size of the i-th axis where the data has `size`.
    std::size_t size_of(std::size_t i, std::size_t size) const {
        return sizes[i] < 0 ? size : static_cast<std::size_t>(sizes[i]);
    }
};

// `rank`: of the data without the dimension of pairs.
TransformAxes transform_axes(const EvalContext& context, std::size_t rank);

void infer_transform(InferContext& context, TransformKind kind);

}  // namespace fuseq
