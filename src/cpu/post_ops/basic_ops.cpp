// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/basic_ops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "cpu/post_ops/interval.hpp"
#include "cpu/post_ops/number_text.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops {

Values::Values(std::vector<float> values) : values_(std::move(values)) {
    if (values_.empty()) {
        throw Error("compile", "per-channel values of a basic operation are empty");
    }
    if (std::all_of(values_.begin(), values_.end(), [&](float v) { return v == values_[0]; })) {
        values_.resize(1);
    }
}

bool Values::all_equal_to(float value) const {
    return std::all_of(values_.begin(), values_.end(), [&](float v) { return v == value; });
}

float Values::min() const {
    return *std::min_element(values_.begin(), values_.end());
}

float Values::max() const {
    return *std::max_element(values_.begin(), values_.end());
}

namespace {

template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

double sigmoid(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

double softplus(double x) {
    return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

double hsigmoid(double x) {
    return std::min(std::max(x + 3.0, 0.0), 6.0) / 6.0;
}

double gelu_tanh(double x) {
    const double k = std::sqrt(2.0 / std::numbers::pi);
    const double inner = k * (x + 0.044715 * x * x * x);
    // 0.5 * x * (1 + tanh(inner)) without the cancellation for negative x.
    return x * sigmoid(2.0 * inner);
}

std::string text(const Values& values) {
    return values.per_tensor() ? number_text(values[0]) : "per_oc:" + std::to_string(values.size());
}

const char* name_of(EltwiseKind kind) {
    switch (kind) {
        case EltwiseKind::kRelu: return "relu";
        case EltwiseKind::kTanh: return "tanh";
        case EltwiseKind::kElu: return "elu";
        case EltwiseKind::kSigmoid: return "sigmoid";
        case EltwiseKind::kSwish: return "swish";
        case EltwiseKind::kHswish: return "hswish";
        case EltwiseKind::kHsigmoid: return "hsigmoid";
        case EltwiseKind::kHardSigmoid: return "hard_sigmoid";
        case EltwiseKind::kMish: return "mish";
        case EltwiseKind::kSoftplus: return "softplus";
        case EltwiseKind::kGeluErf: return "gelu_erf";
        case EltwiseKind::kGeluTanh: return "gelu_tanh";
        case EltwiseKind::kAbs: return "abs";
        case EltwiseKind::kSqrt: return "sqrt";
        case EltwiseKind::kSquare: return "square";
        case EltwiseKind::kExp: return "exp";
        case EltwiseKind::kLog: return "log";
        case EltwiseKind::kPower: return "power";
    }
    return "?";
}

std::string eltwise_text(const Eltwise& op) {
    std::string out = name_of(op.kind);
    switch (op.kind) {
        case EltwiseKind::kRelu:
            if (op.alpha != 0.0f) {
                out += '(' + number_text(op.alpha) + ')';
            }
            break;
        case EltwiseKind::kElu:
        case EltwiseKind::kSwish: out += '(' + number_text(op.alpha) + ')'; break;
        case EltwiseKind::kHardSigmoid:
        case EltwiseKind::kPower:
            out += '(' + number_text(op.alpha) + ',' + number_text(op.beta) + ')';
            break;
        default: break;
    }
    return op.scale == 1.0f ? out : out + '*' + number_text(op.scale);
}

std::string binary_text(const Binary& op) {
    std::string out = std::string(to_string(op.kind)) + "(#" + std::to_string(op.input) + ' ' +
                      to_string(op.type);
    if (op.zero_point != 0.0f) {
        out += " zp" + number_text(op.zero_point);
    }
    if (op.scale != 1.0f) {
        out += " *" + number_text(op.scale);
    }
    return out + (op.per_plane ? " per_plane)" : op.per_pixel ? " per_pixel)" : ")");
}

double apply_binary(BinaryKind kind, double x, double t) {
    switch (kind) {
        case BinaryKind::kAdd: return x + t;
        case BinaryKind::kMul: return x * t;
        case BinaryKind::kMax: return std::max(x, t);
        case BinaryKind::kMin: return std::min(x, t);
    }
    return x;
}

double unscaled(const Eltwise& op, double x) {
    const double alpha = op.alpha;
    const double beta = op.beta;
    switch (op.kind) {
        case EltwiseKind::kRelu: return x > 0.0 ? x : alpha * x;
        case EltwiseKind::kTanh: return std::tanh(x);
        case EltwiseKind::kElu: return x > 0.0 ? x : alpha * std::expm1(x);
        case EltwiseKind::kSigmoid: return sigmoid(x);
        case EltwiseKind::kSwish: return x * sigmoid(alpha * x);
        case EltwiseKind::kHswish: return x * hsigmoid(x);
        case EltwiseKind::kHsigmoid: return hsigmoid(x);
        case EltwiseKind::kHardSigmoid: return std::min(std::max(alpha * x + beta, 0.0), 1.0);
        case EltwiseKind::kMish: return x * std::tanh(softplus(x));
        case EltwiseKind::kSoftplus: return softplus(x);
        case EltwiseKind::kGeluErf: return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
        case EltwiseKind::kGeluTanh: return gelu_tanh(x);
        case EltwiseKind::kAbs: return std::fabs(x);
        case EltwiseKind::kSqrt: return std::sqrt(x);
        case EltwiseKind::kSquare: return x * x;
        case EltwiseKind::kExp: return std::exp(x);
        case EltwiseKind::kLog: return std::log(x);
        case EltwiseKind::kPower: return alpha * std::pow(x, beta);
    }
    return x;
}

}  // namespace

const char* to_string(BinaryKind kind) {
    switch (kind) {
        case BinaryKind::kAdd: return "add";
        case BinaryKind::kMul: return "mul";
        case BinaryKind::kMax: return "max";
        case BinaryKind::kMin: return "min";
    }
    return "?";
}

double apply(const Eltwise& op, double x) {
    return op.scale * unscaled(op, x);
}

double store(ElementType type, double x) {
    if (is_real(type)) {
        return x;
    }
    const Interval range = range_of(type);
    return std::min(std::max(std::nearbyint(x), range.low), range.high);
}

double evaluate_ops(const std::vector<BasicOp>& ops,
                    double x,
                    std::size_t channel,
                    const std::vector<double>& binary_sources) {
    const Overloaded step{
        [&](const Scale& op) { return x * op.by[channel]; },
        [&](const Shift& op) { return x + op.by[channel]; },
        [&](const Round&) { return std::nearbyint(x); },
        [&](const Clip& op) {
            return std::min<double>(std::max<double>(x, op.low[channel]), op.high[channel]);
        },
        [&](const Eltwise& op) { return apply(op, x); },
        [&](const Prelu& op) { return x > 0.0 ? x : op.slope[channel] * x; },
        [&](const Binary& op) {
            if (op.input >= binary_sources.size()) {
                throw Error("infer",
                            detail::cat("extra input #", op.input, " of a chain is missing, ",
                                        binary_sources.size(), " are given"));
            }
            const double t = (binary_sources[op.input] - op.zero_point) * op.scale;
            return apply_binary(op.kind, x, t);
        },
    };
    for (const BasicOp& op : ops) {
        x = std::visit(step, op);
    }
    return x;
}

double evaluate(const Chain& chain,
                double x,
                std::size_t channel,
                const std::vector<double>& binary_sources) {
    return store(chain.dst_type, evaluate_ops(chain.ops, x, channel, binary_sources));
}

std::string to_text(const BasicOp& op) {
    return std::visit(
        Overloaded{
            [](const Scale& o) { return "scale(" + text(o.by) + ')'; },
            [](const Shift& o) { return "shift(" + text(o.by) + ')'; },
            [](const Round&) { return std::string("round"); },
            [](const Clip& o) { return "clip(" + text(o.low) + ',' + text(o.high) + ')'; },
            [](const Eltwise& o) { return eltwise_text(o); },
            [](const Prelu& o) { return "prelu(" + text(o.slope) + ')'; },
            [](const Binary& o) { return binary_text(o); },
        },
        op);
}

std::string to_text(const Chain& chain) {
    std::string out;
    for (const BasicOp& op : chain.ops) {
        out += to_text(op) + ' ';
    }
    return out + "-> " + to_string(chain.dst_type);
}

}  // namespace fuseq::post_ops
