// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How a kernel gets from the sum of a channel, i32, to an integer, where that is not the nearest
// integer of a value rounded once. `x` is f32(sum).
#pragma once

#include <cstdint>
#include <optional>

#include "cpu/kernels/common/rounding_mode.hpp"

namespace fuseq::kernels {

enum class RuleForm : std::uint8_t {
    // floor(x * scale + fma(x, rest, bias)), all of it rounded down: floored_rounding.hpp
    kFloor,
    kTwoFloors,      // the same with `below` for the bias of sums below 0
    kReal,           // rint(x * scale) + bias, which is an integer
    kRealZeroFirst,  // rint(x * scale + bias), three roundings
    // Of depthwise kernels, shorter ones that fewer rules have.
    kOneFloor,  // floor(x * scale + bias): the native multiply-add, rounded down
    // trunc(x * scale + bias with the sign of x) + zero point, rounded toward zero:
    // mirrored_rounding.hpp
    kMirrored,
};

constexpr bool has_rest(RuleForm form) {
    return form == RuleForm::kFloor || form == RuleForm::kTwoFloors;
}
constexpr bool is_short(RuleForm form) {
    return form == RuleForm::kOneFloor || form == RuleForm::kMirrored;
}
// How all of it is rounded; none: to the nearest.
constexpr std::optional<FloatRounding> rounding_of(RuleForm form) {
    if (form == RuleForm::kMirrored) {
        return FloatRounding::kTowardZero;
    }
    return has_rest(form) || form == RuleForm::kOneFloor ? std::optional(FloatRounding::kDown)
                                                         : std::nullopt;
}

}  // namespace fuseq::kernels
