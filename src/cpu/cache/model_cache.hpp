// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder of compiled models (CACHE_DIR): one file a model, options, ISA and number of threads.
// Any number of processes may use a folder at once: a file appears under its name when it is
// complete, and one that is mapped stays what it was when another takes its name.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cpu/cache/blob.hpp"
#include "cpu/cache/model_files.hpp"

namespace fuseq::cpu {

// What a file must say to be of use here: this build, this ISA, these options.
BlobHeader expected_header(const Config& config, const ModelKey& key);
// In what the file differs, as a sentence; empty when in nothing.
std::string difference(const BlobHeader& found, const BlobHeader& expected);

class ModelCache {
public:
    // The folder need not exist.
    ModelCache(const Config& config, const Model& model);
    // The files of a model, which stay as they are: their content keeps the original too.
    ModelCache(const Config& config, const ModelFiles& files);

    // What the file of the model holds. Nothing when there is none, or none that is of use: then
    // status() says why, and store() replaces it.
    std::optional<PlanSource> load();
    // Never throws: a cache that cannot be written is no reason not to run.
    void store(const PlanSource& content);

    // "hit: FILE", "miss: FILE is not there; stored", "rejected: FILE is damaged (checksum);
    // stored anew", "...; not stored: cannot create FILE: Permission denied".
    const std::string& status() const { return status_; }
    const std::filesystem::path& file() const { return file_; }

private:
    ModelCache(const Config& config, const ModelKey& key, Tensor weights);
    void write(const PlanSource& content) const;

    BlobHeader header_;
    Tensor weights_;  // of the model's files
    std::size_t threads_;
    std::filesystem::path folder_;
    std::filesystem::path file_;
    std::string status_;
};

}  // namespace fuseq::cpu
