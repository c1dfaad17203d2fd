// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/post_ops/attribute_emulator.hpp"

#include <algorithm>
#include <cmath>

namespace fuseq::post_ops::testing {
namespace {

double logistic(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

double soft_relu(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double function(const EltwisePostOp& op, double x) {
    switch (op.algorithm) {
        case EltwiseAlgorithm::kLinear: return op.alpha * x + op.beta;
        case EltwiseAlgorithm::kClip:
        case EltwiseAlgorithm::kClipV2:
            return std::clamp(x, static_cast<double>(op.alpha), static_cast<double>(op.beta));
        case EltwiseAlgorithm::kRound: return std::nearbyint(x);
        case EltwiseAlgorithm::kRelu: return x > 0.0 ? x : op.alpha * x;
        case EltwiseAlgorithm::kTanh: return std::tanh(x);
        case EltwiseAlgorithm::kElu: return x > 0.0 ? x : op.alpha * (std::exp(x) - 1.0);
        case EltwiseAlgorithm::kLogistic: return logistic(x);
        case EltwiseAlgorithm::kSwish: return x * logistic(op.alpha * x);
        case EltwiseAlgorithm::kHardswish: return x * std::clamp(x / 6.0 + 0.5, 0.0, 1.0);
        case EltwiseAlgorithm::kMish: return x * std::tanh(soft_relu(x));
        case EltwiseAlgorithm::kSoftRelu: return soft_relu(x);
        case EltwiseAlgorithm::kGeluErf: return 0.5 * x * (1.0 + std::erf(x * M_SQRT1_2));
        case EltwiseAlgorithm::kGeluTanh:
            return 0.5 * x *
                   (1.0 + std::tanh(std::sqrt(2.0 / M_PI) * (x + 0.044715 * std::pow(x, 3))));
        case EltwiseAlgorithm::kAbs: return std::abs(x);
        case EltwiseAlgorithm::kSqrt: return std::sqrt(x);
        case EltwiseAlgorithm::kSquare: return x * x;
        case EltwiseAlgorithm::kExp: return std::exp(x);
        case EltwiseAlgorithm::kLog: return std::log(x);
        case EltwiseAlgorithm::kPow: return op.alpha * std::pow(x, op.beta);
    }
    return x;
}

double binary(BinaryKind kind, double x, double y) {
    switch (kind) {
        case BinaryKind::kAdd: return x + y;
        case BinaryKind::kMul: return x * y;
        case BinaryKind::kMax: return std::max(x, y);
        case BinaryKind::kMin: return std::min(x, y);
    }
    return x;
}

}  // namespace

double emulate(const Emission& emission,
               double acc,
               std::size_t channel,
               const std::vector<double>& binary_sources) {
    const double bias = emission.bias.empty() ? 0.0 : emission.bias[channel];
    double x = acc * emission.weight_scale[channel];
    x = emission.output_scales[channel] * (x + bias);
    for (const PostOp& op : emission.post_ops) {
        if (const auto* eltwise = std::get_if<EltwisePostOp>(&op)) {
            x = eltwise->scale * function(*eltwise, x);
        } else if (const auto* constant = std::get_if<ConstantPostOp>(&op)) {
            x = binary(constant->kind, x, constant->values[channel]);
        } else if (const auto* tensor = std::get_if<TensorPostOp>(&op)) {
            x = binary(tensor->kind, x, binary_sources.at(tensor->input));
        } else {
            const auto& sum = std::get<SumPostOp>(op);
            x += sum.scale * binary_sources.at(sum.input);
        }
    }
    x += emission.dst_zero_point;
    switch (emission.dst_type) {
        case ElementType::u8: return std::clamp(std::nearbyint(x), 0.0, 255.0);
        case ElementType::i8: return std::clamp(std::nearbyint(x), -128.0, 127.0);
        default: return x;
    }
}

}  // namespace fuseq::post_ops::testing
