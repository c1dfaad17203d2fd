// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of one number. Those with real results take real tensors; Abs, Negative, Sign, Floor
// and Ceiling take integers too.
#include <cmath>

#include "ops/op_list.hpp"
#include "ops/unary_elementwise.hpp"

namespace fuseq::unary_math_ops {
namespace {

using Real = double (*)(double);

template <Real kFunction>
void real(EvalContext& context) {
    evaluate_real(context, kFunction);
}

// Rounding leaves integers as they are.
template <Real kFunction>
void rounding(EvalContext& context) {
    evaluate_unary(context, []<class T>(T x) {
        if constexpr (std::is_integral_v<T>) {
            return x;
        } else {
            return kFunction(static_cast<double>(x));
        }
    });
}

// 0 - x without the overflow of the lowest integer, which wraps.
template <class T>
T negated(T x) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x));
    } else {
        return -x;
    }
}

void negative(EvalContext& context) {
    evaluate_unary(context, [](auto x) { return negated(x); });
}
void absolute(EvalContext& context) {
    evaluate_unary(context, []<class T>(T x) {
        if constexpr (std::is_floating_point_v<T>) {
            return std::abs(x);
        } else {
            return x < T{0} ? negated(x) : x;
        }
    });
}
void sign(EvalContext& context) {
    evaluate_unary(context, []<class T>(T x) {
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isnan(x)) {
                return x;
            }
        }
        return static_cast<T>(static_cast<int>(T{0} < x) - static_cast<int>(x < T{0}));
    });
}

OpSpec row(std::string_view type,
           int version,
           void (*infer)(InferContext&),
           void (*evaluate)(EvalContext&),
           std::string_view summary) {
    return {.type = type,
            .version = version,
            .inputs = {1, 1},
            .make_attributes = make_attributes<NoAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = infer == infer_real_unary ? "integer tensors" : ""};
}

const OpSpec kOps[] = {
    row("Abs", 1, infer_numeric_unary, absolute, "|x|"),
    row("Negative", 1, infer_numeric_unary, negative, "-x"),
    row("Sign", 1, infer_numeric_unary, sign, "-1, 0 or 1"),
    row("Floor", 1, infer_numeric_unary, rounding<std::floor>, "Largest whole number <= x"),
    row("Ceiling", 1, infer_numeric_unary, rounding<std::ceil>, "Smallest whole number >= x"),
    row("Sqrt", 1, infer_real_unary, real<std::sqrt>, "Square root"),
    row("Exp", 1, infer_real_unary, real<std::exp>, "e^x"),
    row("Log", 1, infer_real_unary, real<std::log>, "Natural logarithm"),
    row("Erf", 1, infer_real_unary, real<std::erf>, "Error function"),
    row("Sin", 1, infer_real_unary, real<std::sin>, "Sine"),
    row("Cos", 1, infer_real_unary, real<std::cos>, "Cosine"),
    row("Tan", 1, infer_real_unary, real<std::tan>, "Tangent"),
    row("Asin", 1, infer_real_unary, real<std::asin>, "Arc sine"),
    row("Acos", 1, infer_real_unary, real<std::acos>, "Arc cosine"),
    row("Atan", 1, infer_real_unary, real<std::atan>, "Arc tangent"),
    row("Sinh", 1, infer_real_unary, real<std::sinh>, "Hyperbolic sine"),
    row("Cosh", 1, infer_real_unary, real<std::cosh>, "Hyperbolic cosine"),
    row("Asinh", 4, infer_real_unary, real<std::asinh>, "Inverse hyperbolic sine"),
    row("Acosh", 4, infer_real_unary, real<std::acosh>, "Inverse hyperbolic cosine"),
    row("Atanh", 4, infer_real_unary, real<std::atanh>, "Inverse hyperbolic tangent"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::unary_math_ops
