// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// LSTM, GRU and RNN, cells and sequences, with constant weights: the products of all inputs first,
// then step by step those of the state, in blocks of hidden units that threads share.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/recurrent/recurrent.hpp"
#include "cpu/steps/call_step.hpp"
#include "fuseq/node.hpp"
#include "ops/recurrent/recurrent.hpp"

namespace fuseq::cpu {

// Weights of one direction.
struct RecurrentWeights {
    kernels::AlignedVector<float> input;        // of x
    kernels::AlignedVector<float> state;        // of h; of a GRU update and reset only
    kernels::AlignedVector<float> hidden;       // GRU: of the product after the reset gate
    kernels::AlignedVector<float> bias;         // [block][gate][kUnits]
    kernels::AlignedVector<float> linear_bias;  // kGruLinear: [block][kUnits]
};

struct RecurrentSizes {
    std::size_t batch = 1;
    std::size_t steps = 1;
    std::size_t input = 1;
    std::size_t directions = 1;
    bool first_backwards = false;  // the first (or only) direction runs backwards
};

// Tensors, all f32 and plain; lengths i32 or i64, null: all sequences are of full length.
struct RecurrentMemory {
    const float* x = nullptr;  // [batch, steps, input]
    const float* h = nullptr;  // [batch, directions, hidden]
    const float* c = nullptr;  // the same; LSTM
    const std::size_t* lengths = nullptr;
    float* all = nullptr;     // [batch, directions, steps, hidden]; null: not wanted
    float* last_h = nullptr;  // [batch, directions, hidden]
    float* last_c = nullptr;  // the same; LSTM
    float* work = nullptr;    // work_size() floats
};

class RecurrentRun {
public:
    RecurrentRun(kernels::RecurrentParams params,
                 RecurrentSizes sizes,
                 std::vector<RecurrentWeights> weights);

    std::size_t work_size() const;
    std::size_t packed_bytes() const;
    const RecurrentSizes& sizes() const { return sizes_; }
    const kernels::RecurrentParams& params() const { return params_; }
    void run(const RecurrentMemory& memory) const;

private:
    // Parts of the work memory.
    struct Work;
    Work work_of(const RecurrentMemory& memory) const;
    void start(const RecurrentMemory& memory, const Work& work) const;
    void input_products(const RecurrentMemory& memory, const Work& work) const;
    void block_step(const RecurrentMemory& memory,
                    const Work& work,
                    std::size_t item,
                    std::size_t step,
                    std::size_t subpixel) const;
    void finish(const RecurrentMemory& memory, const Work& work) const;
    std::size_t length_of(const RecurrentMemory& memory, std::size_t row) const;
    std::size_t padded() const { return params_.blocks() * kernels::kUnits; }

    kernels::RecurrentParams params_;
    RecurrentSizes sizes_;
    std::vector<RecurrentWeights> weights_;
};

}  // namespace fuseq::cpu
