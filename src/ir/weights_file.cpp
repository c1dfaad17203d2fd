// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/weights_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

class Descriptor {
public:
    explicit Descriptor(int value) : value_(value) {}
    ~Descriptor() {
        if (value_ >= 0) {
            ::close(value_);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int value() const { return value_; }

private:
    int value_;
};

[[noreturn]] void fail_to_read(const std::filesystem::path& path, std::string rule) {
    throw Error(Error::Info{.stage = "read",
                            .file = path.string(),
                            .layer_id = {},
                            .layer = {},
                            .op = {},
                            .rule = std::move(rule)});
}

std::string reason() {
    return std::generic_category().message(errno);
}

}  // namespace

std::shared_ptr<const WeightsFile> WeightsFile::open(const std::filesystem::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.value() < 0) {
        fail_to_read(path, fmt::format("cannot open the weights: {}", reason()));
    }
    struct stat status {};
    if (::fstat(file.value(), &status) != 0) {
        fail_to_read(path, fmt::format("cannot read the size of the weights: {}", reason()));
    }
    if (!S_ISREG(status.st_mode)) {
        fail_to_read(path, "the weights are not a file");
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) {  // an empty mapping is not allowed
        return std::shared_ptr<const WeightsFile>(new WeightsFile(nullptr, 0));
    }
    void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value(), 0);
    if (memory == MAP_FAILED) {
        fail_to_read(path, fmt::format("cannot map the weights: {}", reason()));
    }
    return std::shared_ptr<const WeightsFile>(
        new WeightsFile(static_cast<const std::byte*>(memory), size));
}

WeightsFile::~WeightsFile() {
    if (data_ != nullptr) {
        ::munmap(const_cast<std::byte*>(data_), size_);
    }
}

}  // namespace fuseq
