// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/dump_file.hpp"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "fuseq/error.hpp"

namespace fuseq {

void write_dump(const std::string& folder,
                const std::string& file,
                const std::string& text,
                std::string_view stage) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        throw Error(std::string(stage),
                    fmt::format("cannot make folder '{}': {}", folder, error.message()));
    }
    const auto path = std::filesystem::path(folder) / file;
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out) {
        throw Error(std::string(stage), fmt::format("cannot write '{}'", path.string()));
    }
}

std::string dump_name(std::size_t number, std::string_view name) {
    return fmt::format("{:03}_{}.txt", number, name);
}

}  // namespace fuseq
