// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of tensors in the text form of a Model:
//   {1,2.5,-3}          every element, row-major; "nan" or bits(7fc00001) for other NaNs
//   fill(0.5)           all elements equal
//   iota  iota(5,-1)    start + i * step, 0 and 1 unless given
//   random(seed)        real: uniform in [-1, 1); integers: the type's range, at most [-128, 255]
//                       (nf4 takes the nearest of its values, here and above)
//   random(seed,lo,hi)  real: [lo, hi); integers: [lo, hi]
//   #0123456789abcdef   a hash of the bytes; cannot be read back
#pragma once

#include <string>
#include <string_view>

#include "fuseq/tensor.hpp"

namespace fuseq {

std::string tensor_values_to_text(const Tensor& tensor, std::size_t inline_limit);
// Throws Error("text", rule).
Tensor tensor_values_from_text(std::string_view text, ElementType type, const Shape& shape);
// One element, as in {...}.
std::string element_to_text(const Tensor& tensor, std::size_t index);

}  // namespace fuseq
