// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/shared_library.hpp"

#include <dlfcn.h>

#include <filesystem>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

std::string loader_error() {
    const char* text = dlerror();
    return text == nullptr ? "unknown reason" : text;
}

// Any object of this library: dladdr tells which file it was loaded from.
const char kAnchor = 0;

}  // namespace

SharedLibrary::SharedLibrary(const std::string& path, Unload unload)
    : path_(path),
      handle_(dlopen(path.c_str(),
                     RTLD_NOW | RTLD_LOCAL | (unload == Unload::kNever ? RTLD_NODELETE : 0))) {
    if (handle_ == nullptr) {
        throw Error("plugin", fmt::format("cannot load '{}': {}", path, loader_error()));
    }
}

SharedLibrary::~SharedLibrary() {
    dlclose(handle_);
}

void* SharedLibrary::symbol(const char* name) const {
    void* found = dlsym(handle_, name);
    if (found == nullptr) {
        throw Error("plugin",
                    fmt::format("'{}' is no Fuseq plugin: it has no symbol {}", path_, name));
    }
    return found;
}

std::string runtime_folder() {
    Dl_info info{};
    if (dladdr(&kAnchor, &info) == 0 || info.dli_fname == nullptr) {
        throw Error("plugin", "cannot tell where the runtime library is");
    }
    std::error_code ignored;
    const auto real = std::filesystem::canonical(info.dli_fname, ignored);
    return (ignored ? std::filesystem::path(info.dli_fname) : real).parent_path().string();
}

}  // namespace fuseq
