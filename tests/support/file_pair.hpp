// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The two files of a model as one string, for fuzzing.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace fuseq::test {

struct FilePair {
    std::string first;
    std::string second;
};

// The length of the first file, both files.
inline std::string join_files(const std::string& first, const std::string& second) {
    const std::uint64_t size = first.size();
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + first + second;
}

inline FilePair split_files(const std::string& joined) {
    std::uint64_t size = 0;
    std::memcpy(&size, joined.data(), sizeof size);
    return {joined.substr(sizeof size, size), joined.substr(sizeof size + size)};
}

}  // namespace fuseq::test
