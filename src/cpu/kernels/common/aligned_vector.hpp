// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// std::vector whose data begins on a cache line (64 bytes).
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace fuseq::kernels {

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{64};

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
    }
    void deallocate(T* data, std::size_t) { ::operator delete(data, kAlignment); }
    template <class U>
    bool operator==(const CacheLineAllocator<U>&) const {
        return true;
    }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace fuseq::kernels
