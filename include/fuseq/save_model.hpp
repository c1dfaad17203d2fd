// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writing a Model as an OpenVINO IR.
#pragma once

#include <string>

#include "fuseq/model.hpp"

namespace fuseq {

// Writes `xml` and the values of constants to `bin`, when empty the .xml's name with .bin.
// `ir_version` is 10 or 11. Files are replaced only when everything was written, so a model may be
// written over the files that it was read from. Throws Error, stage "write".
void save_model(const Model& model,
                const std::string& xml,
                const std::string& bin = {},
                int ir_version = 11);

}  // namespace fuseq
