// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/damaged_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <random>

namespace fuseq::test {
namespace {

template <class T>
void put(std::string& bytes, std::size_t at, T value) {
    if (at + sizeof value <= bytes.size()) {
        std::memcpy(bytes.data() + at, &value, sizeof value);
    }
}

std::uint64_t odd_number(std::mt19937_64& random) {
    constexpr std::uint64_t kOdd[] = {0,
                                      1,
                                      2,
                                      3,
                                      7,
                                      127,
                                      128,
                                      255,
                                      0x7fff,
                                      0x8000,
                                      0xffff,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      0xfffffffe,
                                      0x7fc00000 /* NaN */,
                                      0x7f800000 /* inf */,
                                      ~std::uint64_t{0}};
    return kOdd[random() % std::size(kOdd)];
}

void one_mistake(std::string& bytes, std::size_t header, std::mt19937_64& random) {
    const std::size_t size = bytes.size();
    const std::size_t at = header + random() % (size - header);
    switch (random() % 9) {
        case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8)); break;
        case 1: bytes[at] = static_cast<char>(random()); break;
        case 2:
            put(bytes, at & ~std::size_t{1}, static_cast<std::uint16_t>(odd_number(random)));
            break;
        case 3:
            put(bytes, at & ~std::size_t{3}, static_cast<std::uint32_t>(odd_number(random)));
            break;
        case 4: put(bytes, at & ~std::size_t{7}, odd_number(random)); break;
        // A small step: offsets to a neighbour, other operators and types.
        case 5:
            bytes[at] = static_cast<char>(bytes[at] + static_cast<int>(random() % 9) - 4);
            break;
        case 6:
            bytes.resize(
                std::max(header + 4, size - random() % std::min<std::size_t>(size / 2, 64)));
            break;
        case 7: {
            const std::size_t from = random() % size;
            const std::size_t count = std::min({random() % 32, size - at, size - from});
            std::memmove(bytes.data() + at, bytes.data() + from, count);
            break;
        }
        default: put(bytes, at & ~std::size_t{3}, static_cast<std::uint32_t>(random() % 64)); break;
    }
}

}  // namespace

std::string damaged(const std::string& bytes, std::size_t header, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::string result = bytes;
    const std::size_t mistakes = 1 + random() % 8;
    for (std::size_t i = 0; i < mistakes && result.size() > header + 4; ++i) {
        one_mistake(result, header, random);
    }
    return result;
}

}  // namespace fuseq::test
