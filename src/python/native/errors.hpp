// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors of bad calls: what was given, what is needed.
#pragma once

#include <string>
#include <vector>

#include <pybind11/pybind11.h>

namespace fuseq::python {

// "; did you mean 'x'?" for the known name that is most like it, or nothing.
std::string nearest_hint(const std::string& name, const std::vector<std::string>& known);

// Throws TypeError naming a keyword that `call` does not have, and the nearest that it has.
void refuse_unknown(const pybind11::kwargs& unknown,
                    const char* call,
                    const std::vector<std::string>& known);

}  // namespace fuseq::python
