// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/activations.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <numbers>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

using Algorithm = EltwiseAlgorithm;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

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

double relu(const Eltwise& op, double x) {
    return x > 0.0 ? x : op.alpha * x;
}

Interval image_of_relu(const Eltwise& op, Interval x) {
    if (op.alpha == 0.0f) {  // 0 * -infinity is no number
        return {std::max(x.low, 0.0), std::max(x.high, 0.0)};
    }
    if (op.alpha > 0.0f) {
        return {relu(op, x.low), relu(op, x.high)};
    }
    return {x.low >= 0.0 ? x.low : 0.0, std::max({x.high, relu(op, x.low), 0.0})};
}

Interval anything(const Eltwise&, Interval) {
    return {-kUnbounded, kUnbounded};
}

Interval not_negative(const Eltwise&, Interval) {
    return {0.0, kUnbounded};
}

Interval zero_to_one(const Eltwise&, Interval) {
    return {0.0, 1.0};
}

Interval minus_one_to_one(const Eltwise&, Interval) {
    return {-1.0, 1.0};
}

Interval image_of_elu(const Eltwise& op, Interval x) {
    return op.alpha >= 0.0f ? Interval{-op.alpha, std::max(x.high, 0.0)} : anything(op, x);
}

Interval image_of_swish(const Eltwise& op, Interval x) {  // the minimum is -0.2785 / alpha
    return op.alpha > 0.0f ? Interval{-0.2785 / op.alpha, std::max(x.high, 0.0)} : anything(op, x);
}

// Of a function that is not above x where x is positive, nor above 0 elsewhere.
template <int MinTimesTenThousand>
Interval from_minimum(const Eltwise&, Interval x) {
    return {MinTimesTenThousand / 1e4, std::max(x.high, 0.0)};
}

Interval image_of_abs(const Eltwise&, Interval x) {
    return {x.low >= 0.0 ? x.low : (x.high <= 0.0 ? -x.high : 0.0),
            std::max(std::abs(x.low), std::abs(x.high))};
}

// One row each, in the order of EltwiseKind.
constexpr Activation kTable[] = {
    {.kind = EltwiseKind::kRelu,
     .name = "relu",
     .parameters = 1,
     .layer = "ReLU",
     .algorithm = Algorithm::kRelu,
     .value = relu,
     .image = image_of_relu},
    {.kind = EltwiseKind::kTanh,
     .name = "tanh",
     .layer = "Tanh",
     .algorithm = Algorithm::kTanh,
     .is_costly = true,
     .value = [](const Eltwise&, double x) { return std::tanh(x); },
     .image = minus_one_to_one},
    {.kind = EltwiseKind::kElu,
     .name = "elu",
     .parameters = 1,
     .algorithm = Algorithm::kElu,
     .is_costly = true,
     .value = [](const Eltwise& op,
                 double x) { return x > 0.0 ? x : static_cast<double>(op.alpha) * std::expm1(x); },
     .image = image_of_elu},
    {.kind = EltwiseKind::kSigmoid,
     .name = "sigmoid",
     .layer = "Sigmoid",
     .algorithm = Algorithm::kLogistic,
     .is_costly = true,
     .value = [](const Eltwise&, double x) { return sigmoid(x); },
     .image = zero_to_one},
    {.kind = EltwiseKind::kSwish,
     .name = "swish",
     .parameters = 1,
     .algorithm = Algorithm::kSwish,
     .is_costly = true,
     .value = [](const Eltwise& op, double x) { return x * sigmoid(op.alpha * x); },
     .image = image_of_swish},
    {.kind = EltwiseKind::kHswish,
     .name = "hswish",
     .layer = "HSwish",
     .algorithm = Algorithm::kHardswish,
     .value = [](const Eltwise&, double x) { return x * hsigmoid(x); },
     .image = from_minimum<-3750>},
    {.kind = EltwiseKind::kHsigmoid,  // a line and a clip: law use_plain_form
     .name = "hsigmoid",
     .layer = "HSigmoid",
     .value = [](const Eltwise&, double x) { return hsigmoid(x); },
     .image = zero_to_one},
    {.kind = EltwiseKind::kHardSigmoid,  // the same
     .name = "hard_sigmoid",
     .parameters = 2,
     .value = [](const Eltwise& op,
                 double x) { return std::min(std::max(op.alpha * x + op.beta, 0.0), 1.0); },
     .image = zero_to_one},
    {.kind = EltwiseKind::kMish,
     .name = "mish",
     .layer = "Mish",
     .algorithm = Algorithm::kMish,
     .is_costly = true,
     .value = [](const Eltwise&, double x) { return x * std::tanh(softplus(x)); },
     .image = from_minimum<-3089>},
    {.kind = EltwiseKind::kSoftplus,
     .name = "softplus",
     .layer = "SoftPlus",
     .algorithm = Algorithm::kSoftRelu,
     .is_costly = true,
     .value = [](const Eltwise&, double x) { return softplus(x); },
     .image = not_negative},
    {.kind = EltwiseKind::kGeluErf,
     .name = "gelu_erf",
     .algorithm = Algorithm::kGeluErf,
     .is_costly = true,
     .value = [](const Eltwise&,
                 double x) { return 0.5 * x * std::erfc(-x / std::numbers::sqrt2); },
     .image = from_minimum<-1701>},
    {.kind = EltwiseKind::kGeluTanh,
     .name = "gelu_tanh",
     .algorithm = Algorithm::kGeluTanh,
     .is_costly = true,
     .value = [](const Eltwise&, double x) { return gelu_tanh(x); },
     .image = from_minimum<-1701>},
    {.kind = EltwiseKind::kAbs,
     .name = "abs",
     .layer = "Abs",
     .algorithm = Algorithm::kAbs,
     .value = [](const Eltwise&, double x) { return std::fabs(x); },
     .image = image_of_abs},
    {.kind = EltwiseKind::kSqrt,
     .name = "sqrt",
     .layer = "Sqrt",
     .algorithm = Algorithm::kSqrt,
     .value = [](const Eltwise&, double x) { return std::sqrt(x); },
     .image = not_negative},
    {.kind = EltwiseKind::kSquare,
     .name = "square",
     .algorithm = Algorithm::kSquare,
     .value = [](const Eltwise&, double x) { return x * x; },
     .image = not_negative},
    {.kind = EltwiseKind::kExp,
     .name = "exp",
     .layer = "Exp",
     .algorithm = Algorithm::kExp,
     .value = [](const Eltwise&, double x) { return std::exp(x); },
     .image = not_negative},
    {.kind = EltwiseKind::kLog,
     .name = "log",
     .layer = "Log",
     .algorithm = Algorithm::kLog,
     .value = [](const Eltwise&, double x) { return std::log(x); },
     .image = anything},
    {.kind = EltwiseKind::kPower,
     .name = "power",
     .parameters = 2,
     .algorithm = Algorithm::kPow,
     .value = [](const Eltwise& op,
                 double x) { return op.alpha * std::pow(x, static_cast<double>(op.beta)); },
     .image = anything},
    {.kind = EltwiseKind::kSoftsign,
     .name = "softsign",
     .layer = "SoftSign",
     .value = [](const Eltwise&, double x) { return x / (1.0 + std::fabs(x)); },
     .image = minus_one_to_one},
};

}  // namespace

const Activation& activation(EltwiseKind kind) {
    const auto number = static_cast<std::size_t>(kind);
    if (number >= std::size(kTable) || kTable[number].kind != kind) {
        throw Error("compile", fmt::format("activation {} is not in its table", number));
    }
    return kTable[number];
}

const Activation* activation_of(EltwiseAlgorithm algorithm) {
    const auto* const found =
        std::find_if(std::begin(kTable), std::end(kTable),
                     [&](const Activation& row) { return row.algorithm == algorithm; });
    return found == std::end(kTable) ? nullptr : found;
}

const Activation* activation_of_layer(std::string_view type) {
    const auto* const found = std::find_if(
        std::begin(kTable), std::end(kTable),
        [&](const Activation& row) { return !row.layer.empty() && row.layer == type; });
    return found == std::end(kTable) ? nullptr : found;
}

const char* to_string(EltwiseAlgorithm algorithm) {
    switch (algorithm) {
        case Algorithm::kLinear: return "linear";
        case Algorithm::kClip: return "clip";
        case Algorithm::kClipV2: return "clip_v2";
        case Algorithm::kRound: return "round";
        case Algorithm::kRelu: return "relu";
        case Algorithm::kTanh: return "tanh";
        case Algorithm::kElu: return "elu";
        case Algorithm::kLogistic: return "logistic";
        case Algorithm::kSwish: return "swish";
        case Algorithm::kHardswish: return "hardswish";
        case Algorithm::kMish: return "mish";
        case Algorithm::kSoftRelu: return "soft_relu";
        case Algorithm::kGeluErf: return "gelu_erf";
        case Algorithm::kGeluTanh: return "gelu_tanh";
        case Algorithm::kAbs: return "abs";
        case Algorithm::kSqrt: return "sqrt";
        case Algorithm::kSquare: return "square";
        case Algorithm::kExp: return "exp";
        case Algorithm::kLog: return "log";
        case Algorithm::kPow: return "pow";
    }
    return "?";
}

}  // namespace fuseq::post_ops
