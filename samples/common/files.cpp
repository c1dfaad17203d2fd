// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/files.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <vector>

#include <fmt/core.h>

#include "common/npy.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;

bool is_kept(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::string file_name_of(std::string_view layer) {
    std::string name(layer);
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !is_kept(c); }, '_');
    return name;
}

std::string short_file_name_of(std::string_view name) {
    constexpr std::size_t kLongest = 80;
    return file_name_of(name).substr(0, kLongest);
}

TensorFolder::TensorFolder(const std::string& folder) : folder_(folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw Error("write", fmt::format("cannot make folder '{}': {}", folder, error.message()));
    }
}

void TensorFolder::write(const std::string& name, const Tensor& tensor) {
    const std::string file = file_name_of(name) + ".npy";
    const auto [known, added] = written_.emplace(file, name);
    if (!added && known->second != name) {
        throw Error("write", fmt::format("'{}' and '{}' would both be written to {}", known->second,
                                         name, file));
    }
    const std::string path = (fs::path(folder_) / file).string();
    const ElementType type = numpy_type(tensor.get_element_type());
    write_npy(path, tensor.get_element_type() == type ? tensor : tensor.to(type));
}

Tensor read_input(const std::string& folder, const Output& port) {
    std::vector<std::string> names(port.get_names().begin(), port.get_names().end());
    std::sort(names.begin(), names.end());
    names.insert(names.begin(), port.node->name());
    std::vector<std::string> files;
    for (const std::string& name : names) {
        files.push_back(file_name_of(name) + ".npy");
        files.push_back(short_file_name_of(name) + ".npy");
    }
    std::string tried;
    for (const std::string& file : files) {
        const fs::path path = fs::path(folder) / file;
        std::error_code too_long;
        if (fs::exists(path, too_long)) {
            return read_npy(path.string());
        }
        if (tried.find("'" + file + "'") == std::string::npos) {
            tried += fmt::format("{}'{}'", tried.empty() ? "" : " or ", file);
        }
    }
    throw Error("read", fmt::format("input '{}': there is no {} in '{}'", port.node->name(), tried,
                                    folder));
}

}  // namespace fuseq::samples
