// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/interval.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "cpu/post_ops/values.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Interval hull(std::initializer_list<double> values) {
    return {std::min(values), std::max(values)};
}

double times(double a, double b) {
    return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

Interval multiply(Interval a, Interval b) {
    return hull(
        {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
}

Interval image(Interval x, const Eltwise& op) {
    return multiply(activation(op.kind).image(op, x), {op.scale, op.scale});
}

Interval image(Interval x, const Binary& op) {
    Interval raw{-kInfinity, kInfinity};
    if (op.type == ElementType::u8 || op.type == ElementType::i8) {
        raw = range_of(op.type);
    }
    const Interval t =
        multiply({raw.low - op.zero_point, raw.high - op.zero_point}, {op.scale, op.scale});
    switch (op.kind) {
        case BinaryKind::kAdd: return {x.low + t.low, x.high + t.high};
        case BinaryKind::kMul: return multiply(x, t);
        case BinaryKind::kMax: return {std::max(x.low, t.low), std::max(x.high, t.high)};
        case BinaryKind::kMin: return {std::min(x.low, t.low), std::min(x.high, t.high)};
    }
    return {-kInfinity, kInfinity};
}

Interval image(Interval x, const BasicOp& op) {
    if (const auto* scale = std::get_if<Scale>(&op)) {
        return multiply(x, {scale->by.min(), scale->by.max()});
    }
    if (const auto* shift = std::get_if<Shift>(&op)) {
        return {x.low + shift->by.min(), x.high + shift->by.max()};
    }
    if (std::holds_alternative<Round>(op)) {
        return {std::nearbyint(x.low), std::nearbyint(x.high)};
    }
    if (const auto* clip = std::get_if<Clip>(&op)) {
        return {std::min<double>(std::max<double>(x.low, clip->low.min()), clip->high.min()),
                std::min<double>(std::max<double>(x.high, clip->low.max()), clip->high.max())};
    }
    if (const auto* eltwise = std::get_if<Eltwise>(&op)) {
        return image(x, *eltwise);
    }
    if (const auto* prelu = std::get_if<Prelu>(&op)) {
        const Interval below =
            multiply({std::min(x.low, 0.0), 0.0}, {prelu->slope.min(), prelu->slope.max()});
        return {std::min(below.low, std::max(x.low, 0.0)),
                std::max(below.high, std::max(x.high, 0.0))};
    }
    return image(x, std::get<Binary>(op));
}

// The analysis computes in double what the chain computes in float; bounds are widened by more
// than a float's rounding unless they are exact.
Interval widen(Interval x) {
    constexpr double kSlack = 1e-5;
    const auto slack = [](double v) {
        return std::isfinite(v) && v != std::nearbyint(v) ? std::abs(v) * kSlack : 0.0;
    };
    return {x.low - slack(x.low), x.high + slack(x.high)};
}

}  // namespace

Interval interval_before(const Chain& chain, std::size_t at, const SimplifyOptions& options) {
    Interval x{options.input_low, options.input_high};
    for (std::size_t i = 0; i < at; ++i) {
        x = widen(image(x, chain.ops[i]));
        if (std::isnan(x.low) || std::isnan(x.high)) {  // infinity - infinity
            x = {-kInfinity, kInfinity};
        }
    }
    return x;
}

bool integers_before(const Chain& chain, std::size_t at) {
    bool integers = false;
    for (std::size_t i = 0; i < at; ++i) {
        const BasicOp& op = chain.ops[i];
        if (std::holds_alternative<Round>(op)) {
            integers = true;
        } else if (const auto* shift = std::get_if<Shift>(&op)) {
            integers = integers && all_integers(shift->by);
        } else if (const auto* clip = std::get_if<Clip>(&op)) {
            const auto whole = [](float v) { return std::isinf(v) || v == std::nearbyint(v); };
            integers = integers && all(clip->low, whole) && all(clip->high, whole);
        } else if (const auto* eltwise = std::get_if<Eltwise>(&op)) {
            const bool keeps = (eltwise->kind == EltwiseKind::kRelu && eltwise->alpha == 0.0f) ||
                               eltwise->kind == EltwiseKind::kAbs ||
                               eltwise->kind == EltwiseKind::kSquare;
            integers = integers && keeps && eltwise->scale == 1.0f;
        } else if (const auto* scale = std::get_if<Scale>(&op)) {
            integers = integers && all_integers(scale->by);
        } else {
            integers = false;
        }
    }
    return integers;
}

Interval range_of(ElementType type) {
    switch (type) {
        case ElementType::u8: return {0.0, 255.0};
        case ElementType::i8: return {-128.0, 127.0};
        case ElementType::i32: return {-2147483648.0, 2147483647.0};
        default:
            throw Error("compile", "a chain of basic operations cannot store " + to_string(type));
    }
}

}  // namespace fuseq::post_ops
