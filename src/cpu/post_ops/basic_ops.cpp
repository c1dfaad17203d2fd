// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/basic_ops.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

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

std::string text(const Values& values) {
    return values.per_tensor() ? number_text(values[0]) : "per_oc:" + std::to_string(values.size());
}

std::string eltwise_text(const Eltwise& op) {
    const Activation& row = activation(op.kind);
    std::string out = row.name;
    const bool plain_relu = op.kind == EltwiseKind::kRelu && op.alpha == 0.0f;
    if (row.parameters > 0 && !plain_relu) {
        out += '(' + number_text(op.alpha) +
               (row.parameters > 1 ? ',' + number_text(op.beta) + ')' : ")");
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
    return op.scale * activation(op.kind).value(op, x);
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
                            fmt::format("binary source #{} of a chain is missing, {} are given",
                                        op.input, binary_sources.size()));
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

bool has_channel_values(const Chain& chain) {
    struct PerChannel {
        bool operator()(const Scale& op) const { return !op.by.per_tensor(); }
        bool operator()(const Shift& op) const { return !op.by.per_tensor(); }
        bool operator()(const Clip& op) const {
            return !op.low.per_tensor() || !op.high.per_tensor();
        }
        bool operator()(const Prelu& op) const { return !op.slope.per_tensor(); }
        bool operator()(const Round& /*op*/) const { return false; }
        bool operator()(const Eltwise& /*op*/) const { return false; }
        bool operator()(const Binary& /*op*/) const { return false; }
    };
    return std::any_of(chain.ops.begin(), chain.ops.end(),
                       [](const BasicOp& op) { return std::visit(PerChannel{}, op); });
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
