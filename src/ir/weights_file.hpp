// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The .bin file of a model, mapped into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "model/mapped_memory.hpp"

namespace fuseq {

class WeightsFile {
public:
    // Throws Error("read", ...) naming the file and the reason.
    static std::shared_ptr<const WeightsFile> open(const std::filesystem::path& path);
    ~WeightsFile();
    WeightsFile(const WeightsFile&) = delete;
    WeightsFile& operator=(const WeightsFile&) = delete;

    const std::byte* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    WeightsFile(const std::byte* data, std::size_t size)
        : data_(data), size_(size), mapped_(data, size) {}

    const std::byte* data_;
    std::size_t size_;
    MappedMemory mapped_;
};

}  // namespace fuseq
