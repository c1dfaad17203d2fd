// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A library for LD_PRELOAD that proves that code which oneDNN generated is never executed. oneDNN
// writes each generated kernel to a file before its first call (DNNL_JIT_DUMP); of the kernels
// whose names stand in FUSEQ_TRAP_GENERATED, one a line, the bytes in memory become traps then, so
// that a call ends the program by SIGTRAP. At its end the program says on stderr how many there
// were.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>

namespace {

constexpr int kTrap = 0xCC;  // int3
std::atomic<int> trapped{0};
// oneDNN opens a file and writes it at once, in one thread.
thread_local std::FILE* dump = nullptr;

// dnnl_dump_cpu_<kernel>.<number>.bin
bool is_asked(const std::string& file) {
    const char* const names = std::getenv("FUSEQ_TRAP_GENERATED");
    std::istringstream lines(names == nullptr ? "" : names);
    for (std::string name; std::getline(lines, name);) {
        if (!name.empty() && file.starts_with("dnnl_dump_cpu_" + name + ".")) {
            return true;
        }
    }
    return false;
}

void trap(const void* code, std::size_t bytes) {
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(code);
    const std::uintptr_t first = begin / page * page;
    void* const at = reinterpret_cast<void*>(first);  // NOLINT(performance-no-int-to-ptr)
    if (mprotect(at, begin + bytes - first, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
        std::perror("trap_generated: mprotect");
        std::abort();
    }
    std::memset(const_cast<void*>(code), kTrap, bytes);
    ++trapped;
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct Report {
    ~Report() { std::fprintf(stderr, "trap_generated: %d kernels\n", trapped.load()); }
} report;

}  // namespace

extern "C" std::FILE* fopen(const char* name, const char* mode) {
    static auto* const real = next<std::FILE*(const char*, const char*)>("fopen");
    std::FILE* const file = real(name, mode);
    dump = is_asked(name) ? file : nullptr;
    return file;
}

extern "C" std::size_t fwrite(const void* from, std::size_t size, std::size_t n, std::FILE* file) {
    static auto* const real =
        next<std::size_t(const void*, std::size_t, std::size_t, std::FILE*)>("fwrite");
    const std::size_t written = real(from, size, n, file);
    if (dump != nullptr && file == dump) {
        dump = nullptr;
        trap(from, size * n);
    }
    return written;
}
