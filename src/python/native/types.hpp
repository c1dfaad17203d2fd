// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types in Python, and what NumPy has for them.
#pragma once

#include <optional>

#include <pybind11/numpy.h>

#include "fuseq/element_type.hpp"

namespace fuseq::python {

// fuseq.Type.
struct PyType {
    ElementType type = ElementType::undefined;
};

// The dtype of the memory of a type. What NumPy does not have is seen as bits: bf16 as uint16,
// packed types as bytes.
pybind11::dtype dtype_of(ElementType type);
// The type of a dtype; nothing for what no tensor holds (complex, text, objects, big endian).
std::optional<ElementType> type_of(const pybind11::dtype& dtype);
// A fuseq.Type, a dtype or what numpy.dtype() takes, or a name such as "f32". Throws TypeError.
ElementType type_from(const pybind11::object& value);
// Whether an array of dtype_of() holds the values themselves.
bool is_in_numpy(ElementType type);

}  // namespace fuseq::python
