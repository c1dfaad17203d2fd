// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "allocation/counting.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// The C library's own, under names that this file does not replace.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace fuseq::test {
namespace {

constexpr int kDepth = 40;

struct State {
    std::atomic<bool> counting{false};
    std::atomic<std::size_t> allocations{0};
    std::atomic<std::size_t> locks{0};
    std::atomic<std::size_t> in_onednn{0};
    std::atomic<bool> has_first{false};
    void* first[kDepth] = {};
    int first_depth = 0;
};
State state;
thread_local bool inside = false;  // of this file's own calls

bool is_onednn(void* address) {
    Dl_info info;
    return ::dladdr(address, &info) != 0 && info.dli_fname != nullptr &&
           std::strstr(info.dli_fname, "libdnnl") != nullptr;
}

void count(std::atomic<std::size_t>& counter) {
    if (!state.counting.load(std::memory_order_relaxed) || inside) {
        return;
    }
    inside = true;
    void* stack[kDepth];
    const int depth = ::backtrace(stack, kDepth);
    if (std::any_of(stack, stack + depth, is_onednn)) {
        ++state.in_onednn;
    } else {
        ++counter;
        if (&counter == &state.allocations && !state.has_first.exchange(true)) {
            std::copy(stack, stack + depth, state.first);
            state.first_depth = depth;
        }
    }
    inside = false;
}

std::string stack_text() {
    std::string text;
    for (int i = 0; i < state.first_depth; ++i) {
        Dl_info info;
        if (::dladdr(state.first[i], &info) == 0) {
            continue;
        }
        text += "  ";
        text += info.dli_sname != nullptr ? info.dli_sname : "?";
        text += " in ";
        text += info.dli_fname != nullptr ? info.dli_fname : "?";
        text += "\n";
    }
    return text;
}

}  // namespace

Counting::Counting() {
    void* stack[kDepth];
    ::backtrace(stack, kDepth);  // loads what it needs, with allocations
    state.allocations = 0;
    state.locks = 0;
    state.in_onednn = 0;
    state.has_first = false;
    state.counting = true;
}

Counting::~Counting() {
    state.counting = false;
}

Counts Counting::stop() {
    state.counting = false;
    return {state.allocations, state.locks, state.in_onednn,
            state.has_first ? stack_text() : std::string()};
}

}  // namespace fuseq::test

extern "C" {

void* malloc(std::size_t size) noexcept {
    fuseq::test::count(fuseq::test::state.allocations);
    return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept {
    fuseq::test::count(fuseq::test::state.allocations);
    return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept {
    fuseq::test::count(fuseq::test::state.allocations);
    return __libc_realloc(memory, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    fuseq::test::count(fuseq::test::state.allocations);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
    fuseq::test::count(fuseq::test::state.allocations);
    *memory = __libc_memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
    using Function = int (*)(pthread_mutex_t*);
    static const auto next = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    fuseq::test::count(fuseq::test::state.locks);
    return next(mutex);
}

}  // extern "C"
