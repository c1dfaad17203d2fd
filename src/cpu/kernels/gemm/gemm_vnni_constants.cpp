// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The constants of the epilogue of a matrix product.
#include <algorithm>
#include <cmath>

#include "cpu/kernels/gemm/gemm_vnni_bound.hpp"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_vnni_pack.hpp"

namespace fuseq::kernels::gemm {

// Rounded up, so that whole panels can be read.
std::size_t padded_channels(std::size_t channels) {
    return (channels + kLanes * kMaxPanelVectors - 1) / kLanes * kLanes;
}

AlignedVector<float> padded(std::span<const float> list,
                            float otherwise,
                            std::size_t channels,
                            const char* what) {
    if (list.size() > 1 && list.size() != channels) {
        refuse(what, " has ", list.size(), " values, expected 1 or ", channels);
    }
    AlignedVector<float> values(padded_channels(channels), 0.0f);
    for (std::size_t c = 0; c < channels; ++c) {
        values[c] = list.empty() ? otherwise : list[list.size() == 1 ? 0 : c];
    }
    return values;
}

Store store_of(const GemmParams& params) {
    switch (params.dst_type) {
        case ElementType::u8: return Store::kU8;
        case ElementType::i8: return Store::kI8;
        case ElementType::f32: return Store::kF32;
        default: refuse("dst is ", to_string(params.dst_type), ", expected u8, i8 or f32");
    }
}

std::vector<PackedOp> packed_ops(const GemmParams& params, bool quick) {
    const std::size_t channels = params.shape.dst_channels;
    std::vector<PackedOp> ops;
    for (const GemmOp& op : params.ops) {
        ops.push_back({.kind = op.kind,
                       .a = padded(op.a, 0.0f, channels, "an operation"),
                       .b = padded(op.b, 0.0f, channels, "an operation"),
                       .eltwise = op.eltwise,
                       .binary = op.binary});
        ops.back().quick =
            quick && op.kind == GemmOp::Kind::kEltwise && params.dst_type != ElementType::f32;
        check_op(op);
    }
    return ops;
}

bool clips(const GemmParams& params) {
    return params.ops.size() == 2 && params.ops[0].kind == GemmOp::Kind::kClip &&
           params.ops[1].kind == GemmOp::Kind::kScale && params.dst_type == ElementType::u8;
}

namespace {

void add_tables(std::vector<PackedOp>& ops, bool is_short) {
    for (PackedOp& op : ops) {
        if (op.kind != GemmOp::Kind::kEltwise || !GeluTable::knows(op.eltwise.kind)) {
            continue;
        }
        if (is_short) {
            op.short_gelu = std::make_shared<const ShortGeluTable>(op.eltwise);
        } else if (op.quick) {
            op.gelu = std::make_shared<const GeluTable>(op.eltwise);
        }
    }
}

// Of the value after scale and bias.
double largest_value(const GemmParams& params, const Packed& packed) {
    const Epilogue& e = packed.epilogue;
    const GemmShape& s = params.shape;
    const double window =
        255.0 * static_cast<double>(s.src_channels * s.kernel_height * s.kernel_width);
    const auto magnitude = [](float v) { return std::abs(static_cast<double>(v)); };
    double bound = 0;
    for (std::size_t c = 0; c < s.dst_channels; ++c) {
        const double of_sum = e.of_sum.empty() ? 0.0 : magnitude(e.of_sum[c]);
        const auto products = static_cast<double>(255 * packed.weights->magnitudes[c]);
        bound = std::max(
            bound, magnitude(e.scale[c]) * (products + window * of_sum + magnitude(e.bias[c])));
    }
    return bound;
}

// Whether tiles of this form have a requantizing add, perhaps with what follows it.
bool may_add(GemmForm form, std::span<const PackedOp> ops) {
    if (form == GemmForm::kVnni256) {
        return std::none_of(ops.begin(), ops.end(), [](const PackedOp& op) {
            return op.kind == GemmOp::Kind::kEltwise || op.kind == GemmOp::Kind::kPrelu;
        });
    }
    return form != GemmForm::kPairs && form != GemmForm::kBytes;
}

}  // namespace

void pack_epilogue(const GemmParams& params, Packed& packed) {
    Epilogue& e = packed.epilogue;
    const std::size_t channels = params.shape.dst_channels;
    if (params.scale.empty()) {
        refuse("there is no scale");
    }
    e.scale = padded(params.scale, 1.0f, channels, "scale");
    e.bias = padded(params.bias, 0.0f, channels, "bias");
    if (!params.wei_zero_point.empty()) {
        e.of_sum = padded(params.wei_zero_point, 0.0f, channels, "zero point of the weights");
        for (float& v : e.of_sum) {
            v = -v;
        }
    }
    e.ops = packed_ops(params, true);
    if (params.dst_type != ElementType::f32) {
        add_tables(e.ops, packed.is_narrow());
    }
    double bound = largest_value(params, packed);
    for (const GemmOp& op : params.ops) {
        bound = bound_after(op, bound);
    }
    constexpr double kFits = 1e9;
    e.clamp = !(bound < kFits);
    if (!packed.wide) {  // clamps bytes itself
        // Searched already: then the tiles would be wide.
        const bool none = e.clamp || packed.add_searched || !may_add(packed.form, e.ops);
        e.add = none ? std::nullopt : find_requantizing_add(e.ops, packed.store, channels);
    }
}

}  // namespace fuseq::kernels::gemm
