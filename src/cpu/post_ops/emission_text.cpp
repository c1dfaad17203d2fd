// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "cpu/post_ops/emit.hpp"
#include "cpu/post_ops/number_text.hpp"

namespace fuseq::post_ops {
namespace {

std::string parameters(const EltwisePostOp& op) {
    switch (op.algorithm) {
        case EltwiseAlgorithm::kLinear:
        case EltwiseAlgorithm::kClip:
        case EltwiseAlgorithm::kClipV2:
        case EltwiseAlgorithm::kPow:
            return '(' + number_text(op.alpha) + ',' + number_text(op.beta) + ')';
        case EltwiseAlgorithm::kElu:
        case EltwiseAlgorithm::kSwish: return '(' + number_text(op.alpha) + ')';
        case EltwiseAlgorithm::kRelu:
            return op.alpha == 0.0f ? "" : '(' + number_text(op.alpha) + ')';
        default: return {};
    }
}

std::string text_of(const EltwisePostOp& op) {
    const std::string out = to_string(op.algorithm) + parameters(op);
    return op.scale == 1.0f ? out : out + '*' + number_text(op.scale);
}

std::string text_of(const ConstantPostOp& op) {
    const bool one = op.values.per_tensor();
    return std::string(to_string(op.kind)) + '(' + (one ? number_text(op.values[0]) : "per_oc") +
           ')';
}

std::string text_of(const TensorPostOp& op) {
    return std::string(to_string(op.kind)) + "(#" + std::to_string(op.input) + ' ' +
           to_string(op.type) + ')';
}

std::string text_of(const SumPostOp& op) {
    const std::string scale = op.scale == 1.0f ? "" : " *" + number_text(op.scale);
    return "sum(#" + std::to_string(op.input) + ' ' + to_string(op.type) + scale + ')';
}

std::string scale_text(const char* name, const Values& scale) {
    if (scale.all_equal_to(1.0f)) {
        return {};
    }
    return std::string(name) + ':' + (scale.per_tensor() ? number_text(scale[0]) : "per_oc") + ' ';
}

}  // namespace

std::string to_text(const Emission& emission) {
    std::string out = scale_text("scale", emission.output_scales) +
                      scale_text("weight_scale", emission.weight_scale);
    if (!emission.bias.empty()) {
        out += "bias ";
    }
    for (const PostOp& op : emission.post_ops) {
        out += std::visit([](const auto& o) { return text_of(o); }, op) + ' ';
    }
    if (emission.dst_zero_point != 0) {
        out += "zp:" + std::to_string(emission.dst_zero_point) + ' ';
    }
    return out + "-> " + to_string(emission.dst_type);
}

}  // namespace fuseq::post_ops
