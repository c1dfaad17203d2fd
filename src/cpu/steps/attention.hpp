// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attention on integers, some rows of a head at a time: scores, SoftMax with its quantization and
// context. The scores of all heads are never in memory. The bytes are those of the three steps.
#pragma once

#include <cstddef>
#include <vector>

#include "cpu/kernels/gemm/data_product.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/computed_product.hpp"
#include "cpu/steps/softmax_rows.hpp"

namespace fuseq::cpu {

class Attention {
public:
    // The result of `scores` is what `softmax` reads, and that of `softmax` the first matrix of
    // `context`: all three dense, with as many rows in the same order.
    Attention(const ComputedProduct& scores,
              const SoftmaxRows& softmax,
              const ComputedProduct& context,
              std::size_t threads);

    // Of all threads.
    std::size_t scratch_bytes() const { return threads_ * thread_bytes_; }
    // queries, keys, values, the mask if there is one, and what the scores' operations read.
    std::vector<TensorId> inputs() const;
    void run(const CallMemory& memory) const;
    // "attention:amx"
    std::string implementation() const;

private:
    struct Sources;
    void run_units(const CallMemory& memory, std::size_t id, kernels::Range units) const;
    void run_rows(const CallMemory& memory,
                  std::uint8_t* scratch,
                  std::size_t place,
                  kernels::Range rows) const;

    ComputedProduct scores_;
    SoftmaxRows softmax_;
    ComputedProduct context_;
    std::size_t threads_;
    std::size_t block_;   // rows at a time, at most
    std::size_t blocks_;  // of a place
    bool alone_;          // the work is too little for two threads
    kernels::DataProduct scores_product_;
    kernels::DataProduct context_product_;
    // Of a thread's scratch memory: where the parts begin, and their sum.
    std::size_t context_at_, tile_at_, probabilities_at_, thread_bytes_;
};

}  // namespace fuseq::cpu
