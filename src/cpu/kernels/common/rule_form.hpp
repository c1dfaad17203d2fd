// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How a kernel with AVX-512 gets from the sum of a channel, i32, to an integer, where that is not
// the nearest integer of a value rounded once. `x` is f32(sum).
#pragma once

#include <cstdint>

namespace fuseq::kernels {

enum class RuleForm : std::uint8_t {
    kFloor,          // floor(x * scale + fma(x, rest, bias)); floored_rounding.hpp
    kReal,           // rint(x * scale) + bias, which is an integer
    kRealZeroFirst,  // rint(x * scale + bias), three roundings
};

}  // namespace fuseq::kernels
