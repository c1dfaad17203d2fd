// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A step of TFLite's LSTM of integers (ops/quantized/quantized_lstm.hpp). The same bytes on every
// instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/eltwise/rounded_product.hpp"

namespace fuseq::kernels {

inline constexpr std::size_t kLstmGates = 4;   // input, forget, cell, output
inline constexpr std::size_t kLstmUnits = 16;  // of a block

// What one operand adds to the gates: a matrix, a bias that has the operand's zero point in it, and
// a multiplier a gate. A projection is one of a single gate.
class IntegerGates {
public:
    // weights i8 [gates, hidden, depth], bias [gates, hidden]; one, three or four multipliers.
    // Precondition: takes_multiplier() for all sums.
    IntegerGates(std::span<const std::int8_t> weights,
                 std::span<const std::int32_t> bias,
                 std::span<const FixedMultiplier> multipliers,
                 std::size_t depth);

    std::size_t gates() const { return multipliers_.size(); }
    std::size_t blocks() const { return bias_.size() / (gates() * kLstmUnits); }
    std::size_t depth() const { return depth_; }
    std::size_t pairs() const { return (depth_ + 1) / 2; }
    const ShiftedMultiplier& multiplier(std::size_t gate) const { return multipliers_[gate]; }
    // Of a block: pairs of weights [pairs][gates][units], and [gates][units].
    const std::int16_t* weights(std::size_t block) const {
        return weights_.data() + block * pairs() * gates() * kLstmUnits * 2;
    }
    const std::int32_t* bias(std::size_t block) const {
        return bias_.data() + block * gates() * kLstmUnits;
    }

private:
    std::size_t depth_;
    std::vector<ShiftedMultiplier> multipliers_;
    AlignedVector<std::int16_t> weights_;
    AlignedVector<std::int32_t> bias_;
};

// `count` units in whole blocks.
inline std::size_t whole_lstm_blocks(std::size_t count) {
    return (count + kLstmUnits - 1) / kLstmUnits * kLstmUnits;
}

struct IntegerLstmParams {
    std::size_t hidden = 0;
    int cell_exponent = 0;            // -15 to -9
    std::int32_t cell_limit = 32768;  // of |c|
    ShiftedMultiplier to_hidden;      // of the product of output gate and tanh(c)
    ByteGrid hidden_grid;
    bool coupled = false;  // input and forget gate; sums are of the last three gates
    // Of the products of cells and peepholes, by the gate; empty: none. The cell gate's is not used.
    std::vector<ShiftedMultiplier> peepholes;
    // The values of a gate before its function, in place; empty: none.
    std::function<void(std::size_t gate, std::int16_t* values)> normalize;
    std::shared_ptr<const IntegerGates> projection;  // null: none
    ByteGrid projection_grid;

    std::size_t units() const { return whole_lstm_blocks(hidden); }
};

// One sequence's memory: values of i16 in whole blocks, but for the sources, which have an even
// number.
struct IntegerLstmState {
    const std::int16_t* x = nullptr;
    const std::int16_t* h = nullptr;          // of bytes
    const std::int16_t* peepholes = nullptr;  // [gates][units]
    std::int16_t* next_h = nullptr;           // written, from -128 to 127
    std::int16_t* c = nullptr;                // read and written
    std::int16_t* gates = nullptr;            // work, [gates][units()], aligned
};

void integer_lstm_step(const IntegerLstmParams& params,
                       const IntegerGates& of_x,
                       const IntegerGates& of_h,
                       const IntegerLstmState& state);

// Logistic or tanh of `count` values with `integer_bits` integer bits; count: a multiple of
// kLstmUnits. May be in place.
void fixed_16_logistic(const std::int16_t* src,
                       std::size_t count,
                       int integer_bits,
                       std::int16_t* dst);
void fixed_16_tanh(const std::int16_t* src, std::size_t count, int integer_bits, std::int16_t* dst);

}  // namespace fuseq::kernels
