// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A loaded shared library, unloaded with its owner or never.
#pragma once

#include <memory>
#include <string>

namespace fuseq {

class SharedLibrary {
public:
    // kNever: what the library has allocated, and its code, stay valid until the process ends.
    enum class Unload { kWithOwner, kNever };
    // Throws Error("plugin") with the text of dlopen.
    explicit SharedLibrary(const std::string& path, Unload unload = Unload::kWithOwner);
    ~SharedLibrary();
    SharedLibrary(const SharedLibrary&) = delete;
    SharedLibrary& operator=(const SharedLibrary&) = delete;

    const std::string& path() const { return path_; }
    // Throws Error("plugin") naming the library when it has no such symbol.
    void* symbol(const char* name) const;

private:
    std::string path_;
    void* handle_;
};

// Folder of libfuseq.so (or of the program, when it is linked statically).
std::string runtime_folder();

}  // namespace fuseq
