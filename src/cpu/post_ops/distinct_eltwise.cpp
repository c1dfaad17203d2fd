// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/distinct_eltwise.hpp"

#include <limits>
#include <map>
#include <optional>

namespace fuseq::post_ops {
namespace {

class Distinct {
public:
    // Whether `op` is written; false when its algorithm is taken and nothing else stands for it.
    bool add(const EltwisePostOp& op) {
        if (keep(op)) {
            return true;
        }
        switch (op.algorithm) {
            case EltwiseAlgorithm::kLinear:
                constant(BinaryKind::kMul, op.alpha * op.scale, 1.0f);
                constant(BinaryKind::kAdd, op.beta * op.scale, 0.0f);
                return true;
            case EltwiseAlgorithm::kClip: return add_clip(op);
            case EltwiseAlgorithm::kRelu:
                if (op.alpha != 0.0f) {
                    return false;
                }
                constant(BinaryKind::kMax, 0.0f, -std::numeric_limits<float>::max());
                constant(BinaryKind::kMul, op.scale, 1.0f);
                return true;
            default: return false;
        }
    }
    void add(const PostOp& op) { out_.push_back(op); }
    std::vector<PostOp> take() { return std::move(out_); }

private:
    bool keep(const EltwisePostOp& op) {
        const auto [found, is_new] = used_.emplace(op.algorithm, op);
        if (is_new || found->second == op) {
            out_.emplace_back(op);
            return true;
        }
        return false;
    }

    bool add_clip(EltwisePostOp op) {
        op.algorithm = EltwiseAlgorithm::kClipV2;
        if (keep(op)) {
            return true;
        }
        constexpr float kMaxFloat = std::numeric_limits<float>::max();
        constant(BinaryKind::kMax, op.alpha, -kMaxFloat);
        constant(BinaryKind::kMin, op.beta, kMaxFloat);
        constant(BinaryKind::kMul, op.scale, 1.0f);
        return true;
    }

    void constant(BinaryKind kind, float value, float neutral) {
        if (value != neutral) {
            out_.emplace_back(ConstantPostOp{kind, value});
        }
    }

    std::map<EltwiseAlgorithm, EltwisePostOp> used_;
    std::vector<PostOp> out_;
};

}  // namespace

DistinctPostOps make_distinct(const std::vector<PostOp>& post_ops) {
    Distinct distinct;
    for (const PostOp& op : post_ops) {
        const auto* eltwise = std::get_if<EltwisePostOp>(&op);
        if (eltwise == nullptr) {
            distinct.add(op);
        } else if (!distinct.add(*eltwise)) {
            return {.post_ops = {},
                    .refused =
                        "oneDNN runs a second activation of one kind with the parameters "
                        "of the first"};
        }
    }
    return {.post_ops = distinct.take(), .refused = {}};
}

}  // namespace fuseq::post_ops
