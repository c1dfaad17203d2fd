// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes of the caches. Part of MachineTraits: plans ask machine_traits(), which tests replace.
//
// Kernels that keep a tile in L1 need not ask: their tiles are constants of 4 to 24 KB, and every
// CPU that the device runs on has 32 KB or more.
#pragma once

#include <cstddef>

namespace fuseq::cpu {

struct CacheSizes {
    // Bytes that one core has for data. Those of Intel's Golden Cove, on which most thresholds were
    // measured, where the system does not say.
    std::size_t l1 = std::size_t{48} << 10;
    std::size_t l2 = std::size_t{2} << 20;
    // Bytes that all cores of a socket or a complex share; 0: none, or not known.
    std::size_t l3 = 0;
};

// Of this machine, asked for once. Thread-safe.
const CacheSizes& cache_sizes();

// Of what sysconf() says: 0 or less where it does not know.
CacheSizes cache_sizes_of(long l1, long l2, long l3);

}  // namespace fuseq::cpu
