// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How a kernel with AVX-512 gets from the sum of a channel, i32, to an integer, where that is not
// the nearest integer of a value rounded once. `x` is f32(sum).
#pragma once

#include <cstdint>

namespace fuseq::kernels {

enum class RuleForm : std::uint8_t {
    // floor(x * scale + fma(x, rest, bias)), all of it rounded down: floored_rounding.hpp
    kFloor,
    kTwoFloors,      // the same with `below` for the bias of sums below 0
    kReal,           // rint(x * scale) + bias, which is an integer
    kRealZeroFirst,  // rint(x * scale + bias), three roundings
};

constexpr bool is_floor(RuleForm form) {
    return form == RuleForm::kFloor || form == RuleForm::kTwoFloors;
}

}  // namespace fuseq::kernels
