// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/epilogue_program.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cpu/post_ops/number_text.hpp"

namespace fuseq::post_ops {
namespace {

using Kind = EpilogueOp::Kind;

class ProgramBuilder {
public:
    void add(const Chain& chain) {
        for (const BasicOp& op : chain.ops) {
            std::visit([&](const auto& o) { add(o); }, op);
        }
    }
    std::vector<EpilogueOp> take() { return std::move(ops_); }

protected:
    void one(Kind kind, std::vector<float> a, std::vector<float> b = {}) {
        // A product and a sum after it, each rounded, are one operation.
        if (kind == Kind::kShift && last_is(Kind::kScale)) {
            ops_.back().kind = Kind::kAffine;
            ops_.back().b = std::move(a);
            return;
        }
        if (kind == Kind::kClip && last_is(Kind::kRound)) {
            ops_.pop_back();
            kind = Kind::kRoundClip;
        }
        ops_.push_back({.kind = kind, .a = std::move(a), .b = std::move(b)});
    }
    void add(const Scale& op) { one(Kind::kScale, op.by.list()); }
    void add(const Shift& op) { one(Kind::kShift, op.by.list()); }
    void add(const Round&) { one(Kind::kRound, {}); }
    void add(const Clip& op) { one(Kind::kClip, op.low.list(), op.high.list()); }
    void add(const Prelu& op) { one(Kind::kPrelu, op.slope.list()); }
    void add(const Binary& op) { ops_.push_back({.kind = Kind::kBinary, .binary = op}); }
    void add(const Eltwise& op) {
        if (relu_is_maximum_ && op.kind == EltwiseKind::kRelu) {
            relu(op.alpha);
            scale(op.scale);
            return;
        }
        ops_.push_back({.kind = Kind::kEltwise, .eltwise = op});
    }

    void scale(float by) {
        if (by != 1.0f) {
            one(Kind::kScale, {by});
        }
    }
    void relu(float alpha) { alpha == 0.0f ? one(Kind::kMax, {0.0f}) : one(Kind::kPrelu, {alpha}); }

    bool relu_is_maximum_ = false;
    std::vector<EpilogueOp> ops_;

private:
    bool last_is(Kind kind) const { return !ops_.empty() && ops_.back().kind == kind; }
};

// Post-ops as oneDNN computes them.
class PostOpBuilder : public ProgramBuilder {
public:
    PostOpBuilder() { relu_is_maximum_ = true; }

    using ProgramBuilder::add;
    // Nothing, or the post-op that is no operation of a program.
    std::string add(const Emission& emission) {
        for (const PostOp& op : emission.post_ops) {
            std::string refused = std::visit([&](const auto& o) { return post_op(o); }, op);
            if (!refused.empty()) {
                return refused;
            }
        }
        if (emission.dst_zero_point != 0) {
            one(Kind::kShift, {static_cast<float>(emission.dst_zero_point)});
        }
        return {};
    }

private:
    void linear(float alpha, float beta) {
        if (beta == 0.0f) {
            scale(alpha);
        } else if (alpha == 1.0f) {
            one(Kind::kShift, {beta});
        } else {
            one(Kind::kLinear, {alpha}, {beta});
        }
    }

    std::string post_op(const EltwisePostOp& op) {
        using A = EltwiseAlgorithm;
        switch (op.algorithm) {
            case A::kLinear: linear(op.alpha, op.beta); break;
            case A::kClip:
            case A::kClipV2: one(Kind::kClip, {op.alpha}, {op.beta}); break;
            case A::kRound: one(Kind::kRound, {}); break;
            default: {
                const Activation* const row = activation_of(op.algorithm);
                if (row == nullptr) {
                    return std::string(to_string(op.algorithm)) + " is no activation of a chain";
                }
                add(Eltwise{
                    .kind = row->kind, .alpha = op.alpha, .beta = op.beta, .scale = op.scale});
                return {};
            }
        }
        scale(op.scale);
        return {};
    }

    std::string post_op(const ConstantPostOp& op) {
        static constexpr std::pair<BinaryKind, Kind> kKinds[] = {{BinaryKind::kAdd, Kind::kShift},
                                                                 {BinaryKind::kMul, Kind::kScale},
                                                                 {BinaryKind::kMax, Kind::kMax},
                                                                 {BinaryKind::kMin, Kind::kMin}};
        const auto* const found =
            std::find_if(std::begin(kKinds), std::end(kKinds),
                         [&](const auto& pair) { return pair.first == op.kind; });
        one(found->second, op.values.list());
        return {};
    }

    std::string post_op(const TensorPostOp& op) {
        if (op.kind == BinaryKind::kAdd) {
            return post_op(SumPostOp{.input = op.input, .type = op.type});
        }
        add(Binary{.kind = op.kind, .input = op.input, .type = op.type});
        return {};
    }

    std::string post_op(const SumPostOp& op) {
        ops_.push_back({.kind = Kind::kSum,
                        .binary = {.input = op.input, .type = op.type, .scale = op.scale}});
        return {};
    }
};

std::string list_text(const std::vector<float>& values) {
    return values.size() == 1 ? number_text(values[0]) : "per_oc:" + std::to_string(values.size());
}

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::kLinear: return "linear";
        case Kind::kScale: return "scale";
        case Kind::kShift: return "shift";
        case Kind::kAffine: return "affine";
        case Kind::kRound: return "round";
        case Kind::kClip: return "clip";
        case Kind::kRoundClip: return "round_clip";
        case Kind::kPrelu: return "prelu";
        case Kind::kMax: return "max";
        case Kind::kMin: return "min";
        case Kind::kEltwise: return "eltwise";
        case Kind::kBinary: return "binary";
        case Kind::kSum: return "sum";
    }
    return "?";
}

}  // namespace

EpilogueProgram make_epilogue(const Chain& chain) {
    ProgramBuilder builder;
    builder.add(chain);
    return {.ops = builder.take(), .dst_type = chain.dst_type};
}

AccumulatorEpilogue make_epilogue(const Emission& emission, const Chain& remainder) {
    AccumulatorEpilogue out;
    if (!emission.possible) {
        out.refused = "the anchor stores none of the types that the chain could begin with";
        return out;
    }
    if (!emission.weight_scale.all_equal_to(1.0f)) {
        out.refused = "a scale belongs to the weights, which are integers";
        return out;
    }
    // What a fused eltwise would read is stored in f32, without rounding.
    if (!emission.complete && emission.dst_type != ElementType::f32) {
        out.refused = std::string("the part that maps would be rounded to ") +
                      to_string(emission.dst_type) + " in between";
        return out;
    }
    PostOpBuilder builder;
    out.refused = builder.add(emission);
    if (!emission.complete) {
        builder.add(remainder);
    }
    out.scale = emission.output_scales.list();
    out.bias = emission.bias;
    out.program = {.ops = builder.take(), .dst_type = remainder.dst_type};
    return out;
}

std::string to_text(const EpilogueOp& op) {
    if (op.kind == Kind::kEltwise) {
        return to_text(BasicOp(op.eltwise));
    }
    if (op.kind == Kind::kBinary) {
        return to_text(BasicOp(op.binary));
    }
    std::string out = name_of(op.kind);
    if (op.kind == Kind::kSum) {
        return out + "(#" + std::to_string(op.binary.input) + ' ' + to_string(op.binary.type) +
               " *" + number_text(op.binary.scale) + ')';
    }
    if (op.kind == Kind::kRound) {
        return out;
    }
    out += '(' + list_text(op.a);
    return out + (op.b.empty() ? ")" : ',' + list_text(op.b) + ')');
}

std::string to_text(const EpilogueProgram& program) {
    std::string out;
    for (const EpilogueOp& op : program.ops) {
        out += to_text(op) + ' ';
    }
    return out + "-> " + to_string(program.dst_type);
}

}  // namespace fuseq::post_ops
