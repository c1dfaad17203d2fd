// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/recurrent/recurrent.hpp"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/recurrent/recurrent.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/eltwise/activation_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using Tag = hn::CappedTag<float, kUnits>;
using Vector = hn::Vec<Tag>;

// Sums of products of kRows rows with a block, added to `to`. Multiply-adds are fused where the
// target can (SSE4 cannot). kSplit sums a value, of every kSplit-th product, where rows are so few
// that one sum would wait for the one before.
template <std::size_t kGates, std::size_t kRows, std::size_t kSplit>
HWY_INLINE void add_products(const float* weights,
                             std::size_t depth,
                             const float* const* x,
                             float* const* to) {
    const Tag d;
    for (std::size_t lane = 0; lane < kUnits; lane += hn::Lanes(d)) {
        Vector sums[kSplit][kRows][kGates];
#pragma GCC unroll 8
        for (std::size_t s = 0; s < kSplit; ++s) {
#pragma GCC unroll 8
            for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
                for (std::size_t g = 0; g < kGates; ++g) {
                    sums[s][r][g] = hn::Zero(d);
                }
            }
        }
        const float* w = weights + lane;
        std::size_t k = 0;
        for (; k + kSplit <= depth; k += kSplit) {
#pragma GCC unroll 8
            for (std::size_t s = 0; s < kSplit; ++s, w += kGates * kUnits) {
#pragma GCC unroll 8
                for (std::size_t r = 0; r < kRows; ++r) {
                    const Vector by = hn::Set(d, x[r][k + s]);
#pragma GCC unroll 8
                    for (std::size_t g = 0; g < kGates; ++g) {
                        sums[s][r][g] = hn::MulAdd(by, hn::Load(d, w + g * kUnits), sums[s][r][g]);
                    }
                }
            }
        }
        for (; k < depth; ++k, w += kGates * kUnits) {
#pragma GCC unroll 8
            for (std::size_t r = 0; r < kRows; ++r) {
                const Vector by = hn::Set(d, x[r][k]);
#pragma GCC unroll 8
                for (std::size_t g = 0; g < kGates; ++g) {
                    sums[0][r][g] = hn::MulAdd(by, hn::Load(d, w + g * kUnits), sums[0][r][g]);
                }
            }
        }
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
            for (std::size_t g = 0; g < kGates; ++g) {
                Vector sum = sums[0][r][g];
#pragma GCC unroll 8
                for (std::size_t s = 1; s < kSplit; ++s) {
                    sum = hn::Add(sum, sums[s][r][g]);
                }
                float* at = to[r] + g * kUnits + lane;
                hn::Store(hn::Add(hn::Load(d, at), sum), d, at);
            }
        }
    }
}

constexpr std::size_t kMaxRows = 4;

// 1 to kMaxRows rows.
template <std::size_t kGates>
void add_rows(const float* weights,
              std::size_t depth,
              const float* const* x,
              std::size_t rows,
              float* const* to) {
    switch (rows) {
        case 1: return add_products<kGates, 1, 8 / kGates>(weights, depth, x, to);
        case 2: return add_products<kGates, 2, 4 / kGates>(weights, depth, x, to);
        case 3: return add_products<kGates, 3, 1>(weights, depth, x, to);
        default: return add_products<kGates, 4, 1>(weights, depth, x, to);
    }
}

void add_rows(std::size_t gates,
              const float* weights,
              std::size_t depth,
              const float* const* x,
              std::size_t rows,
              float* const* to) {
    switch (gates) {
        case 1: return add_rows<1>(weights, depth, x, rows, to);
        case 2: return add_rows<2>(weights, depth, x, rows, to);
        case 3: return add_rows<3>(weights, depth, x, rows, to);
        default: return add_rows<4>(weights, depth, x, rows, to);
    }
}

void gate_products_impl(const GateProducts& p, const float* x, std::size_t rows, float* to) {
    // So much of the weights stays in the first cache while the rows go by.
    constexpr std::size_t kDepth = 96;
    const std::size_t width = p.gates * kUnits;
    for (std::size_t r = 0; r < rows; ++r) {
        std::copy(p.bias, p.bias + width, to + r * width);
    }
    for (std::size_t k = 0; k < p.depth; k += kDepth) {
        const std::size_t depth = std::min(kDepth, p.depth - k);
        for (std::size_t r = 0; r < rows; r += kMaxRows) {
            const float* from[kMaxRows];
            float* sums[kMaxRows];
            const std::size_t count = std::min(kMaxRows, rows - r);
            for (std::size_t i = 0; i < count; ++i) {
                from[i] = x + (r + i) * p.depth + k;
                sums[i] = to + (r + i) * width;
            }
            add_rows(p.gates, p.weights + k * width, depth, from, count, sums);
        }
    }
}

template <class V>
HWY_INLINE V scaled_tanh(Tag d, V x, V alpha, V beta) {
    return hn::Mul(alpha, tanh(d, hn::Mul(beta, x)));
}

// In place, of kUnits values. The arguments of the gates are clipped, that of the state is not.
HWY_NOINLINE void activate(const GateActivationParams& activation, float clip, float* values) {
    const Tag d;
    const Vector alpha = hn::Set(d, activation.alpha);
    const Vector beta = hn::Set(d, activation.beta);
    const Vector zero = hn::Zero(d);
    const Vector one = hn::Set(d, 1.0f);
    const auto map = [&](auto function) HWY_ATTR {
        for (std::size_t i = 0; i < kUnits; i += hn::Lanes(d)) {
            Vector x = hn::Load(d, values + i);
            if (clip > 0) {
                x = hn::Min(hn::Max(x, hn::Set(d, -clip)), hn::Set(d, clip));
            }
            hn::Store(function(x), d, values + i);
        }
    };
    switch (activation.function) {
        case GateFunction::kSigmoid: return map([&](Vector x) HWY_ATTR { return sigmoid(d, x); });
        case GateFunction::kTanh: return map([&](Vector x) HWY_ATTR { return tanh(d, x); });
        case GateFunction::kRelu: return map([&](Vector x) HWY_ATTR { return hn::Max(x, zero); });
        case GateFunction::kHardSigmoid:
            return map([&](Vector x) HWY_ATTR {
                return hn::Min(hn::Max(hn::Add(hn::Mul(alpha, x), beta), zero), one);
            });
        case GateFunction::kSoftsign:
            return map([&](Vector x) HWY_ATTR { return hn::Div(x, hn::Add(one, hn::Abs(x))); });
        case GateFunction::kSoftplus: return map([&](Vector x) HWY_ATTR { return softplus(d, x); });
        case GateFunction::kElu:
            return map([&](Vector x) HWY_ATTR {
                const Vector below = hn::Mul(alpha, expm1(d, hn::Min(x, zero)));
                return hn::IfThenElse(hn::Lt(x, zero), below, x);
            });
        case GateFunction::kLeakyRelu:
            return map([&](Vector x) HWY_ATTR {
                return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(alpha, x), x);
            });
        case GateFunction::kThresholdedRelu:
            return map([&](Vector x)
                           HWY_ATTR { return hn::IfThenElse(hn::Gt(x, alpha), x, zero); });
        case GateFunction::kScaledTanh:
            return map([&](Vector x) HWY_ATTR { return scaled_tanh(d, x, alpha, beta); });
        case GateFunction::kAffine:
            return map([&](Vector x) HWY_ATTR { return hn::Add(hn::Mul(alpha, x), beta); });
    }
}

// to = f(vectors at i), for kUnits values.
template <class F>
HWY_INLINE void for_units(const F& f) {
    const Tag d;
    for (std::size_t i = 0; i < kUnits; i += hn::Lanes(d)) {
        f(d, i);
    }
}

class Step {
public:
    Step(const RecurrentParams& p, const RecurrentBlock& block)
        : p_(p), block_(block), first_(block.number * kUnits) {}

    // Up to kMaxRows rows.
    void run(const RecurrentRow* rows, std::size_t count) {
        const bool second = block_.subpixel == 1;
        const std::size_t gates = p_.cell != RecurrentCell::kGru ? p_.gates() : second ? 1 : 2;
        const float* x[kMaxRows];
        float* sums[kMaxRows];
        for (std::size_t r = 0; r < count; ++r) {
            x[r] = second ? rows[r].reset : rows[r].state;
            sums[r] = p_.cell == RecurrentCell::kGruLinear
                          ? products_[r]
                          : rows[r].gates + (second ? 2 : 0) * kUnits;
            if (p_.cell == RecurrentCell::kGruLinear) {
                std::fill_n(products_[r], 2 * kUnits, 0.0f);
                std::copy_n(block_.bias, kUnits, products_[r] + 2 * kUnits);
            }
        }
        add_rows(gates, block_.weights, p_.hidden, x, count, sums);
        for (std::size_t r = 0; r < count; ++r) {
            finish(rows[r], products_[r]);
        }
    }

private:
    void finish(const RecurrentRow& row, const float* products) const {
        switch (p_.cell) {
            case RecurrentCell::kLstm: return lstm(row);
            case RecurrentCell::kGru: return block_.subpixel == 0 ? gru_gates(row) : gru_state(row);
            case RecurrentCell::kGruLinear: return gru_linear(row, products);
            case RecurrentCell::kRnn: return rnn(row);
        }
    }

    void gate(std::size_t activation, float* values) const {
        activate(p_.activations[activation], p_.clip, values);
    }

    // The next state lies in `values`.
    void store(const RecurrentRow& row, const float* values) const {
        std::copy_n(values, kUnits, row.next + first_);
        if (row.out != nullptr) {
            std::copy_n(values, std::min(kUnits, p_.hidden - first_), row.out + first_);
        }
    }

    void lstm(const RecurrentRow& row) const {
        float* forget = row.gates;
        float* input = row.gates + kUnits;
        float* cell = row.gates + 2 * kUnits;
        float* output = row.gates + 3 * kUnits;
        gate(0, forget);
        gate(0, input);
        gate(1, cell);
        gate(0, output);
        float* c = row.cell + first_;
        for_units([&](auto d, std::size_t i) HWY_ATTR {
            const auto kept = hn::Mul(hn::Load(d, forget + i), hn::Load(d, c + i));
            const auto added = hn::Mul(hn::Load(d, input + i), hn::Load(d, cell + i));
            const auto next = hn::Add(kept, added);
            hn::Store(next, d, c + i);
            hn::Store(next, d, cell + i);
        });
        activate(p_.activations[2], 0.0f, cell);
        multiply(output, cell);
        store(row, cell);
    }

    // to = by * to
    static void multiply(const float* by, float* to) {
        for_units([&](auto d, std::size_t i) HWY_ATTR {
            hn::Store(hn::Mul(hn::Load(d, by + i), hn::Load(d, to + i)), d, to + i);
        });
    }

    void gru_gates(const RecurrentRow& row) const {
        gate(0, row.gates);
        float* reset = row.gates + kUnits;
        gate(0, reset);
        multiply(row.state + first_, reset);
        std::copy_n(reset, kUnits, row.reset + first_);
    }

    // h' = (1 - update) * candidate + update * h
    void gru_state(const RecurrentRow& row) const {
        const float* update = row.gates;
        float* hidden = row.gates + 2 * kUnits;
        gate(1, hidden);
        for_units([&](auto d, std::size_t i) HWY_ATTR {
            const auto z = hn::Load(d, update + i);
            const auto fresh = hn::Mul(hn::Sub(hn::Set(d, 1.0f), z), hn::Load(d, hidden + i));
            const auto kept = hn::Mul(z, hn::Load(d, row.state + first_ + i));
            hn::Store(hn::Add(fresh, kept), d, hidden + i);
        });
        store(row, hidden);
    }

    void gru_linear(const RecurrentRow& row, const float* products) const {
        for_units([&](auto d, std::size_t i) HWY_ATTR {
            for (std::size_t g = 0; g < 2; ++g) {
                float* at = row.gates + g * kUnits + i;
                hn::Store(hn::Add(hn::Load(d, at), hn::Load(d, products + g * kUnits + i)), d, at);
            }
        });
        gate(0, row.gates);
        gate(0, row.gates + kUnits);
        for_units([&](auto d, std::size_t i) HWY_ATTR {
            float* hidden = row.gates + 2 * kUnits + i;
            const auto part = hn::Mul(hn::Load(d, row.gates + kUnits + i),
                                      hn::Load(d, products + 2 * kUnits + i));
            hn::Store(hn::Add(hn::Load(d, hidden), part), d, hidden);
        });
        gru_state(row);
    }

    void rnn(const RecurrentRow& row) const {
        gate(0, row.gates);
        store(row, row.gates);
    }

    const RecurrentParams& p_;
    const RecurrentBlock& block_;
    std::size_t first_;  // unit of the block
    HWY_ALIGN float products_[kMaxRows][3 * kUnits];
};

void recurrent_step_impl(const RecurrentParams& p,
                         const RecurrentBlock& block,
                         const RecurrentRow* rows,
                         std::size_t count) {
    Step step(p, block);
    for (std::size_t r = 0; r < count; r += kMaxRows) {
        step.run(rows + r, std::min(kMaxRows, count - r));
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(gate_products_impl);
HWY_EXPORT(recurrent_step_impl);

std::size_t packed_gates_size(const RecurrentParams& params, std::size_t gates, std::size_t depth) {
    return params.blocks() * depth * gates * kUnits;
}

void pack_gates(const RecurrentParams& params,
                const float* matrix,
                const std::size_t* order,
                std::size_t gates,
                std::size_t depth,
                float* packed) {
    std::fill_n(packed, packed_gates_size(params, gates, depth), 0.0f);
    for (std::size_t g = 0; g < gates; ++g) {
        for (std::size_t unit = 0; unit < params.hidden; ++unit) {
            const float* from = matrix + (order[g] * params.hidden + unit) * depth;
            float* to = packed + (unit / kUnits * depth * gates + g) * kUnits + unit % kUnits;
            for (std::size_t k = 0; k < depth; ++k) {
                to[k * gates * kUnits] = from[k];
            }
        }
    }
}

void gate_products(const GateProducts& params, const float* x, std::size_t rows, float* to) {
    HWY_DYNAMIC_DISPATCH(gate_products_impl)(params, x, rows, to);
}

void recurrent_step(const RecurrentParams& params,
                    const RecurrentBlock& block,
                    const RecurrentRow* rows,
                    std::size_t count) {
    HWY_DYNAMIC_DISPATCH(recurrent_step_impl)(params, block, rows, count);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
