// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// SoftMax over the dense rows of a tensor, perhaps of their sums with the rows of a mask, as plain
// data: for the step that does it, and for passes.
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/kernels/reduce/rows.hpp"
#include "cpu/steps/plan_tensor.hpp"

namespace fuseq::cpu {

struct SoftmaxRows {
    // Sums with a mask lie on the stack of a thread: the longest row.
    static constexpr std::size_t kMaxMasked = 4096;

    kernels::SoftmaxParams params;
    TensorId scores = kNoTensor;
    TensorId mask = kNoTensor;  // none
    TensorId dst = kNoTensor;
    std::size_t count = 0;  // of the rows
    // They are numbered along `dims`; strides of the mask in elements, 0 where it is repeated.
    Shape dims{};
    std::vector<std::size_t> mask_strides{};

    std::size_t mask_offset(std::size_t row) const;
    // Rows [first, first + number): `src` and `to` begin with the first of them, `masks` is the
    // whole mask.
    void run(const float* src,
             const float* masks,
             void* to,
             std::size_t first,
             std::size_t number) const;
};

}  // namespace fuseq::cpu
