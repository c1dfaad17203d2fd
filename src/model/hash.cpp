// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/hash.hpp"

#include <cstring>

namespace fuseq {
namespace {

// The finaliser of splitmix64: every bit of the input reaches every bit of the output.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

}  // namespace

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    std::uint64_t hash = mix(seed + 0x9e3779b97f4a7c15u + size);
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + i, 8);  // x86 only: little endian
        hash = mix(hash ^ word) + 0x9e3779b97f4a7c15u;
    }
    if (i < size) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + i, size - i);
        hash = mix(hash ^ word) + 0x9e3779b97f4a7c15u;
    }
    return mix(hash);
}

}  // namespace fuseq
