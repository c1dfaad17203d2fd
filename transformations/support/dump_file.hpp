// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace fuseq {

// Writes a text file into a folder, which is made if it is not there. Throws Error of that stage.
void write_dump(const std::string& folder,
                const std::string& file,
                const std::string& text,
                std::string_view stage);

// "007_name.txt": files in the order of the passes.
std::string dump_name(std::size_t number, std::string_view name);

}  // namespace fuseq
