// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A metric that a command of the user's measures.
#pragma once

#include <string>

#include "fuseq/model.hpp"

namespace fuseq::samples {

// Writes the model to a file of its own, runs COMMAND FILE.xml in the shell, and returns the number
// on the last line that it prints. Throws Error when it fails or prints none.
double run_metric(const std::string& command, const Model& model);

}  // namespace fuseq::samples
