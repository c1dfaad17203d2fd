// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on Values: computed in double, rounded to float once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"

namespace fuseq::post_ops {

// f(a, b) for each channel; a per-tensor operand is used for every channel.
template <class F>
Values combine(const Values& a, const Values& b, F&& f) {
    std::vector<float> out(std::max(a.size(), b.size()));
    for (std::size_t c = 0; c < out.size(); ++c) {
        out[c] = static_cast<float>(f(static_cast<double>(a[c]), static_cast<double>(b[c])));
    }
    return {std::move(out)};
}

template <class F>
Values map(const Values& a, F&& f) {
    return combine(a, a, [&](double x, double) { return f(x); });
}

template <class F>
bool all(const Values& values, F&& predicate) {
    return std::all_of(values.list().begin(), values.list().end(), predicate);
}

bool all_finite(const Values& values);
bool all_integers(const Values& values);

// a * b for finite operands, 0 * infinity being 0 (a bound of a clip times a scale of 0); nothing
// when a product of finite factors overflows or vanishes.
std::optional<Values> product(const Values& a, const Values& b);
// a + b; nothing when a sum of finite addends overflows.
std::optional<Values> sum(const Values& a, const Values& b);

// Number of channels of the per-channel values in a list, 1 when there are none. Throws Error when
// they differ.
std::size_t channels_of(const std::vector<BasicOp>& ops);

// First channel for which the predicate holds; for reasons.
template <class F>
std::size_t first_channel(const Values& values, F&& predicate) {
    const auto found = std::find_if(values.list().begin(), values.list().end(), predicate);
    return static_cast<std::size_t>(found - values.list().begin());
}

}  // namespace fuseq::post_ops
