// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of the quantizer as pairs of texts, for the C API.
#pragma once

#include <string>

#include "fuseq/quantizer.hpp"

namespace fuseq {

// Throws Error for a name that is not known, naming the nearest one, and for a value that does not
// fit, naming those that do.
void set_option(QuantizerOptions& options, const std::string& name, const std::string& value);

}  // namespace fuseq
