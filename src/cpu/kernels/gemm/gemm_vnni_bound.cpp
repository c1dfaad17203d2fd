// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_vnni_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fuseq::kernels::gemm {
namespace {

double bound_after(const post_ops::Eltwise& op, double bound) {
    const double alpha = std::abs(static_cast<double>(op.alpha));
    const double scale = std::abs(static_cast<double>(op.scale));
    switch (op.kind) {
        case post_ops::EltwiseKind::kElu: return scale * std::max(bound, alpha);
        case post_ops::EltwiseKind::kSigmoid:
        case post_ops::EltwiseKind::kTanh: return scale;
        case post_ops::EltwiseKind::kGeluErf: return scale * bound;
        default: return std::numeric_limits<double>::infinity();
    }
}

}  // namespace

double bound_after(const GemmOp& op, double bound) {
    const auto largest = [](const std::vector<float>& values) {
        double max = 0;
        for (const float v : values) {
            max = std::max(max, std::abs(static_cast<double>(v)));
        }
        return max;
    };
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    const double element = op.binary.type == ElementType::f32
                               ? kUnknown
                               : (255 + std::abs(static_cast<double>(op.binary.zero_point))) *
                                     std::abs(static_cast<double>(op.binary.scale));
    switch (op.kind) {
        case GemmOp::Kind::kLinear:
        case GemmOp::Kind::kAffine: return bound * largest(op.a) + largest(op.b);
        case GemmOp::Kind::kScale: return bound * largest(op.a);
        case GemmOp::Kind::kShift: return bound + largest(op.a);
        case GemmOp::Kind::kRound: return bound + 1;
        case GemmOp::Kind::kClip:
        case GemmOp::Kind::kRoundClip: return std::max(bound, largest(op.a)) + largest(op.b);
        case GemmOp::Kind::kPrelu: return bound * std::max(1.0, largest(op.a));
        case GemmOp::Kind::kMax:
        case GemmOp::Kind::kMin: return std::max(bound, largest(op.a));
        case GemmOp::Kind::kSum: return bound + element;
        case GemmOp::Kind::kBinary:
            return op.binary.kind == post_ops::BinaryKind::kMul ? bound * element : bound + element;
        default: return bound_after(op.eltwise, bound);
    }
}

}  // namespace fuseq::kernels::gemm
