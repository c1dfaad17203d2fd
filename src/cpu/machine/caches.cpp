// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/machine/caches.hpp"

#include <unistd.h>

namespace fuseq::cpu {

CacheSizes cache_sizes_of(long l1, long l2, long l3) {
    CacheSizes sizes;
    const auto take = [](std::size_t& size, long reported) {
        size = reported > 0 ? static_cast<std::size_t>(reported) : size;
    };
    take(sizes.l1, l1);
    take(sizes.l2, l2);
    take(sizes.l3, l3);
    return sizes;
}

const CacheSizes& cache_sizes() {
    static const CacheSizes sizes =
        cache_sizes_of(sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE),
                       sysconf(_SC_LEVEL3_CACHE_SIZE));
    return sizes;
}

}  // namespace fuseq::cpu
