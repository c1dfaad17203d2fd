// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// FIPS 180-4. The constants are fractions of roots of primes, and are computed from them.
#include "support/sha256.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace fuseq::test {
namespace {

constexpr std::size_t kBlock = 64;

std::vector<unsigned> primes(std::size_t count) {
    std::vector<unsigned> found;
    for (unsigned n = 2; found.size() < count; ++n) {
        bool prime = true;
        for (const unsigned p : found) {
            prime = prime && n % p != 0;
        }
        if (prime) {
            found.push_back(n);
        }
    }
    return found;
}

// The first 32 bits of the fraction.
std::uint32_t fraction(long double root) {
    return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
}

void add_block(std::array<std::uint32_t, 8>& state, const std::uint8_t* block) {
    static const std::vector<unsigned> first = primes(kBlock);
    std::array<std::uint32_t, kBlock> w{};
    for (std::size_t i = 0; i < kBlock; ++i) {
        if (i < 16) {
            w[i] = static_cast<std::uint32_t>(block[4 * i]) << 24 | block[4 * i + 1] << 16 |
                   block[4 * i + 2] << 8 | block[4 * i + 3];
            continue;
        }
        const std::uint32_t a = w[i - 15];
        const std::uint32_t b = w[i - 2];
        w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < kBlock; ++i) {
        const std::uint32_t k = fraction(std::cbrt(static_cast<long double>(first[i])));
        const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                  ((e & f) ^ (~e & g)) + k + w[i];
        const std::uint32_t two =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const std::array<std::uint32_t, 8> end{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < end.size(); ++i) {
        state[i] += end[i];
    }
}

}  // namespace

std::string sha256(const void* data, std::size_t size) {
    std::array<std::uint32_t, 8> state{};
    const std::vector<unsigned> first = primes(state.size());
    for (std::size_t i = 0; i < state.size(); ++i) {
        state[i] = fraction(std::sqrt(static_cast<long double>(first[i])));
    }
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    const std::size_t whole = size / kBlock;
    for (std::size_t i = 0; i < whole; ++i) {
        add_block(state, bytes + i * kBlock);
    }
    // A bit of 1, zeros, and the number of bits.
    std::vector<std::uint8_t> rest(bytes + whole * kBlock, bytes + size);
    rest.push_back(0x80);
    while (rest.size() % kBlock != kBlock - 8) {
        rest.push_back(0);
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
        rest.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(size) * 8 >> shift));
    }
    for (std::size_t at = 0; at < rest.size(); at += kBlock) {
        add_block(state, rest.data() + at);
    }
    std::string text;
    for (const std::uint32_t word : state) {
        for (int shift = 28; shift >= 0; shift -= 4) {
            text += "0123456789abcdef"[word >> shift & 15];
        }
    }
    return text;
}

}  // namespace fuseq::test
