// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What oneDNN 2.6.3 does well, as measured facts: which attributes a primitive takes without
// falling to a reference implementation or to a much slower one. No oneDNN here; the tests ask
// oneDNN whether the facts still hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/machine/traits.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::post_ops {

enum class AnchorKind {
    kConvolution,  // grouped and depthwise too
    kDeconvolution,
    kMatMul,
    kInnerProduct,
    kMaxPool,
    kAvgPool,
    kBinary,
    kReorder,
};

// Instruction sets between which the facts differ.
using cpu::IsaLevel;

// The primitive that a chain is attached to, before its attributes are known.
struct Anchor {
    AnchorKind kind = AnchorKind::kConvolution;
    ElementType src_type = ElementType::u8;
    ElementType wei_type = ElementType::i8;  // of no matter for pooling, binary and reorder
    std::size_t oc = 1;            // output channels: size of the channel dimension of dst
    bool has_bias = false;         // the caller already adds one to the accumulators
    bool constant_weights = true;  // a scale may be folded into f32 weights
    // f32 that hold integers: their sums are exact, as those of int8, while no scale is folded into
    // the weights.
    bool whole_numbers = false;
    std::size_t spatial_dims = 2;
    IsaLevel isa = IsaLevel::kAvx512Vnni;
    // Binary sources whose buffer may be overwritten and has the size and layout of dst.
    std::vector<std::size_t> sum_inputs{};

    bool int8() const { return src_type == ElementType::u8 || src_type == ElementType::i8; }
    friend bool operator==(const Anchor&, const Anchor&) = default;
};

enum class SumSupport { kNever, kFirst, kAnywhere };

struct Capabilities {
    bool output_scales = false;
    bool per_channel_output_scales = false;
    bool bias = false;
    bool weight_scale = false;
    bool dst_zero_point = false;
    bool eltwise = false;
    bool binary_per_channel = false;
    bool binary_full = false;  // with a tensor of the size of dst
    SumSupport sum = SumSupport::kNever;
    bool sum_any_scale = true;       // else only 1
    bool sum_beside_binary = true;   // and a binary with a full tensor
    bool sum_of_other_sign = false;  // u8 into an i8 dst and the other way round
    std::vector<ElementType> dst_types{};
    bool stores(ElementType type) const;
};

Capabilities capabilities_of(const Anchor& anchor);
const char* to_string(AnchorKind kind);

// "ref:any", "ref_int8:any", "simple_nhwc:any" and the like: names of implementations that a
// fusion must not land on.
bool is_reference_implementation(std::string_view name);

}  // namespace fuseq::post_ops
