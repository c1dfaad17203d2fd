// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/broadcast.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace fuseq {
namespace {

// Number of leading dimensions of `a` before `b` begins.
std::int64_t alignment(std::size_t rank_a,
                       std::size_t rank_b,
                       AutoBroadcast mode,
                       std::int64_t axis) {
    if (mode == AutoBroadcast::kPdpd && axis != -1) {
        return axis;
    }
    return static_cast<std::int64_t>(rank_a) - static_cast<std::int64_t>(rank_b);
}

// One dimension of the result; false when the two do not fit.
bool broadcast_dimension(Dimension& out, const Dimension& a, const Dimension& b, bool both_ways) {
    if (b == Dimension(1)) {
        out = a;
        return true;
    }
    if (a == Dimension(1) && both_ways) {
        out = b;
        return true;
    }
    if (a.is_static() && b.is_static()) {
        out = a;
        return a == b;
    }
    // At least one is open: a known size above one decides, as the other must be 1 or equal.
    if (a.is_static()) {
        out = a;
        return b.contains(a) || b.contains(Dimension(1)) || b.compatible(a);
    }
    if (b.is_static()) {
        out = both_ways ? b : a;
        return a.compatible(b) || (both_ways && a.contains(Dimension(1)));
    }
    out = a.get_min_length() > 1 ? a : b.get_min_length() > 1 ? b : Dimension::dynamic();
    return true;
}

bool broadcast_into(PartialShape& out,
                    const PartialShape& a,
                    const PartialShape& b,
                    AutoBroadcast mode,
                    std::int64_t axis) {
    if (!a.rank_is_static() || !b.rank_is_static()) {
        out = PartialShape::dynamic();
        return true;
    }
    if (mode == AutoBroadcast::kNone) {
        out = a.is_static() ? a : b;
        return a.compatible(b);
    }
    if (mode == AutoBroadcast::kNumpy && b.rank() > a.rank()) {
        return broadcast_into(out, b, a, mode, axis);
    }
    const std::int64_t shift = alignment(a.rank(), b.rank(), mode, axis);
    // The axis comes from a file: it is not added to before it is known to be small.
    if (shift < 0 || b.rank() > a.rank() ||
        shift > static_cast<std::int64_t>(a.rank() - b.rank())) {
        return false;
    }
    out = a;
    for (std::size_t i = 0; i < b.rank(); ++i) {
        const auto at = static_cast<std::size_t>(shift) + i;
        if (!broadcast_dimension(out[at], a[at], b[i], mode == AutoBroadcast::kNumpy)) {
            return false;
        }
    }
    return true;
}

std::vector<std::size_t> aligned_strides(const Shape& from, const Shape& to, std::size_t shift) {
    std::vector<std::size_t> strides(to.size(), 0);
    std::size_t stride = 1;
    for (std::size_t i = from.size(); i-- > 0;) {
        if (from[i] != 1) {
            strides.at(shift + i) = stride;
        }
        stride *= from[i];
    }
    return strides;
}

}  // namespace

PartialShape broadcast_shapes(const InferContext& context,
                              const PartialShape& a,
                              const PartialShape& b,
                              AutoBroadcast mode,
                              std::int64_t axis) {
    PartialShape out;
    context.require(broadcast_into(out, a, b, mode, axis), "shapes ", to_string(a), " and ",
                    to_string(b), " cannot be broadcast",
                    mode == AutoBroadcast::kNone ? " (auto_broadcast is none)" : "");
    return out;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, AutoBroadcast mode, std::int64_t axis) {
    PartialShape out;
    if (!broadcast_into(out, a, b, mode, axis)) {
        throw Error("infer", fmt::format("shapes {} and {} cannot be broadcast", to_string(a),
                                         to_string(b)));
    }
    return out.to_shape();
}

std::vector<std::size_t> broadcast_strides(const Shape& from, const Shape& to) {
    return aligned_strides(from, to, to.size() - from.size());
}

std::vector<std::size_t> pdpd_strides(const Shape& from, const Shape& to, std::int64_t axis) {
    return aligned_strides(from, to,
                           axis == -1 ? to.size() - from.size() : static_cast<std::size_t>(axis));
}

StridedLoop::StridedLoop(const Shape& shape, std::vector<std::vector<std::size_t>> strides)
    : shape_(shape),
      strides_(std::move(strides)),
      index_(shape.size(), 0),
      offsets_(strides_.size(), 0),
      size_(shape_size(shape)) {
    if (!shape_.empty()) {
        inner_size_ = shape_.back();
    }
    for (const auto& set : strides_) {
        inner_strides_.push_back(shape_.empty() ? 0 : set.back());
    }
}

// To the first element of the next row.
void StridedLoop::next_row() {
    inner_ = 0;
    for (std::size_t t = 0; t < offsets_.size(); ++t) {
        offsets_[t] -= inner_strides_[t] * (inner_size_ - 1);
    }
    for (std::size_t d = shape_.size() - (shape_.empty() ? 0 : 1); d-- > 0;) {
        const bool wrap = ++index_[d] == shape_[d];
        for (std::size_t t = 0; t < offsets_.size(); ++t) {
            offsets_[t] += strides_[t][d];
            if (wrap) {
                offsets_[t] -= strides_[t][d] * shape_[d];
            }
        }
        if (!wrap) {
            return;
        }
        index_[d] = 0;
    }
}

}  // namespace fuseq
