// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Activations of one value, in double precision: the definitions that kernels and tests share.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fuseq::activation {

inline double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}
inline double softplus(double x) {
    // log(1 + exp(x)) without overflow.
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}
inline double elu(double x, double alpha) {
    return x < 0 ? alpha * std::expm1(x) : x;
}
inline double hard_sigmoid(double x, double alpha, double beta) {
    return std::clamp(alpha * x + beta, 0.0, 1.0);
}
inline double hsigmoid(double x) {
    return std::clamp(x + 3, 0.0, 6.0) / 6;
}
inline double hswish(double x) {
    return x * hsigmoid(x);
}
inline double swish(double x, double beta) {
    return x * sigmoid(beta * x);
}
inline double mish(double x) {
    return x * std::tanh(softplus(x));
}
inline double gelu_erf(double x) {
    return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
}
inline double gelu_tanh(double x) {
    const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1 + std::tanh(inner));
}

}  // namespace fuseq::activation
