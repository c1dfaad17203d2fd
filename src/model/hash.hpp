// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A 64-bit hash of bytes: the same on every machine, for dumps, caches and deduplication. Not
// cryptographic: whoever acts on equality compares the bytes too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fuseq {

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);
// Another hash of the same kind, several times as fast for megabytes.
std::uint64_t hash_large(const void* data, std::size_t size, std::uint64_t seed = 0);

}  // namespace fuseq
