// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that every inference goes through, packed weights and intermediate tensors, on pages of
// 2 MB where the system has them. With pages of 4 KB weights that come from the third cache wait
// for a translation of addresses each 4 KB, which no prefetch crosses, and pages that lie anywhere
// in memory fight for the sets of the second cache.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace fuseq::kernels {

// Begins on a cache line and is zero. Of any thread; taken from blocks of large pages one after
// the other, which are given back when nothing in them is in use. Throws std::bad_alloc.
void* take_large_pages(std::size_t bytes);
void give_back_large_pages(void* memory, std::size_t bytes) noexcept;

std::shared_ptr<void> on_large_pages(std::size_t bytes);

template <class T>
struct LargePageAllocator {
    using value_type = T;

    LargePageAllocator() = default;
    template <class U>
    LargePageAllocator(const LargePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t count) { return static_cast<T*>(take_large_pages(count * sizeof(T))); }
    void deallocate(T* data, std::size_t count) { give_back_large_pages(data, count * sizeof(T)); }
    template <class U>
    bool operator==(const LargePageAllocator<U>&) const {
        return true;
    }
};

template <class T>
using LargePageVector = std::vector<T, LargePageAllocator<T>>;

}  // namespace fuseq::kernels
