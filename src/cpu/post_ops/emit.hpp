// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Third part of the composer: basic operations become attributes of a oneDNN primitive, as plain
// data. The longest prefix that maps well (capabilities.hpp) is taken; the rest of the chain reads
// what the anchor stored and runs in the fused eltwise kernel.
//
// What an emission means, for channel c and an accumulator acc (the integer sum of an int8 anchor
// after its source zero point; the f32 sum otherwise; `bias0` is a bias the caller adds anyway):
//   int8 anchors:  x = output_scales[c] * (acc + bias0[c] + bias[c])
//   f32 anchors:   x = (acc + bias0[c]) * weight_scale[c] + bias[c]   (the caller scales its
//                                                                      weights and bias0)
//   dst = store(dst_type, post_ops(x) + dst_zero_point)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/post_ops/capabilities.hpp"

namespace fuseq::post_ops {

// In one emission no two of them have the same algorithm and different parameters: oneDNN 2.6.3
// keeps one code generator for each algorithm and would run the second with the parameters of the
// first (distinct_eltwise.hpp).
struct EltwisePostOp {  // scale * f(x)
    EltwiseAlgorithm algorithm = EltwiseAlgorithm::kLinear;
    float alpha = 0.0f;
    float beta = 0.0f;
    float scale = 1.0f;
    friend bool operator==(const EltwisePostOp&, const EltwisePostOp&) = default;
};
// x and a constant, one for each channel or one for all.
struct ConstantPostOp {
    BinaryKind kind = BinaryKind::kAdd;
    Values values;
    friend bool operator==(const ConstantPostOp&, const ConstantPostOp&) = default;
};
// x and the raw elements of a binary source of the size of dst.
struct TensorPostOp {
    BinaryKind kind = BinaryKind::kAdd;
    std::size_t input = 0;
    ElementType type = ElementType::f32;
    friend bool operator==(const TensorPostOp&, const TensorPostOp&) = default;
};
// x + scale * (what is in the dst buffer before): the binary source `input` lies in that buffer.
struct SumPostOp {
    std::size_t input = 0;
    ElementType type = ElementType::f32;
    float scale = 1.0f;
    friend bool operator==(const SumPostOp&, const SumPostOp&) = default;
};
using PostOp = std::variant<EltwisePostOp, ConstantPostOp, TensorPostOp, SumPostOp>;

struct Emission {
    Values output_scales{1.0f};
    Values weight_scale{1.0f};
    std::vector<float> bias;  // Anchor::oc values, or none
    std::int32_t dst_zero_point = 0;
    std::vector<PostOp> post_ops;
    ElementType dst_type = ElementType::f32;  // what the anchor stores
    std::size_t consumed = 0;                 // operations of the chain that are mapped
    bool complete = false;                    // all of them, and dst_type is the chain's
    bool possible = true;  // false: the anchor cannot even store the value before the chain
    std::vector<std::string> refused;
    friend bool operator==(const Emission&, const Emission&) = default;
};

// The chain should be simplified. Throws Error when its per-channel values do not fit anchor.oc.
Emission emit(const Chain& chain, const Anchor& anchor);

// What is left for the fused eltwise kernel: reads emission.dst_type, stores chain.dst_type.
Chain remainder_of(const Chain& chain, const Emission& emission);

// Why an implementation that oneDNN chose for the emission must not be used: it is a reference one,
// or known to compute something else. Empty when there is nothing against it. To be asked for every
// primitive that was created with composed attributes.
std::string fault_of(std::string_view implementation,
                     const Anchor& anchor,
                     const Emission& emission);

// "scale:per_oc bias relu*0.5 linear(2,3) sum(#0 u8 *0.5) add(#1 i8) mul(per_oc) zp:3 -> u8"
std::string to_text(const Emission& emission);

}  // namespace fuseq::post_ops
