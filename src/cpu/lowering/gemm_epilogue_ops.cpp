// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/gemm_epilogue_ops.hpp"

#include <utility>

namespace fuseq::cpu {
namespace {

using kernels::GemmOp;
using Kind = GemmOp::Kind;

std::optional<post_ops::EltwiseKind> kind_of(post_ops::EltwiseAlgorithm algorithm) {
    using A = post_ops::EltwiseAlgorithm;
    using K = post_ops::EltwiseKind;
    switch (algorithm) {
        case A::kTanh: return K::kTanh;
        case A::kElu: return K::kElu;
        case A::kLogistic: return K::kSigmoid;
        case A::kSwish: return K::kSwish;
        case A::kHardswish: return K::kHswish;
        case A::kMish: return K::kMish;
        case A::kSoftRelu: return K::kSoftplus;
        case A::kGeluErf: return K::kGeluErf;
        case A::kGeluTanh: return K::kGeluTanh;
        case A::kAbs: return K::kAbs;
        case A::kSqrt: return K::kSqrt;
        case A::kSquare: return K::kSquare;
        case A::kExp: return K::kExp;
        default: return std::nullopt;
    }
}

class EpilogueBuilder {
public:
    bool add(const post_ops::Emission& emission) {
        for (const post_ops::PostOp& op : emission.post_ops) {
            if (!std::visit([&](const auto& o) { return add(o); }, op)) {
                return false;
            }
        }
        if (emission.dst_zero_point != 0) {
            one(Kind::kShift, {static_cast<float>(emission.dst_zero_point)});
        }
        return true;
    }

    bool add(const post_ops::Chain& rest) {
        for (const post_ops::BasicOp& op : rest.ops) {
            if (!std::visit([&](const auto& o) { return add(o); }, op)) {
                return false;
            }
        }
        return true;
    }

    std::vector<GemmOp> take() { return std::move(ops_); }

private:
    void one(Kind kind, std::vector<float> a, std::vector<float> b = {}) {
        // A product and a sum after it, each rounded, are one operation.
        if (kind == Kind::kShift && !ops_.empty() && ops_.back().kind == Kind::kScale) {
            ops_.back().kind = Kind::kAffine;
            ops_.back().b = std::move(a);
            return;
        }
        if (kind == Kind::kClip && !ops_.empty() && ops_.back().kind == Kind::kRound) {
            ops_.pop_back();
            kind = Kind::kRoundClip;
        }
        GemmOp op;
        op.kind = kind;
        op.a = std::move(a);
        op.b = std::move(b);
        ops_.push_back(std::move(op));
    }

    void scale(float by) {
        if (by != 1.0f) {
            one(Kind::kScale, {by});
        }
    }

    void linear(float alpha, float beta) {
        if (beta == 0.0f) {
            scale(alpha);
        } else if (alpha == 1.0f) {
            one(Kind::kShift, {beta});
        } else {
            one(Kind::kLinear, {alpha}, {beta});
        }
    }

    void relu(float alpha) { alpha == 0.0f ? one(Kind::kMax, {0.0f}) : one(Kind::kPrelu, {alpha}); }

    bool add(const post_ops::EltwisePostOp& op) {
        using A = post_ops::EltwiseAlgorithm;
        switch (op.algorithm) {
            case A::kLinear: linear(op.alpha, op.beta); break;
            case A::kClip:
            case A::kClipV2: one(Kind::kClip, {op.alpha}, {op.beta}); break;
            case A::kRound: one(Kind::kRound, {}); break;
            case A::kRelu: relu(op.alpha); break;
            default: {
                const auto kind = kind_of(op.algorithm);
                return kind &&
                       add(post_ops::Eltwise{
                           .kind = *kind, .alpha = op.alpha, .beta = op.beta, .scale = op.scale});
            }
        }
        scale(op.scale);
        return true;
    }

    bool add(const post_ops::ConstantPostOp& op) {
        switch (op.kind) {
            case post_ops::BinaryKind::kAdd: one(Kind::kShift, op.values.list()); break;
            case post_ops::BinaryKind::kMul: one(Kind::kScale, op.values.list()); break;
            case post_ops::BinaryKind::kMax: one(Kind::kMax, op.values.list()); break;
            case post_ops::BinaryKind::kMin: one(Kind::kMin, op.values.list()); break;
        }
        return true;
    }

    bool add(const post_ops::TensorPostOp& op) {
        if (op.kind == post_ops::BinaryKind::kAdd) {
            return add(post_ops::SumPostOp{.input = op.input, .type = op.type});
        }
        return add(post_ops::Binary{.kind = op.kind, .input = op.input, .type = op.type});
    }

    bool add(const post_ops::SumPostOp& op) {
        GemmOp sum;
        sum.kind = Kind::kSum;
        sum.binary = {.input = op.input, .type = op.type, .scale = op.scale};
        ops_.push_back(std::move(sum));
        return takes(op.type);
    }

    bool add(const post_ops::Scale& op) {
        one(Kind::kScale, op.by.list());
        return true;
    }
    bool add(const post_ops::Shift& op) {
        one(Kind::kShift, op.by.list());
        return true;
    }
    bool add(const post_ops::Round&) {
        one(Kind::kRound, {});
        return true;
    }
    bool add(const post_ops::Clip& op) {
        one(Kind::kClip, op.low.list(), op.high.list());
        return true;
    }
    bool add(const post_ops::Prelu& op) {
        one(Kind::kPrelu, op.slope.list());
        return true;
    }
    bool add(const post_ops::Binary& op) {
        GemmOp binary;
        binary.kind = Kind::kBinary;
        binary.binary = op;
        ops_.push_back(std::move(binary));
        return takes(op.type);
    }
    bool add(const post_ops::Eltwise& op) {
        if (op.kind == post_ops::EltwiseKind::kRelu) {
            relu(op.alpha);
            scale(op.scale);
            return true;
        }
        GemmOp eltwise;
        eltwise.kind = Kind::kEltwise;
        eltwise.eltwise = op;
        ops_.push_back(std::move(eltwise));
        return GemmOp::takes(op.kind);
    }

    static bool takes(ElementType type) {
        return type == ElementType::u8 || type == ElementType::i8 || type == ElementType::f32;
    }

    std::vector<GemmOp> ops_;
};

}  // namespace

std::optional<GemmEpilogueOps> gemm_epilogue_ops(const post_ops::Emission& emission,
                                                 const post_ops::Chain& rest) {
    EpilogueBuilder builder;
    if (!emission.possible || !emission.weight_scale.all_equal_to(1.0f) || !builder.add(emission)) {
        return std::nullopt;
    }
    // What a chain step would read is stored in f32, without rounding.
    const bool stored_in_between = !emission.complete && emission.dst_type != ElementType::f32;
    if (stored_in_between || (!emission.complete && !builder.add(rest))) {
        return std::nullopt;
    }
    return GemmEpilogueOps{
        .scale = emission.output_scales.list(), .bias = emission.bias, .ops = builder.take()};
}

}  // namespace fuseq::cpu
