// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "op_cases/op_case.hpp"

namespace fuseq::op_cases {

// Values as the input describes them, that f32 holds exactly: both sides of a comparison start
// from the same numbers.
Tensor random_tensor(const Input& input, const Shape& shape, std::mt19937_64& random);
// The value of a Const: what is written out, else random values.
Tensor tensor_of(const Input& input, std::mt19937_64& random);

}  // namespace fuseq::op_cases
