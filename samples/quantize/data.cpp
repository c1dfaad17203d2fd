// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantize/data.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>

#include "common/pictures/picture_file.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;

bool holds_data(const fs::path& folder) {
    return std::any_of(
        fs::directory_iterator(folder), fs::directory_iterator(), [](const auto& entry) {
            return entry.path().extension() == ".npy" || is_picture_file(entry.path().string());
        });
}

}  // namespace

std::vector<std::string> input_paths(const std::string& data, const std::vector<Output>& inputs) {
    if (!fs::is_directory(data)) {
        throw Error("read", fmt::format("-i: there is no folder '{}'", data));
    }
    std::vector<std::string> folders;
    for (const auto& entry : fs::directory_iterator(data)) {
        if (entry.is_directory() && holds_data(entry.path())) {
            folders.push_back(entry.path().string());
        }
    }
    if (folders.empty() && holds_data(data)) {
        folders.push_back(data);
    }
    if (folders.empty()) {
        throw Error("read", fmt::format("-i: '{}' has no pictures and no folders with <input "
                                        "name>.npy: there is no calibration data",
                                        data));
    }
    std::sort(folders.begin(), folders.end());
    std::vector<std::string> paths;
    for (const std::string& folder : folders) {
        for (const std::string& path : runs_of(folder, inputs)) {
            paths.push_back(path);
        }
    }
    return paths;
}

InputReader::InputReader(std::vector<std::string> paths,
                         const Model& model,
                         PictureOptions pictures)
    : paths_(std::move(paths)), inputs_(model.inputs()), pictures_(std::move(pictures)) {}

std::vector<Tensor> InputReader::read(std::size_t index) {
    constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
    {
        const std::scoped_lock lock(mutex_);
        const auto found = kept_.find(index);
        if (found != kept_.end()) {
            return found->second;
        }
    }
    std::vector<Tensor> tensors;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
        tensors.push_back(read_run_input(paths_.at(index), inputs_, i, pictures_));
        bytes += tensors.back().get_byte_size();
    }
    const std::scoped_lock lock(mutex_);
    if (bytes_ + bytes <= kMaxBytes && kept_.emplace(index, tensors).second) {
        bytes_ += bytes;
    }
    return tensors;
}

}  // namespace fuseq::samples
