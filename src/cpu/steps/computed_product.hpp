// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A product of two computed matrices of integers, for each place of the dimensions before them, as
// plain data: what the device's own kernel needs to store the bytes of the step, whatever
// implementation that has.
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/kernels/gemm/data_product.hpp"
#include "cpu/steps/plan_tensor.hpp"

namespace fuseq::cpu {

struct ComputedProduct {
    static constexpr std::size_t kMaxSources = 8;

    struct Matrix {
        TensorId id = kNoTensor;
        ElementType type = ElementType::undefined;
        std::int32_t zero_point = 0;
        // In elements, by dimension of `dims`; 0 along which it is repeated.
        std::vector<std::size_t> strides{};
    };

    Shape dims;  // of the result, before it is transposed: places, rows, columns
    std::size_t depth = 0;
    Matrix a, b, dst;
    std::vector<float> scale, bias;
    std::vector<kernels::GemmOp> ops;
    std::vector<TensorId> sources;  // that the ops read, plain tensors of `dims`, by number
    kernels::GemmForm form = kernels::GemmForm::kPairs;
    bool own = false;  // the step has that form already

    std::size_t rows() const { return dims[dims.size() - 2]; }
    std::size_t columns() const { return dims.back(); }
    std::size_t places() const { return shape_size(dims) / (rows() * columns()); }
    // Of an element of a source; 0: it is not read.
    std::size_t source_bytes(std::size_t source) const;
    // Of the matrix at a place, in elements.
    std::size_t offset(const Matrix& matrix, std::size_t place) const;
    // Whether the matrices lie one after the other, row after row.
    bool is_dense(const Matrix& matrix, std::size_t row) const;
    kernels::DataProductParams params() const;
};

}  // namespace fuseq::cpu
