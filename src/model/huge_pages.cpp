// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/huge_pages.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fuseq {

#if defined(__linux__)
namespace {

constexpr std::size_t kSmallPage = 4096;

std::size_t whole_pages(std::size_t bytes) {
    return (bytes + kSmallPage - 1) / kSmallPage * kSmallPage;
}

}  // namespace

void* map_huge_pages(std::size_t bytes) noexcept {
    if (bytes == 0 || bytes > SIZE_MAX - 2 * kHugePage) {
        return nullptr;
    }
    // One page more, of which what is before the first boundary and after the last goes.
    const std::size_t size = whole_pages(bytes);
    const std::size_t mapped = size + kHugePage;
    void* const memory =
        ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return nullptr;
    }
    char* const first = static_cast<char*>(memory);
    const std::size_t before =
        (kHugePage - reinterpret_cast<std::uintptr_t>(first) % kHugePage) % kHugePage;
    if (before != 0) {
        ::munmap(first, before);
    }
    ::munmap(first + before + size, mapped - before - size);
    static_cast<void>(::madvise(first + before, size, MADV_HUGEPAGE));  // a hint
    return first + before;
}

void unmap_huge_pages(void* memory, std::size_t bytes) noexcept {
    ::munmap(memory, whole_pages(bytes));
}
#else
void* map_huge_pages(std::size_t) noexcept {
    return nullptr;
}
void unmap_huge_pages(void*, std::size_t) noexcept {}
#endif

}  // namespace fuseq
