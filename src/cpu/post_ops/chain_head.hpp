// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How a simplified chain begins, for kernels whose registers hold a fixed form: what of the chain
// has this form, and how many operations that is. The others are left to a fused eltwise.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/post_ops/support.hpp"

namespace fuseq::post_ops {

// x * scale + shift, two roundings.
struct AffineHead {
    std::optional<Values> scale;  // nothing: the chain does not begin with it
    std::optional<Values> shift;
    std::size_t consumed = 0;  // basic operations of the chain
};
AffineHead affine_head(const Chain& chain);
// Whether the chain is a scale and a shift and nothing more.
Support is_affine(const Chain& chain);

// Whether it is one of several results that a kernel stores of one value: a scale, a shift or both
// before bytes, or nothing but the store.
bool is_requantization(const Chain& chain);

// A scale, a bias, one slope for negative values, a shift and bounds, in this order; each may be
// absent.
struct PiecewiseLinearHead {
    std::vector<float> scale{1.0f};
    std::vector<float> bias;
    std::vector<float> slope;
    float shift = 0.0f;
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();
    std::size_t consumed = 0;
};
// Of finite numbers only.
PiecewiseLinearHead piecewise_linear_head(const Chain& chain);

// An elu, its scale and one shift.
struct EluTail {
    float alpha = 1.0f;
    float scale = 1.0f;
    float shift = 0.0f;
};
// Of finite numbers, if the operations from number `first` on are one and nothing more.
std::optional<EluTail> elu_tail(const Chain& chain, std::size_t first);

// The operations from number `first` on.
Chain chain_from(const Chain& chain, std::size_t first);
// The first `count` operations; their result is stored as `dst_type`.
Chain chain_until(const Chain& chain, std::size_t count, ElementType dst_type);

}  // namespace fuseq::post_ops
