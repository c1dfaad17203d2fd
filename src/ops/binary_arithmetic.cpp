// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/binary_arithmetic.hpp"

#include <algorithm>
#include <cmath>

#include "ops/binary_elementwise.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::binary_arithmetic_ops {
namespace {

// Results for sizes, as far as they are certain; anything that could be negative is open.
Dimension combine(const Node& node, const Dimension& a, const Dimension& b) {
    if (node.is("Add")) {
        return a + b;
    }
    if (node.is("Multiply")) {
        return a * b;
    }
    if (!a.is_static() || !b.is_static()) {
        return Dimension::dynamic();
    }
    const std::int64_t x = a.get_length();
    const std::int64_t y = b.get_length();
    if (node.is("Subtract")) {
        return x >= y ? Dimension(x - y) : Dimension::dynamic();
    }
    if (node.is("Maximum")) {
        return std::max(x, y);
    }
    return node.is("Minimum") ? Dimension(std::min(x, y)) : Dimension::dynamic();
}

// A fully open value may be anything, a negative number too; then nothing follows.
bool certain(const Dimension& d) {
    return d.is_static() || d.get_min_length() > 0;
}

void infer_values(InferContext& context) {
    const auto a = shape_values(context, 0);
    const auto b = shape_values(context, 1);
    if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) {
        return;
    }
    std::vector<Dimension> result;
    for (std::size_t i = 0; i < std::max(a->size(), b->size()) && !a->empty() && !b->empty(); ++i) {
        const Dimension& x = (*a)[a->size() == 1 ? 0 : i];
        const Dimension& y = (*b)[b->size() == 1 ? 0 : i];
        result.push_back(certain(x) && certain(y) ? combine(context.node(), x, y)
                                                  : Dimension::dynamic());
    }
    set_shape_values(context, 0, std::move(result));
}

void infer(InferContext& context) {
    context.require_same_type(0, 1);
    context.require(is_real(context.type(0)) || is_integral(context.type(0)), "inputs are ",
                    to_string(context.type(0)), ", expected a numeric type");
    context.set_output(0, context.type(0), binary_shape(context));
    infer_values(context);
}

void add(EvalContext& context) {
    evaluate_binary(context, []<class T>(T x, T y) { return Wrapping<T>(x) + Wrapping<T>(y); });
}
void subtract(EvalContext& context) {
    evaluate_binary(context, []<class T>(T x, T y) { return Wrapping<T>(x) - Wrapping<T>(y); });
}
void multiply(EvalContext& context) {
    evaluate_binary(context, []<class T>(T x, T y) { return Wrapping<T>(x) * Wrapping<T>(y); });
}
void maximum(EvalContext& context) {
    evaluate_binary(context, [](auto x, auto y) { return std::max(x, y); });
}
void minimum(EvalContext& context) {
    evaluate_binary(context, [](auto x, auto y) { return std::min(x, y); });
}
void squared_difference(EvalContext& context) {
    evaluate_binary(context, []<class T>(T x, T y) {
        const Wrapping<T> d = Wrapping<T>(x) - Wrapping<T>(y);
        return d * d;
    });
}

// Integer powers by repeated squaring: exact where the result fits, wrapping beyond.
template <class T>
T integer_power(T base, T exponent) {
    if (exponent < T{0}) {
        const bool odd = exponent % T{2} != T{0};
        if (base == T{1}) {
            return T{1};
        }
        return base == static_cast<T>(-1) ? static_cast<T>(odd ? -1 : 1) : T{0};
    }
    std::uint64_t result = 1;
    // Through i64, so that a negative base is extended with its sign on purpose.
    auto square = static_cast<std::uint64_t>(static_cast<std::int64_t>(base));
    for (auto left = static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent)); left != 0;
         left >>= 1) {
        result = (left & 1) != 0 ? result * square : result;
        square *= square;
    }
    return static_cast<T>(result);
}

void power(EvalContext& context) {
    evaluate_binary(context, []<class T>(T x, T y) {
        if constexpr (std::is_integral_v<T>) {
            return integer_power(x, y);
        } else {
            return std::pow(static_cast<double>(x), static_cast<double>(y));
        }
    });
}

const OpSpec kOps[] = {
    binary_row("Add", infer, add, "a + b"),
    binary_row("Subtract", infer, subtract, "a - b"),
    binary_row("Multiply", infer, multiply, "a * b"),
    binary_row("Maximum", infer, maximum, "max(a, b)"),
    binary_row("Minimum", infer, minimum, "min(a, b)"),
    binary_row("SquaredDifference", infer, squared_difference, "(a - b)^2"),
    binary_row("Power", infer, power, "a^b"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::binary_arithmetic_ops
