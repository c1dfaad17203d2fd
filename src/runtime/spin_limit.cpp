// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/spin_limit.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace fuseq {
namespace {

constexpr const char* kVariable = "GOMP_SPINCOUNT";

bool libgomp_is_loaded() {
    void* library = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) {
        return false;
    }
    dlclose(library);
    return true;
}

}  // namespace

SpinLimit::SpinLimit() {
    if (std::getenv(kVariable) == nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr &&
        !libgomp_is_loaded()) {
        set_ = setenv(kVariable, kSpinCount, 1) == 0;
    }
}

SpinLimit::~SpinLimit() {
    if (set_) {
        unsetenv(kVariable);
    }
}

}  // namespace fuseq
