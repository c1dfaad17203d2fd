// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of residual blocks: a round to bytes, scales and shifts, a tensor of bytes.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels::test {

using gemm::PackedOp;
using gemm::Store;
using Kind = GemmOp::Kind;

// The same constants in all channels.
inline PackedOp uniform(Kind kind, float a, float b = 0.0f) {
    PackedOp op;
    op.kind = kind;
    op.a.assign(64, a);
    op.b.assign(64, b);
    return op;
}
inline PackedOp tensor(ElementType type, float scale) {
    PackedOp op = uniform(Kind::kSum, 0);
    op.binary = {.type = type, .scale = scale};
    return op;
}
inline PackedOp bytes(ElementType type) {
    return type == ElementType::u8 ? uniform(Kind::kRoundClip, 0, 255)
                                   : uniform(Kind::kRoundClip, -128, 127);
}

// By the definition in gemm_vnni.hpp.
inline int by_operations(const std::vector<PackedOp>& ops, Store store, int q, int r) {
    auto v = static_cast<float>(q);
    for (const PackedOp& op : ops) {
        switch (op.kind) {
            case Kind::kScale: v *= op.a[0]; break;
            case Kind::kShift: v += op.a[0]; break;
            case Kind::kAffine: v = v * op.a[0] + op.b[0]; break;
            case Kind::kLinear: v = std::fma(v, op.a[0], op.b[0]); break;
            case Kind::kSum: v = std::fma(static_cast<float>(r), op.binary.scale, v); break;
            case Kind::kPrelu: v = v > 0 ? v : v * op.a[0]; break;
            case Kind::kEltwise: v = static_cast<float>(post_ops::apply(op.eltwise, v)); break;
            default: break;  // q is one of its results
        }
    }
    const ElementType type = store == Store::kU8 ? ElementType::u8 : ElementType::i8;
    return static_cast<int>(post_ops::store(type, v));
}

// The chains of residual blocks: of q and r in other scales, or with the first one's.
inline std::vector<PackedOp> random_block(std::mt19937& rng, ElementType q, ElementType r) {
    std::uniform_real_distribution<float> real(0.0f, 1.0f);
    const float zero_point = q == ElementType::u8 ? -90.0f - 40 * real(rng) : 10 * real(rng);
    std::vector<PackedOp> ops{bytes(q)};
    if (rng() % 2 == 0) {
        ops.push_back(uniform(Kind::kAffine, 0.4f + 0.6f * real(rng), zero_point));
        ops.push_back(tensor(r, 0.7f + 1.2f * real(rng)));
    } else {
        ops.push_back(uniform(Kind::kScale, 0.4f + 0.6f * real(rng)));
        ops.push_back(uniform(Kind::kLinear, 1.0f + 0.1f * real(rng), zero_point));
        ops.push_back(tensor(r, 1.0f));
        ops.push_back(uniform(Kind::kScale, 0.9f + 0.1f * real(rng)));
    }
    return ops;
}

}  // namespace fuseq::kernels::test
