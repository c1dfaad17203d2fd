// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Measured with oneDNN 2.6.3 (Debian) by creating each primitive with each attribute and reading
// the implementation's name, with DNNL_MAX_CPU_ISA unset (VNNI), AVX512_CORE, AVX2 and SSE41.
// V = avx512_core_vnni. Per-channel PReLU is ref or ref_int8 everywhere and is never emitted.
//
// convolution, int8:  brgconv:V, brgconv_1x1:V, brdgmm_dw:V, jit_int8:V; AVX2 jit_uni_int8:avx2.
//     Every eltwise, clip, round, linear, per-channel binary and sum: the same implementation.
//     Binary with a full tensor and source zero points: jit_int8:V, jit_int8_1x1:V; never ref.
//     In groups of 4 or 8 channels a descriptor with swish, logistic, elu, mish, gelu_erf, exp or
//     soft_relu (1x1 kernels: round too) is given, and its primitive cannot be created.
//     x64:gemm_s8?8s32:jit (odd groups) reads binary tensors as wrongly as x64:gemm:jit, see below.
//     A sum with its own data type: only u8 <-> s8; refused for f32 and s32 dst.
// convolution, f32:   brgconv:avx512_core; full binary jit:avx512_core, with a scaled sum ref:any;
//     dst f32 only.
//     AVX2, SSE41 (jit:avx2): a sum that is not first or has a scale other than 1 is ref:any.
//     SSE41 falls to x64:gemm:jit, which reads a full binary tensor at wrong places, and with three
//     spatial dimensions a per-channel one too: wrong results.
// deconvolution:      jit_deconvolution:V; a sum that is not first falls to
// jit_uni_deconv:avx2_vnni;
//     AVX2, SSE41: jit_uni_deconv, and full binary falls to x64:gemm_s8u8s32:jit; a sum with a zero
//     point or a data type of its own is refused. f32: jit:avx512_core.
// matmul:             brg:V; AVX512_CORE, AVX2 and SSE41 gemm:jit (f32: brg:avx512_core), where a
// sum
//     that is not first is ref_int8:any or ref:any.
// inner product:      brgemm:V, full binary x64:gemm_s8u8s32:jit; as matmul for sum; zero points
//     and a sum with a data type of its own are refused.
// max pooling, int8:  jit_int; any post-op is ref:any. dst has the type of src.
// avg pooling, int8:  jit_int with eltwise and per-channel binary; full binary and sum are ref:any.
//     dst has the type of src.
// pooling, f32:       jit with eltwise and binary; a sum is simple_nhwc:any.
// binary:             jit:uni; dst f32 of int8 sources is ref:any; a sum needs dst of src's type.
// reorder:            jit:uni with scales and zero points; a sum is simple:any; eltwise and binary
//     are refused.
#include "cpu/post_ops/capabilities.hpp"

#include <algorithm>

namespace fuseq::post_ops {
namespace {

using Types = std::vector<ElementType>;

Types int8_anchor_types() {
    return {ElementType::u8, ElementType::i8, ElementType::i32, ElementType::f32};
}

Capabilities with_all_post_ops() {
    Capabilities out;
    out.eltwise = true;
    out.binary_per_channel = true;
    out.binary_full = true;
    return out;
}

// What convolution, deconvolution, matmul and inner product have in common.
Capabilities of_accumulators(const Anchor& anchor) {
    Capabilities out = with_all_post_ops();
    out.bias = true;
    out.output_scales = anchor.int8();
    out.per_channel_output_scales = anchor.int8();
    out.weight_scale = !anchor.int8() && anchor.constant_weights;
    out.dst_zero_point = anchor.int8();
    out.dst_types = anchor.int8() ? int8_anchor_types() : Types{ElementType::f32};
    return out;
}

Capabilities of_convolution(const Anchor& anchor) {
    Capabilities out = of_accumulators(anchor);
    const bool plain_f32 = !anchor.int8() && anchor.isa < IsaLevel::kAvx512;
    out.sum = plain_f32 ? SumSupport::kFirst : SumSupport::kAnywhere;
    out.sum_any_scale = !plain_f32;
    out.sum_beside_binary = anchor.int8();
    out.sum_of_other_sign = anchor.int8();
    out.binary_full = anchor.int8() || anchor.isa > IsaLevel::kSse41;
    return out;
}

Capabilities of_deconvolution(const Anchor& anchor) {
    Capabilities out = of_accumulators(anchor);
    out.sum = SumSupport::kFirst;
    out.binary_full = !anchor.int8() || anchor.isa >= IsaLevel::kAvx512;
    return out;
}

Capabilities of_matmul(const Anchor& anchor) {
    Capabilities out = of_accumulators(anchor);
    out.sum = SumSupport::kFirst;
    out.sum_of_other_sign = anchor.int8() && anchor.kind == AnchorKind::kMatMul;
    out.dst_zero_point = anchor.int8() && anchor.kind == AnchorKind::kMatMul;
    return out;
}

Capabilities of_pooling(const Anchor& anchor) {
    Capabilities out;
    out.dst_types = {anchor.src_type};
    out.eltwise = !anchor.int8() || anchor.kind == AnchorKind::kAvgPool;
    out.binary_per_channel = out.eltwise;
    out.binary_full = !anchor.int8();
    return out;
}

Capabilities of_binary(const Anchor& anchor) {
    Capabilities out = with_all_post_ops();
    out.dst_types = {ElementType::u8, ElementType::i8};
    if (!anchor.int8()) {
        out.dst_types.push_back(ElementType::f32);
    }
    return out;
}

Capabilities of_reorder() {
    Capabilities out;
    out.output_scales = true;
    out.dst_zero_point = true;
    out.dst_types = int8_anchor_types();
    return out;
}

}  // namespace

bool Capabilities::stores(ElementType type) const {
    return std::find(dst_types.begin(), dst_types.end(), type) != dst_types.end();
}

Capabilities capabilities_of(const Anchor& anchor) {
    switch (anchor.kind) {
        case AnchorKind::kConvolution: return of_convolution(anchor);
        case AnchorKind::kDeconvolution: return of_deconvolution(anchor);
        case AnchorKind::kMatMul:
        case AnchorKind::kInnerProduct: return of_matmul(anchor);
        case AnchorKind::kMaxPool:
        case AnchorKind::kAvgPool: return of_pooling(anchor);
        case AnchorKind::kBinary: return of_binary(anchor);
        case AnchorKind::kReorder: return of_reorder();
    }
    return {};
}

const char* to_string(AnchorKind kind) {
    switch (kind) {
        case AnchorKind::kConvolution: return "convolution";
        case AnchorKind::kDeconvolution: return "deconvolution";
        case AnchorKind::kMatMul: return "matmul";
        case AnchorKind::kInnerProduct: return "inner product";
        case AnchorKind::kMaxPool: return "max pooling";
        case AnchorKind::kAvgPool: return "average pooling";
        case AnchorKind::kBinary: return "binary";
        case AnchorKind::kReorder: return "reorder";
    }
    return "?";
}

bool is_reference_implementation(std::string_view name) {
    return name.starts_with("ref") || name.starts_with("simple");
}

}  // namespace fuseq::post_ops
