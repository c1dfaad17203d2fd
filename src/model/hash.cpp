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

std::uint64_t hash_large(const void* data, std::size_t size, std::uint64_t seed) {
    // Four hashes that do not wait for each other, each of every fourth word. A word enters by an
    // addition and a multiplication by an odd number, which lose nothing, and a rotation.
    constexpr std::uint64_t kFactor = 0x9fb21c651e98df25u;
    constexpr std::size_t kLanes = 4;
    const auto* bytes = static_cast<const unsigned char*>(data);
    std::uint64_t lanes[kLanes] = {seed + 1, seed + 2, seed + 3, seed + 4};
    const std::size_t whole = size / (8 * kLanes) * (8 * kLanes);
    for (std::size_t i = 0; i < whole; i += 8 * kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes + i + 8 * lane, 8);
            const std::uint64_t product = (lanes[lane] + word) * kFactor;
            lanes[lane] = (product << 29) | (product >> 35);
        }
    }
    std::uint64_t hash = size;
    for (const std::uint64_t lane : lanes) {
        hash = mix(hash ^ lane) + 0x9e3779b97f4a7c15u;
    }
    return hash_bytes(bytes + whole, size - whole, hash);
}

}  // namespace fuseq
