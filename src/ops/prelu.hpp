// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/shape.hpp"

namespace fuseq {

// The shape under which the slope of a PReLU broadcasts to x by numpy rules: [1, C, 1, ...] for a
// slope [C] of as many values as x has channels, else its own shape.
PartialShape prelu_slope_shape(const PartialShape& x, const PartialShape& slope);

}  // namespace fuseq
