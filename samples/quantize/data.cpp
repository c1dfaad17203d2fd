// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantize/data.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "common/files.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;

bool holds_tensors(const fs::path& folder) {
    return std::any_of(fs::directory_iterator(folder), fs::directory_iterator(),
                       [](const auto& entry) { return entry.path().extension() == ".npy"; });
}

}  // namespace

std::vector<std::string> input_folders(const std::string& data) {
    if (!fs::is_directory(data)) {
        throw Error("read", fmt::format("-i: there is no folder '{}'", data));
    }
    std::vector<std::string> folders;
    for (const auto& entry : fs::directory_iterator(data)) {
        if (entry.is_directory() && holds_tensors(entry.path())) {
            folders.push_back(entry.path().string());
        }
    }
    if (folders.empty() && holds_tensors(data)) {
        folders.push_back(data);
    }
    if (folders.empty()) {
        throw Error(
            "read",
            fmt::format(
                "-i: '{}' has no folders with <input name>.npy: there is no calibration data",
                data));
    }
    std::sort(folders.begin(), folders.end());
    return folders;
}

std::vector<Tensor> read_inputs(const std::string& folder, const Model& model) {
    std::vector<Tensor> tensors;
    for (const Output& input : model.inputs()) {
        tensors.push_back(read_input(folder, input));
    }
    return tensors;
}

}  // namespace fuseq::samples
