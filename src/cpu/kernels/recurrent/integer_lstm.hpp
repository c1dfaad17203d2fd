// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A step of TFLite's LSTM of integers (ops/quantized/quantized_lstm.hpp). The same bytes on every
// instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/eltwise/rounded_product.hpp"

namespace fuseq::kernels {

inline constexpr std::size_t kLstmGates = 4;   // input, forget, cell, output
inline constexpr std::size_t kLstmUnits = 16;  // of a block

// What one operand adds to the gates: a matrix, a bias that has the operand's zero point in it, and
// a multiplier a gate.
class IntegerGates {
public:
    // weights i8 [gates, hidden, depth], bias [gates, hidden]. Precondition: takes_multiplier() for
    // all sums.
    IntegerGates(std::span<const std::int8_t> weights,
                 std::span<const std::int32_t> bias,
                 const std::array<FixedMultiplier, kLstmGates>& multipliers,
                 std::size_t depth);

    std::size_t depth() const { return depth_; }
    std::size_t pairs() const { return (depth_ + 1) / 2; }
    const ShiftedMultiplier& multiplier(std::size_t gate) const { return multipliers_[gate]; }
    // Of a block: pairs of weights [pairs][gates][units], and [gates][units].
    const std::int16_t* weights(std::size_t block) const {
        return weights_.data() + block * pairs() * kLstmGates * kLstmUnits * 2;
    }
    const std::int32_t* bias(std::size_t block) const {
        return bias_.data() + block * kLstmGates * kLstmUnits;
    }

private:
    std::size_t depth_;
    AlignedVector<std::int16_t> weights_;
    AlignedVector<std::int32_t> bias_;
    std::array<ShiftedMultiplier, kLstmGates> multipliers_;
};

struct IntegerLstmParams {
    std::size_t hidden = 0;
    int cell_exponent = 0;            // -15 to -9
    std::int32_t cell_limit = 32768;  // of |c|
    ShiftedMultiplier to_hidden;      // of the product of output gate and tanh(c)
    ByteGrid hidden_grid;

    // Units in whole blocks.
    std::size_t units() const { return (hidden + kLstmUnits - 1) / kLstmUnits * kLstmUnits; }
};

// One sequence's memory: values of i16, units() each but for the sources, which have an even number.
struct IntegerLstmState {
    const std::int16_t* x = nullptr;
    const std::int16_t* h = nullptr;  // of bytes
    std::int16_t* next_h = nullptr;   // written, from -128 to 127
    std::int16_t* c = nullptr;        // read and written
    std::int16_t* gates = nullptr;    // work, [gates][units()], aligned
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
