// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

#include <string>

#include "support/small_model.hpp"

namespace fuseq::test {

inline std::string plugin_path(const std::string& fixture) {
    return std::string(FUSEQ_TEST_PLUGINS) + "/libfixture_" + fixture + ".so";
}

// Whether a library is in memory.
inline bool is_resident(const std::string& path) {
    void* handle = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_NOW);
    if (handle != nullptr) {
        dlclose(handle);
    }
    return handle != nullptr;
}

}  // namespace fuseq::test
