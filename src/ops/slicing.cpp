// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/slicing.hpp"

#include <algorithm>

namespace fuseq {
namespace {

// From a bound to a position in [low, high].
std::int64_t position(std::int64_t bound, std::int64_t size, std::int64_t low, std::int64_t high) {
    if (bound < 0) {
        bound = bound < -size ? low : bound + size;  // no overflow: size >= 0
    }
    return std::clamp(bound, low, high);
}

// Whether the length never shrinks when the axis grows. It may when one bound counts from the
// front and the other from the end, against the direction of the step.
bool grows_with_size(const SliceRange& range) {
    constexpr std::int64_t kFar = std::int64_t{1} << 31;
    if (range.step > 0) {
        return range.begin >= 0 || range.end < 0 || range.end >= kFar - 1;
    }
    return range.begin < 0 || range.end >= 0 || range.end <= -kFar || range.begin >= kFar - 1;
}

}  // namespace

SliceResult resolve_slice(const SliceRange& range, std::int64_t size) {
    if (range.step > 0) {
        const std::int64_t begin = position(range.begin, size, 0, size);
        const std::int64_t end = position(range.end, size, 0, size);
        const std::int64_t room = std::max<std::int64_t>(0, end - begin);
        return {begin, room == 0 ? 0 : (room - 1) / range.step + 1};
    }
    const std::int64_t begin = position(range.begin, size, -1, size - 1);
    const std::int64_t end = position(range.end, size, -1, size - 1);
    const std::int64_t room = std::max<std::int64_t>(0, begin - end);
    // -(step + 1) does not overflow for the lowest step; the quotient is the same for room > 0.
    const std::int64_t less = -(range.step + 1);
    if (room == 0) {
        return {0, 0};
    }
    return {begin, less >= room ? 1 : (room - 1) / (less + 1) + 1};
}

Dimension slice_length(const SliceRange& range, const Dimension& size) {
    if (size.is_static()) {
        return resolve_slice(range, size.get_length()).length;
    }
    if (range.begin == SliceRange::first(range.step) && range.step == 1 &&
        range.end == SliceRange::kHighest) {
        return size;
    }
    if (!grows_with_size(range)) {
        return Dimension::dynamic();
    }
    const std::int64_t low = resolve_slice(range, size.get_min_length()).length;
    if (size.get_max_length() != Dimension::kUnbounded) {
        return {low, resolve_slice(range, size.get_max_length()).length};
    }
    constexpr std::int64_t kHuge = std::int64_t{1} << 60;
    constexpr std::int64_t kBounded = std::int64_t{1} << 24;
    const std::int64_t high = resolve_slice(range, kHuge).length;
    return {low, high < kBounded ? high : Dimension::kUnbounded};
}

}  // namespace fuseq
