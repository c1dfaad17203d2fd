// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// LSTMs whose step LSTMSequence does not have: a TensorIterator of plain layers.
#pragma once

#include <array>
#include <functional>

#include "readers/common/layer_builder.hpp"

namespace fuseq::readers {

// The order of gates in LstmLoop::weights, recurrent and bias.
enum class LstmGate : std::size_t { input, forget, cell, output };
inline constexpr std::size_t kLstmGates = 4;

// What is left empty is not there. cells: number of cells; size: of the output.
struct LstmLoop {
    Output x;                                  // [batch, steps, features]
    Output lengths;                            // [batch], i64: steps of each row; empty: all
    Output h;                                  // [batch, size]
    Output c;                                  // [batch, cells]
    Output weights;                            // [gates * cells, features]
    Output recurrent;                          // [gates * cells, size]
    Output bias;                               // [gates * cells]
    bool coupled = false;                      // no input gate: it is 1 - forget gate
    std::array<Output, kLstmGates> peepholes;  // [cells], of all but the cell gate
    std::array<Output, kLstmGates> norms;      // [cells]: of gates that are normalized
    float norm_epsilon = 0;
    Output projection;  // [size, cells]
    Output projection_bias;
    float cell_clip = 0;  // 0: none
    float projection_clip = 0;
    bool reverse = false;
    using Function = std::function<Output(LayerBuilder&, const Output&)>;
    Function candidate;  // of the cell gate
    Function result;     // of the cell, before the output gate
};

struct LstmResult {
    Output y;  // [batch, steps, size]
    Output h;
    Output c;
};

LstmResult lstm_loop(LayerBuilder& layers, const LstmLoop& lstm);

}  // namespace fuseq::readers
