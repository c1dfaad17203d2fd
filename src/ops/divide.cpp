// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Divide-1, Mod-1 (sign of the dividend), FloorMod-1 (sign of the divisor). An integer division by
// zero is an error.
#include "ops/divide.hpp"

#include <cmath>

#include "ops/binary_elementwise.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::divide_ops {
namespace {

struct Rules {
    AutoBroadcast auto_broadcast;
    std::int64_t axis;
    bool floor;
};

Rules rules_of(const Node& node) {
    if (node.is("Divide")) {
        const auto& attrs = node.attrs<DivideAttrs>();
        return {attrs.auto_broadcast, attrs.axis, attrs.m_pythondiv};
    }
    const auto& attrs = node.attrs<BinaryAttrs>();
    return {attrs.auto_broadcast, attrs.axis, node.is("FloorMod")};
}

// Quotients of sizes; an open dividend gives an open quotient.
void infer_values(InferContext& context) {
    const auto a = shape_values(context, 0);
    const auto b = shape_values(context, 1);
    if (!a || !b || b->empty() || (a->size() != b->size() && b->size() != 1)) {
        return;
    }
    std::vector<Dimension> result;
    for (std::size_t i = 0; i < a->size(); ++i) {
        const Dimension& x = (*a)[i];
        const Dimension& y = (*b)[b->size() == 1 ? 0 : i];
        const bool known = x.is_static() && y.is_static() && y.get_length() != 0;
        Dimension value = Dimension::dynamic();
        if (known) {
            value = context.node().is("Divide") ? x.get_length() / y.get_length()
                                                : x.get_length() % y.get_length();
        }
        result.push_back(value);
    }
    set_shape_values(context, 0, std::move(result));
}

template <class Context, class T>
void check_divisor(const Context& context, T value, std::size_t at) {
    context.require(value != T{0}, "element ", at, " of the divisor is an integer zero");
}

void infer(InferContext& context) {
    const Rules rules = rules_of(context.node());
    context.require_same_type(0, 1);
    context.require(is_real(context.type(0)) || is_integral(context.type(0)), "inputs are ",
                    to_string(context.type(0)), ", expected a numeric type");
    context.set_output(0, context.type(0),
                       broadcast_shapes(context, context.shape(0), context.shape(1),
                                        rules.auto_broadcast, rules.axis));
    if (is_integral(context.type(1))) {
        const auto divisor = context.ints(1);
        for (std::size_t i = 0; divisor && i < divisor->size(); ++i) {
            check_divisor(context, (*divisor)[i], i);
        }
    }
    infer_values(context);
}

// Quotient rounded towards zero, without the overflow of lowest / -1, which wraps.
template <class T>
T quotient(T x, T y) {
    if constexpr (std::is_signed_v<T>) {
        if (y == T{-1}) {
            return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x));
        }
    }
    return static_cast<T>(x / y);
}
template <class T>
T remainder(T x, T y) {
    if constexpr (std::is_signed_v<T>) {
        if (y == T{-1}) {
            return T{0};
        }
    }
    return static_cast<T>(x % y);
}
// The quotient is not whole and negative.
template <class T>
bool between_negatives(T x, T y) {
    return remainder(x, y) != T{0} && (x < T{0}) != (y < T{0});
}

template <class Function>
void run(EvalContext& context, Function function) {
    const Rules rules = rules_of(context.node());
    BinaryAttrs attrs;
    attrs.auto_broadcast = rules.auto_broadcast;
    attrs.axis = rules.axis;
    evaluate_pairs(context, attrs, [&]<class T>(T x, T y, std::size_t j) {
        if constexpr (std::is_integral_v<T>) {
            check_divisor(context, y, j);
        }
        return function(x, y, rules.floor);
    });
}

void divide(EvalContext& context) {
    run(context, []<class T>(T x, T y, bool floor) -> T {
        if constexpr (std::is_integral_v<T>) {
            const T q = quotient(x, y);
            return floor && between_negatives(x, y) ? static_cast<T>(q - T{1}) : q;
        } else {
            return x / y;
        }
    });
}

void modulo(EvalContext& context) {
    run(context, []<class T>(T x, T y, bool floor) -> T {
        if constexpr (std::is_integral_v<T>) {
            const T r = remainder(x, y);
            return floor && between_negatives(x, y) ? static_cast<T>(r + y) : r;
        } else {
            const T r = std::fmod(x, y);
            return floor && r != T{0} && (r < T{0}) != (y < T{0}) ? r + y : r;
        }
    });
}

OpSpec row(std::string_view type,
           std::unique_ptr<Attributes> (*attributes)(),
           void (*evaluate)(EvalContext&),
           std::string_view summary) {
    return {.type = type,
            .version = 1,
            .inputs = {2, 2},
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "a divisor with an integer zero"};
}

const OpSpec kOps[] = {
    row("Divide", make_attributes<DivideAttrs>, divide, "a / b"),
    row("Mod", make_attributes<BinaryAttrs>, modulo, "Remainder with the sign of a"),
    row("FloorMod", make_attributes<BinaryAttrs>, modulo, "Remainder with the sign of b"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::divide_ops
