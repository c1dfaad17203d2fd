// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes a Model as an OpenVINO IR v11, as preprocessing, reshape() or a program made it.
#pragma once

#include <string>

#include "fuseq/model.hpp"

namespace fuseq {

// An empty bin_path stands for the name of the .xml with the extension .bin. Files are replaced only
// when everything was written. Throws Error (stage "write").
void save_model(const Model& model, const std::string& xml_path, const std::string& bin_path = {});

}  // namespace fuseq
