// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/prequantized.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "common/npy.hpp"

namespace fuseq::test {

namespace fs = std::filesystem;

fs::path prequantized_folder() {
    const char* set = std::getenv("FUSEQ_SHARED");
    return (set != nullptr ? fs::path(set) : fs::path(FUSEQ_SOURCE_DIR) / "../shared") /
           "prequantized";
}

std::vector<fs::path> prequantized_models(const std::string& file) {
    std::vector<fs::path> folders;
    if (fs::exists(prequantized_folder())) {
        for (const auto& entry : fs::directory_iterator(prequantized_folder())) {
            if (fs::exists(entry.path() / file)) {
                folders.push_back(entry.path());
            }
        }
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

std::string prequantized_file_name(const std::string& tensor) {
    std::string name = tensor;
    std::replace_if(
        name.begin(), name.end(),
        [](unsigned char c) { return std::isalnum(c) == 0 && c != '.' && c != '-' && c != '_'; },
        '_');
    return name.substr(0, 80) + ".npy";
}

std::vector<Tensor> prequantized_inputs(const fs::path& folder, const Model& model, int run) {
    std::vector<Tensor> inputs;
    const fs::path files = folder / "in" / std::to_string(run);
    if (fs::exists(files)) {
        inputs.reserve(model.parameters().size());
        for (const Node* parameter : model.parameters()) {
            inputs.push_back(
                samples::read_npy((files / prequantized_file_name(parameter->name())).string()));
        }
    }
    return inputs;
}

}  // namespace fuseq::test
