// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"

#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels::gemm {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 40;

void check_shape(const GemmShape& s) {
    for (const std::size_t size :
         {s.src_channels, s.dst_channels, s.src_height, s.src_width, s.dst_height, s.dst_width,
          s.kernel_height, s.kernel_width, s.stride_height, s.stride_width, s.dilation_height,
          s.dilation_width}) {
        if (size == 0 || size > kMaxBytes) {
            refuse("a size is ", size, ", expected 1 to ", kMaxBytes);
        }
    }
}

void check_form(const GemmParams& params) {
    const GemmForm form = params.form == GemmForm::kBest ? best_form() : params.form;
    if (form == GemmForm::kAmx) {
        if (!has_amx_int8()) {
            refuse("this machine has no AMX");
        }
        if (!params.wei_zero_point.empty()) {
            refuse("tiles of AMX are not for zero points of weights");
        }
    }
    if (form == GemmForm::kVnni512 && !has_avx512_vnni()) {
        refuse("this machine has no AVX-512 VNNI");
    }
    if (form == GemmForm::kVnni256 && !has_avx_vnni() && !has_avx_vnni_in_evex() &&
        !has_avx512_vnni()) {
        refuse("this machine has neither AVX-VNNI nor AVX-512 VNNI");
    }
}

}  // namespace

void check(const GemmParams& params) {
    check_form(params);
    const GemmShape& s = params.shape;
    check_shape(s);
    if (params.pool && (s.dst_height % 2 != 0 || s.dst_width % 2 != 0)) {
        refuse("2 x 2 pixels of ", s.dst_height, " x ", s.dst_width, " are to become one");
    }
    const bool is_signed = params.src_type == ElementType::i8;
    if (!is_signed && params.src_type != ElementType::u8) {
        refuse("src is ", to_string(params.src_type), ", expected u8 or i8");
    }
    const int low = is_signed ? -128 : 0;
    if (params.src_zero_point < low || params.src_zero_point > low + 255) {
        refuse("the zero point of src is ", params.src_zero_point, ", expected ", low, " to ",
               low + 255);
    }
}

void check_weights(const GemmParams& params) {
    const GemmShape& s = params.shape;
    const GemmWeights& w = params.weights;
    const std::size_t last = (s.dst_channels - 1) * w.dst_channel +
                             (s.src_channels - 1) * w.src_channel + (s.kernel_height - 1) * w.row +
                             (s.kernel_width - 1) * w.column;
    if (last >= w.values.size()) {
        refuse("there are ", w.values.size(), " weights, the last one used is number ", last);
    }
}

post_ops::Support supports_op(const GemmOp& op) {
    using post_ops::EltwiseKind;
    const EltwiseKind kind = op.eltwise.kind;
    if (op.kind == GemmOp::Kind::kEltwise &&
        (kind == EltwiseKind::kLog || kind == EltwiseKind::kPower)) {
        return post_ops::Support::no("it has no " + post_ops::to_text(op.eltwise));
    }
    const ElementType type = op.binary.type;
    if (op.reads_tensor() && type != ElementType::u8 && type != ElementType::i8 &&
        type != ElementType::f32) {
        return post_ops::Support::no(std::string("a binary source is ") + to_string(type) +
                                     ", expected u8, i8 or f32");
    }
    return post_ops::Support::yes();
}

void check_op(const GemmOp& op) {
    if (const auto support = supports_op(op); !support) {
        refuse(support.reason());
    }
}

}  // namespace fuseq::kernels::gemm
