// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/recurrent/integer_lstm.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/recurrent/integer_lstm.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/eltwise/rounded_product-inl.h"
#include "cpu/kernels/recurrent/fixed_point_16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

enum LstmGate : std::size_t { kInputGate, kForgetGate, kCellGate, kOutputGate };
constexpr int kGateBits = 3;  // integer bits of what a gate is made of

using TagHalf = hn::Rebind<std::int16_t, TagI32>;

template <std::size_t kGates>
struct GateSums {
    VecI32 of[kGates];
};

HWY_INLINE VecI32 saturated(VecI32 x) {
    const TagI32 d;
    return hn::Min(hn::Max(x, hn::Set(d, -32768)), hn::Set(d, 32767));
}

// x / 2^shift, half away from zero. |x| <= 2^30, shift >= 1
HWY_INLINE VecI32 divided_32(VecI32 x, int shift) {
    const VecI32 half = hn::Set(TagI32(), std::int32_t{1} << (shift - 1));
    return hn::ShiftRightSame(hn::Add(hn::Add(x, hn::ShiftRight<31>(x)), half), shift);
}

// Of a vector of units, `unit` in the block.
template <std::size_t kGates>
HWY_INLINE GateSums<kGates> rounded_sums(const IntegerGates& gates,
                                         std::size_t block,
                                         std::size_t unit,
                                         const std::int16_t* src) {
    const TagI32 d;
    const hn::Repartition<std::int16_t, TagI32> d16;
    GateSums<kGates> sums;
    for (std::size_t g = 0; g < kGates; ++g) {
        sums.of[g] = hn::LoadU(d, gates.bias(block) + g * kLstmUnits + unit);
    }
    const std::int16_t* wei = gates.weights(block) + 2 * unit;
    VecI32 unused = hn::Zero(d);
    for (std::size_t i = 0; i < gates.pairs(); ++i, wei += 2 * kGates * kLstmUnits) {
        std::int32_t pair;
        std::memcpy(&pair, src + 2 * i, sizeof(pair));
        const auto x = hn::BitCast(d16, hn::Set(d, pair));
        for (std::size_t g = 0; g < kGates; ++g) {
            const auto w = hn::LoadU(d16, wei + 2 * g * kLstmUnits);
            sums.of[g] = hn::ReorderWidenMulAccumulate(d, x, w, sums.of[g], unused);
        }
    }
    for (std::size_t g = 0; g < kGates; ++g) {
        sums.of[g] = rounded_product(sums.of[g], all_lanes(gates.multiplier(g)));
    }
    return sums;
}

template <Vec16 (*kFunction)(Vec16, int)>
HWY_INLINE void for_each_16(const std::int16_t* src,
                            std::size_t count,
                            int integer_bits,
                            std::int16_t* dst) {
    const Tag16 d;
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        hn::StoreU(kFunction(hn::LoadU(d, src + i), integer_bits), d, dst + i);
    }
}

void logistic_impl(const std::int16_t* src, std::size_t count, int bits, std::int16_t* dst) {
    for_each_16<logistic>(src, count, bits, dst);
}

void tanh_impl(const std::int16_t* src, std::size_t count, int bits, std::int16_t* dst) {
    for_each_16<tanh>(src, count, bits, dst);
}

HWY_INLINE VecI32 load_16(const std::int16_t* from) {
    return hn::PromoteTo(TagI32(), hn::LoadU(TagHalf(), from));
}

HWY_INLINE void store_16(VecI32 v, std::int16_t* to) {
    hn::StoreU(hn::DemoteTo(TagHalf(), v), TagHalf(), to);
}

// The last kGates gates.
template <std::size_t kGates>
void sums_of_gates(const IntegerLstmParams& p,
                   const IntegerGates& of_x,
                   const IntegerGates& of_h,
                   const IntegerLstmState& s) {
    const std::size_t units = p.units();
    std::int16_t* const gates = s.gates + (kLstmGates - kGates) * units;
    for (std::size_t unit = 0; unit < units; unit += hn::Lanes(TagI32())) {
        const std::size_t block = unit / kLstmUnits;
        const std::size_t in_block = unit % kLstmUnits;
        const auto x = rounded_sums<kGates>(of_x, block, in_block, s.x);
        const auto h = rounded_sums<kGates>(of_h, block, in_block, s.h);
        for (std::size_t g = 0; g < kGates; ++g) {
            // Stored, the sum is saturated; the second part alone is not.
            store_16(hn::Add(saturated(x.of[g]), h.of[g]), gates + g * units + unit);
        }
    }
}

// From its sums: peephole, normalization, logistic or tanh.
void finish_gate(const IntegerLstmParams& p, const IntegerLstmState& s, LstmGate gate) {
    const std::size_t units = p.units();
    std::int16_t* const values = s.gates + gate * units;
    if (!p.peepholes.empty() && gate != kCellGate) {
        const std::int16_t* const weights = s.peepholes + gate * units;
        const VecMultiplier multiplier = all_lanes(p.peepholes[gate]);
        for (std::size_t u = 0; u < units; u += hn::Lanes(TagI32())) {
            const VecI32 product = hn::Mul(load_16(weights + u), load_16(s.c + u));
            store_16(hn::Add(load_16(values + u), rounded_product(product, multiplier)),
                     values + u);
        }
    }
    if (p.normalize) {
        p.normalize(gate, values);
    }
    if (gate == kCellGate) {
        for_each_16<tanh>(values, units, kGateBits, values);
    } else {
        for_each_16<logistic>(values, units, kGateBits, values);
    }
}

void next_cells(const IntegerLstmParams& p, const IntegerLstmState& s) {
    const TagI32 d;
    const std::size_t units = p.units();
    const std::int16_t* const forget = s.gates + kForgetGate * units;
    const std::int16_t* const cell = s.gates + kCellGate * units;
    const auto limit = hn::Set(d, p.cell_limit);
    for (std::size_t u = 0; u < units; u += hn::Lanes(d)) {
        const VecI32 kept = divided_32(hn::Mul(load_16(forget + u), load_16(s.c + u)), 15);
        const VecI32 input =
            p.coupled ? hn::Sub(hn::Set(d, 32767), load_16(forget + u)) : load_16(s.gates + u);
        const VecI32 added = divided_32(hn::Mul(input, load_16(cell + u)), 30 + p.cell_exponent);
        const VecI32 sum = saturated(hn::Add(kept, added));
        store_16(hn::Min(hn::Max(sum, hn::Neg(limit)), limit), s.c + u);
    }
}

void project(const IntegerLstmParams& p, const std::int16_t* hidden, std::int16_t* dst) {
    const IntegerGates& matrix = *p.projection;
    for (std::size_t block = 0; block < matrix.blocks(); ++block) {
        for (std::size_t unit = 0; unit < kLstmUnits; unit += hn::Lanes(TagI32())) {
            const VecI32 sum = rounded_sums<1>(matrix, block, unit, hidden).of[0];
            store_16(on_grid(sum, p.projection_grid), dst + block * kLstmUnits + unit);
        }
    }
}

void integer_lstm_step_impl(const IntegerLstmParams& p,
                            const IntegerGates& of_x,
                            const IntegerGates& of_h,
                            const IntegerLstmState& s) {
    if (p.coupled) {
        sums_of_gates<kLstmGates - 1>(p, of_x, of_h, s);
    } else {
        sums_of_gates<kLstmGates>(p, of_x, of_h, s);
        finish_gate(p, s, kInputGate);
    }
    finish_gate(p, s, kForgetGate);
    finish_gate(p, s, kCellGate);
    next_cells(p, s);
    finish_gate(p, s, kOutputGate);  // its peephole is of the new cells
    const std::size_t units = p.units();
    const std::int16_t* const output = s.gates + kOutputGate * units;
    std::int16_t* const cell = s.gates + kCellGate * units;  // tanh(c) now
    std::int16_t* const hidden = p.projection ? s.gates + kForgetGate * units : s.next_h;
    for_each_16<tanh>(s.c, units, 15 + p.cell_exponent, cell);
    const VecMultiplier to_hidden = all_lanes(p.to_hidden);
    for (std::size_t u = 0; u < units; u += hn::Lanes(TagI32())) {
        const VecI32 product = hn::Mul(load_16(output + u), load_16(cell + u));
        store_16(on_grid(rounded_product(product, to_hidden), p.hidden_grid), hidden + u);
    }
    if (p.projection) {
        project(p, hidden, s.next_h);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(integer_lstm_step_impl);
HWY_EXPORT(logistic_impl);
HWY_EXPORT(tanh_impl);

IntegerGates::IntegerGates(std::span<const std::int8_t> weights,
                           std::span<const std::int32_t> bias,
                           std::span<const FixedMultiplier> multipliers,
                           std::size_t depth)
    : depth_(depth) {
    for (const FixedMultiplier& multiplier : multipliers) {
        multipliers_.push_back(shifted_multiplier(multiplier, ProductRounding::kHalfAway));
    }
    const std::size_t hidden = bias.size() / gates();
    const std::size_t blocks = whole_lstm_blocks(hidden) / kLstmUnits;
    weights_.assign(blocks * pairs() * gates() * kLstmUnits * 2, 0);
    bias_.assign(blocks * gates() * kLstmUnits, 0);
    for (std::size_t g = 0; g < gates(); ++g) {
        for (std::size_t j = 0; j < hidden; ++j) {
            const std::size_t block = j / kLstmUnits;
            const std::size_t place = g * kLstmUnits + j % kLstmUnits;
            bias_[block * gates() * kLstmUnits + place] = bias[g * hidden + j];
            const std::int8_t* const row = weights.data() + (g * hidden + j) * depth;
            for (std::size_t k = 0; k < depth; k += 2) {
                const std::size_t pair = block * pairs() + k / 2;
                std::copy_n(row + k, std::min<std::size_t>(2, depth - k),
                            weights_.data() + (pair * gates() * kLstmUnits + place) * 2);
            }
        }
    }
}

void integer_lstm_step(const IntegerLstmParams& params,
                       const IntegerGates& of_x,
                       const IntegerGates& of_h,
                       const IntegerLstmState& state) {
    HWY_DYNAMIC_DISPATCH(integer_lstm_step_impl)(params, of_x, of_h, state);
}

void fixed_16_logistic(const std::int16_t* src,
                       std::size_t count,
                       int integer_bits,
                       std::int16_t* dst) {
    HWY_DYNAMIC_DISPATCH(logistic_impl)(src, count, integer_bits, dst);
}

void fixed_16_tanh(const std::int16_t* src,
                   std::size_t count,
                   int integer_bits,
                   std::int16_t* dst) {
    HWY_DYNAMIC_DISPATCH(tanh_impl)(src, count, integer_bits, dst);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
