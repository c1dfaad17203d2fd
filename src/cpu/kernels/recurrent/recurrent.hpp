// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Cells of recurrent networks in f32: LSTM, GRU, RNN. Hidden units are worked on in blocks of
// kUnits; a block needs nothing of the others but the state of the step before, so that blocks may
// go to different threads, with all of them waiting for each other between steps (and, in a GRU
// whose reset gate stands before its matrix, once more within a step). A block gives the same
// bytes whoever computes it. No allocation.
//
//   gates[block][row] = bias + x * W         gate_products(), for all time steps at once
//   for every step: for every block:         recurrent_step()
//       gates + h * R, activations, the next state
#pragma once

#include <cstddef>

namespace fuseq::kernels {

inline constexpr std::size_t kUnits = 16;

enum class GateFunction {
    kSigmoid,
    kTanh,
    kRelu,
    kHardSigmoid,  // min(max(alpha * x + beta, 0), 1)
    kSoftsign,     // x / (1 + |x|)
    kSoftplus,
    kElu,              // x < 0 ? alpha * (e^x - 1) : x
    kLeakyRelu,        // x < 0 ? alpha * x : x
    kThresholdedRelu,  // x > alpha ? x : 0
    kScaledTanh,       // alpha * tanh(beta * x)
    kAffine,           // alpha * x + beta
};
struct GateActivationParams {
    GateFunction function = GateFunction::kSigmoid;
    float alpha = 0.0f;
    float beta = 0.0f;
};

// Gates in the order in which they are packed: LSTM forget, input, cell, output; GRU update, reset,
// hidden.
enum class RecurrentCell {
    kLstm,
    kGru,
    kGruLinear,  // the reset gate acts on the product of the state
    kRnn,
};

struct RecurrentParams {
    RecurrentCell cell = RecurrentCell::kLstm;
    std::size_t hidden = 0;
    GateActivationParams activations[3]{};  // gates, candidate, state (as many as the cell has)
    float clip = 0.0f;                      // 0: none

    std::size_t gates() const {
        return cell == RecurrentCell::kLstm ? 4 : cell == RecurrentCell::kRnn ? 1 : 3;
    }
    std::size_t blocks() const { return (hidden + kUnits - 1) / kUnits; }
    std::size_t subpixels() const { return cell == RecurrentCell::kGru ? 2 : 1; }
};

// A matrix [gates * hidden, depth] as [block][depth][gate][kUnits]; gate g of a block is number
// order[g] of the matrix. Units that are not there are 0.
std::size_t packed_gates_size(const RecurrentParams& params, std::size_t gates, std::size_t depth);
void pack_gates(const RecurrentParams& params,
                const float* matrix,
                const std::size_t* order,
                std::size_t gates,
                std::size_t depth,
                float* packed);

// Of one block: to[row][gate][kUnits] = bias[gate][kUnits] + weights * x[row]. Rows of x lie
// `depth` apart.
struct GateProducts {
    std::size_t gates = 0;
    std::size_t depth = 0;
    const float* weights = nullptr;  // of the block
    const float* bias = nullptr;     // of the block
};
void gate_products(const GateProducts& params, const float* x, std::size_t rows, float* to);

// One row of the batch in one step.
struct RecurrentRow {
    float* gates = nullptr;  // of the block, [gate][kUnits]; a GRU keeps its update gate there
    const float* state = nullptr;  // before, all units
    float* next = nullptr;         // after, all units
    float* cell = nullptr;         // LSTM: all units, in place
    float* reset = nullptr;        // GRU: reset gate times state, all units
    float* out = nullptr;          // all units, exactly `hidden`; null: none
};

struct RecurrentBlock {
    std::size_t number = 0;
    std::size_t subpixel = 0;
    const float* weights = nullptr;  // of the block; GRU: update and reset in the first subpixel,
                                     // hidden in the second one
    const float* bias = nullptr;     // kGruLinear: [kUnits], of the product of the state
};

// state, next, cell and reset have room for whole blocks.
void recurrent_step(const RecurrentParams& params,
                    const RecurrentBlock& block,
                    const RecurrentRow* rows,
                    std::size_t count);

}  // namespace fuseq::kernels
