// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The developers' set of quantized models beside the project (../shared/prequantized/README.md).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::test {

std::filesystem::path prequantized_folder();
// Folders with a file of this name, sorted; none where the set is missing.
std::vector<std::filesystem::path> prequantized_models(const std::string& file);
// "Identity:0" -> "Identity_0.npy"
std::string prequantized_file_name(const std::string& tensor);
// Inputs of run `run`; empty where there is none.
std::vector<Tensor> prequantized_inputs(const std::filesystem::path& folder,
                                        const Model& model,
                                        int run);

}  // namespace fuseq::test
