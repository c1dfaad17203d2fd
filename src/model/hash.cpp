// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/hash.hpp"

#include <xxhash.h>

namespace fuseq {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
    return XXH3_64bits_withSeed(data, size, seed);
}

}  // namespace fuseq
