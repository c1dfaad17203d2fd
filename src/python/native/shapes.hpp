// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes in Python: fuseq.Shape is a list of sizes; shapes with open dimensions come as
// fuseq.PartialShape, a list, a tuple or text.
#pragma once

#include <pybind11/pybind11.h>

#include "fuseq/shape.hpp"

namespace fuseq::python {

// A PartialShape, text ("[1,3,?,2..8]"), or a sequence of sizes, -1, (min, max), Dimensions, text.
// Throws TypeError for anything else, Error for text that is no shape.
PartialShape partial_shape_from(const pybind11::object& value);
// The same where all sizes must be known.
Shape shape_from(const pybind11::object& value);

}  // namespace fuseq::python
