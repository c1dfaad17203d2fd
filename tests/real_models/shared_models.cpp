// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "real_models/shared_models.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "common/npy.hpp"

namespace fuseq::test {

namespace fs = std::filesystem;

fs::path shared_folder() {
    const char* shared = std::getenv("FUSEQ_SHARED");
    return shared != nullptr ? fs::path(shared) : fs::path(FUSEQ_SOURCE_DIR) / ".." / "shared";
}

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    if (fs::is_directory(shared_folder() / "models")) {
        for (const auto& entry : fs::directory_iterator(shared_folder() / "models")) {
            if (entry.is_directory()) {
                names.push_back(entry.path().filename().string());
            }
        }
    }
    if (names.empty()) {
        names.emplace_back(kNoModels);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& test) {
    std::string name = test.param;
    for (char& c : name) {
        c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return name;
}

fs::path model_file(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() == ".xml" && name.find(".fp16.") == std::string::npos &&
            name.find(".fp32.") == std::string::npos) {
            return entry.path();
        }
    }
    return {};
}

std::vector<Tensor> golden_inputs(const Model& model, const fs::path& golden) {
    std::vector<Tensor> inputs;
    for (const Output& port : model.inputs()) {
        const fs::path file = golden / "in" / (port.node->name() + ".npy");
        const Tensor value = samples::read_npy(file.string());
        inputs.push_back(value.to(port.type()).reshaped(port.shape()));
    }
    return inputs;
}

}  // namespace fuseq::test
