// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of elements of any type, for the operations that only move data.
#pragma once

#include <cstdint>
#include <vector>

#include "fuseq/shape.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

// Element strides of a dense row-major tensor.
std::vector<std::int64_t> dense_strides(const Shape& shape);

// A view of memory: strides and offset in elements, strides may be negative or zero.
struct StridedView {
    std::vector<std::int64_t> strides;
    std::int64_t offset = 0;
};

// dst, dense, gets the elements of src that the view names; the view has the rank of dst's shape
// and must stay inside src.
void copy_from_view(const Tensor& src, const StridedView& view, Tensor& dst);
// The elements of dst that the view names get those of src, dense; others stay as they are.
void copy_to_view(const Tensor& src, Tensor& dst, const StridedView& view);

// Transposes: dimension d of dst is dimension order[d] of src.
void copy_transposed(const Tensor& src, const std::vector<std::size_t>& order, Tensor& dst);

}  // namespace fuseq
