// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The second product of a chain: a list of operations for the epilogue of a kernel of Fuseq, with
// neighbours joined that are done in one pass. Each operation says how often it rounds, so that
// kernels that agree on a program agree on every bit.
//
// Kernels pack it (constants to whole vectors, as registers hold them) and add nothing to it:
// PackedOp of the matrix product and ProgramOp of the fused eltwise are such packings.
#pragma once

#include <string>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/post_ops/emit.hpp"

namespace fuseq::post_ops {

// What is done to a value v. Lists hold one value, or one a channel of dst.
struct EpilogueOp {
    enum class Kind {
        kLinear,     // v * a + b, rounded once
        kScale,      // v * a
        kShift,      // v + a
        kAffine,     // v * a + b, two roundings
        kRound,      // half to even
        kClip,       // min(max(v, a), b)
        kRoundClip,  // the two in this order
        kPrelu,      // v > 0 ? v : v * a
        kMax,        // max(v, a)
        kMin,        // min(v, a)
        kEltwise,    // an activation, its scale included
        kBinary,     // with (element - zero_point) * scale of another tensor
        kSum,        // element * scale + v, rounded once
    };
    Kind kind = Kind::kRound;
    std::vector<float> a{};
    std::vector<float> b{};
    Eltwise eltwise{};
    Binary binary{};  // also of kSum
    friend bool operator==(const EpilogueOp&, const EpilogueOp&) = default;

    bool reads_tensor() const { return kind == Kind::kBinary || kind == Kind::kSum; }
};

struct EpilogueProgram {
    std::vector<EpilogueOp> ops;
    ElementType dst_type = ElementType::f32;
    friend bool operator==(const EpilogueProgram&, const EpilogueProgram&) = default;
};

// The chain as it stands: each basic operation rounds once, none is computed in another way. For
// kernels that give the bytes of the fused eltwise.
EpilogueProgram make_epilogue(const Chain& chain);

// For an accumulator: v = (acc + bias) * scale, then the program.
struct AccumulatorEpilogue {
    std::vector<float> scale{1.0f};  // one, or one a channel
    std::vector<float> bias;         // none, or one a channel
    EpilogueProgram program;
    std::string refused;  // not empty: why there is none
};

// The arithmetic of oneDNN with these attributes and a fused eltwise of `remainder` after it, in
// one kernel: linear post-ops and sums round once, a relu is a maximum. So the same integers come
// out whichever of the two computes a layer.
AccumulatorEpilogue make_epilogue(const Emission& emission, const Chain& remainder);

// "affine(per_oc,3) round_clip(0,255) -> u8"
std::string to_text(const EpilogueOp& op);
std::string to_text(const EpilogueProgram& program);

}  // namespace fuseq::post_ops
