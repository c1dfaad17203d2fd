// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/cache/model_cache.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "cpu/cache/build_id.hpp"
#include "cpu/cache/model_files.hpp"
#include "cpu/machine/traits.hpp"
#include "ir/weights_file.hpp"
#include "model/hash.hpp"
#include "model/mapped_memory.hpp"

namespace fuseq::cpu {
namespace {

namespace fs = std::filesystem;

// ISA and threads are part of the name, so that machines that share a folder do not take each
// other's place; the build is not, so that a new one replaces what the old one left.
std::string file_name(const BlobHeader& header) {
    const std::string rest = fmt::format("{}|{}", header.isa, header.options);
    return fmt::format("{:016x}{:016x}.blob",
                       hash_bytes(rest.data(), rest.size(), header.key.first),
                       hash_bytes(rest.data(), rest.size(), header.key.second));
}

// Unlike every other of this process and of the processes that run now.
fs::path temporary_name(const fs::path& file) {
    static std::atomic<unsigned> counter{0};
    fs::path name = file;
    name += fmt::format(".{}.{}.tmp", ::getpid(), counter++);
    return name;
}

std::string reason() {
    return std::generic_category().message(errno);
}

}  // namespace

BlobHeader expected_header(const Config& config, const ModelKey& key) {
    const Placement placement = config.placement();
    return {build_id(), machine_traits().text(),
            fmt::format("{}; threads={}{}", config.compile_options(), placement.threads,
                        placement.uneven ? " uneven" : ""),
            key};
}

std::string difference(const BlobHeader& found, const BlobHeader& expected) {
    if (found.build != expected.build) {
        return fmt::format("was made by build '{}', this is '{}'", found.build, expected.build);
    }
    if (found.isa != expected.isa) {
        return fmt::format("was made for {}, this is {}", found.isa, expected.isa);
    }
    if (found.options != expected.options) {
        return fmt::format("was made with '{}', asked for is '{}'", found.options,
                           expected.options);
    }
    if (found.key.first != expected.key.first || found.key.second != expected.key.second) {
        return "was made of another model";
    }
    return {};
}

ModelCache::ModelCache(const Config& config, const Model& model)
    : ModelCache(config, key_of_model(model, config.threads_to_compile()), {}) {}

ModelCache::ModelCache(const Config& config, const ModelFiles& files)
    : ModelCache(config, files.key(), files.weights()) {}

ModelCache::ModelCache(const Config& config, const ModelKey& key, Tensor weights)
    : header_(expected_header(config, key)),
      weights_(std::move(weights)),
      threads_(config.threads_to_compile()),
      folder_(config.cache_dir),
      file_(folder_ / file_name(header_)) {}

std::optional<PlanSource> ModelCache::load() {
    std::error_code error;
    if (!fs::exists(file_, error)) {
        status_ = fmt::format("miss: {} is not there", file_.string());
        return std::nullopt;
    }
    try {
        const Tensor bytes = mapped_file(file_);
        const std::string why = difference(read_blob_header(bytes, threads_), header_);
        let_go_of_pages(bytes);  // the checksum has read them all
        if (why.empty()) {
            PlanSource content = read_blob_content(bytes, weights_);
            status_ = fmt::format("hit: {}", file_.string());
            return content;
        }
        status_ = fmt::format("rejected: {} {}", file_.string(), why);
    } catch (const Error& failure) {
        status_ = fmt::format("rejected: {} {}", file_.string(), failure.info().rule);
    }
    return std::nullopt;
}

void ModelCache::write(const PlanSource& content) const {
    std::error_code error;
    fs::create_directories(folder_, error);
    const fs::path temporary = temporary_name(file_);
    errno = 0;
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    if (!out) {
        throw Error("cache", fmt::format("cannot create {}: {}", temporary.string(), reason()));
    }
    write_blob(out, header_, content, weights_);
    out.close();
    if (!out) {
        const std::string why = reason();
        fs::remove(temporary, error);
        throw Error("cache", fmt::format("cannot write {}: {}", temporary.string(), why));
    }
    fs::rename(temporary, file_, error);
    if (error) {
        std::error_code ignored;
        fs::remove(temporary, ignored);
        throw Error("cache",
                    fmt::format("cannot rename {}: {}", temporary.string(), error.message()));
    }
}

void ModelCache::store(const PlanSource& content) {
    const bool anew = status_.rfind("rejected", 0) == 0;
    try {
        write(content);
        status_ += anew ? "; stored anew" : "; stored";
    } catch (const Error& error) {
        status_ += fmt::format("; not stored: {}", error.info().rule);
    }
}

}  // namespace fuseq::cpu
