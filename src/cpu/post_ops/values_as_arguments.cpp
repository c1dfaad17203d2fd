// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/values_as_arguments.hpp"

#include <algorithm>

namespace fuseq::post_ops {
namespace {

bool is_sum(const PostOp& op) {
    return std::holds_alternative<SumPostOp>(op);
}

// linear(1, beta) rounds once, as an addition does; another factor would be rounded apart.
bool is_shift(const EltwisePostOp& op) {
    return op.algorithm == EltwiseAlgorithm::kLinear && op.alpha == 1.0f && op.scale == 1.0f;
}

bool is_factor(const EltwisePostOp& op) {
    return op.algorithm == EltwiseAlgorithm::kLinear && op.beta == 0.0f && op.scale == 1.0f;
}

void append(std::vector<PostOp>& ops, const PostOp& op) {
    const auto* eltwise = std::get_if<EltwisePostOp>(&op);
    if (eltwise == nullptr) {
        ops.push_back(op);
    } else if (is_shift(*eltwise)) {
        ops.emplace_back(ConstantPostOp{BinaryKind::kAdd, Values(eltwise->beta)});
    } else if (is_factor(*eltwise)) {
        ops.emplace_back(ConstantPostOp{BinaryKind::kMul, Values(eltwise->alpha)});
    } else {
        EltwisePostOp unscaled = *eltwise;
        unscaled.scale = 1.0f;
        ops.emplace_back(unscaled);
        if (eltwise->scale != 1.0f) {
            ops.emplace_back(ConstantPostOp{BinaryKind::kMul, Values(eltwise->scale)});
        }
    }
}

}  // namespace

std::optional<Emission> with_values_as_arguments(const Emission& emission) {
    if (std::any_of(emission.post_ops.begin(), emission.post_ops.end(), is_sum)) {
        return std::nullopt;
    }
    Emission result = emission;
    result.post_ops.clear();
    if (!emission.output_scales.all_equal_to(1.0f)) {
        result.post_ops.emplace_back(ConstantPostOp{BinaryKind::kMul, emission.output_scales});
        result.output_scales = Values(1.0f);
    }
    for (const PostOp& op : emission.post_ops) {
        append(result.post_ops, op);
    }
    return result == emission ? std::nullopt : std::optional(std::move(result));
}

}  // namespace fuseq::post_ops
