// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties between Python and C++.
#pragma once

#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "fuseq/any.hpp"
#include "fuseq/error.hpp"

namespace fuseq::python {

// A dict by name, or None. Values: bool, int, float, text, lists of text; anything else by its
// str(), as enumerations are. Throws TypeError.
AnyMap properties_from(const pybind11::object& config);
// As the property's values are spelled: numbers as int, YES and NO as bool, lists as lists.
pybind11::object property_value(const std::string& name, const Any& value);

// Throws the error; one about a property of `given` names the nearest that `known` has.
[[noreturn]] void throw_with_hint(const Error& error,
                                  const std::vector<std::string>& given,
                                  const std::vector<std::string>& known);

}  // namespace fuseq::python
