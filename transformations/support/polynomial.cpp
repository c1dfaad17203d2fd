// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/polynomial.hpp"

#include <map>
#include <utility>
#include <vector>

#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace {

// Formulas are short: 0.8 * x * (1 + 0.04 * x * x) has six nodes.
constexpr std::size_t kMaxPolynomialNodes = 16;

bool is_basic_arithmetic(const Node& node) {
    return is_one_of(node, {"Add", "Subtract", "Multiply", "Divide"});
}

// One operation undone; false when it is none with a constant number.
bool step_down(Affine& affine) {
    const Node& node = *affine.source.node;
    if (node.is("Negative")) {
        affine.factor = -affine.factor;
        affine.source = node.input(0);
        return true;
    }
    if (!is_basic_arithmetic(node)) {
        return false;
    }
    for (const std::size_t i : {1, 0}) {
        const auto number = constant_number(node.input(i));
        if (!number || (node.is("Divide") && (i == 0 || *number == 0))) {
            continue;
        }
        if (node.is("Add")) {
            affine.shift += affine.factor * *number;
        } else if (node.is("Subtract")) {
            affine.shift += affine.factor * (i == 1 ? -*number : *number);
            affine.factor = i == 1 ? affine.factor : -affine.factor;
        } else {
            affine.factor *= node.is("Divide") ? 1 / *number : *number;
        }
        affine.source = node.input(1 - i);
        return true;
    }
    return false;
}

std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
    Polynomial result{};
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            const double term = a[i] * b[j];
            if (term != 0 && i + j >= result.size()) {
                return std::nullopt;
            }
            if (term != 0) {
                result[i + j] += term;
            }
        }
    }
    return result;
}

std::optional<double> number_of(const Polynomial& p) {
    return p[1] == 0 && p[2] == 0 && p[3] == 0 ? std::optional(p[0]) : std::nullopt;
}

Polynomial sum(const Polynomial& a, const Polynomial& b, double sign) {
    Polynomial result = a;
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] += sign * b[i];
    }
    return result;
}

std::optional<Polynomial> power(const Polynomial& base, const Polynomial& exponent) {
    const auto n = number_of(exponent);
    if (n == std::optional<double>(2)) {
        return product(base, base);
    }
    const auto square = n == std::optional<double>(3) ? product(base, base) : std::nullopt;
    return square ? product(*square, base) : std::nullopt;
}

std::optional<Polynomial> combine(const Node& node, const Polynomial& a, const Polynomial& b) {
    if (node.is("Add") || node.is("Subtract")) {
        return sum(a, b, node.is("Add") ? 1 : -1);
    }
    if (node.is("Multiply")) {
        return product(a, b);
    }
    if (node.is("Divide")) {
        const auto by = number_of(b);
        return by && *by != 0 ? product(a, {1 / *by}) : std::nullopt;
    }
    return power(a, b);
}

using Known = std::map<std::pair<const Node*, std::size_t>, Polynomial>;

std::optional<Polynomial> lookup(const Known& known, const Output& value, const Output& x) {
    if (value == x) {
        return Polynomial{0, 1};
    }
    if (const auto number = constant_number(value)) {
        return Polynomial{*number};
    }
    const auto found = known.find({value.node, value.index});
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

Affine affine_of(const Output& output, const Output& stop) {
    Affine affine{output};
    while (affine.source != stop && has_single_use(affine.source) && step_down(affine)) {
    }
    return affine;
}

std::optional<Polynomial> polynomial_in(const Output& x, const Output& value) {
    Known known;
    std::vector<Output> todo = {value};
    std::size_t visited = 0;
    while (!todo.empty()) {
        const Output at = todo.back();
        if (lookup(known, at, x)) {
            todo.pop_back();
            continue;
        }
        const Node& node = *at.node;
        const bool negative = node.is("Negative");
        if (++visited > 2 * kMaxPolynomialNodes || !has_single_use(at) ||
            (!negative && !is_basic_arithmetic(node) && !node.is("Power"))) {
            return std::nullopt;
        }
        const auto a = lookup(known, node.input(0), x);
        const auto b = negative ? a : lookup(known, node.input(1), x);
        if (!a || !b) {
            todo.push_back(a ? node.input(1) : node.input(0));
            continue;
        }
        const auto result = negative ? product(*a, {-1}) : combine(node, *a, *b);
        if (!result) {
            return std::nullopt;
        }
        known[{at.node, at.index}] = *result;
    }
    return lookup(known, value, x);
}

}  // namespace fuseq
