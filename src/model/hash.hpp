// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq {

// A 64-bit hash of bytes (XXH3): the same on every machine, for dumps, caches and deduplication.
// Not cryptographic: whoever acts on equality compares the bytes too.
std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);

}  // namespace fuseq
