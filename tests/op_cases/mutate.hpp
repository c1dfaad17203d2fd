// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Random mistakes in a case: attributes, shapes, types, values, inputs that are missing or too
// many.
#pragma once

#include <random>

#include "op_cases/op_case.hpp"

namespace fuseq::op_cases {

// One to three mistakes. `text` of the result describes all of it.
OpCase mutate(OpCase op_case, std::mt19937_64& random);

}  // namespace fuseq::op_cases
