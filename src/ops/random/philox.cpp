// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/random/philox.hpp"

#include <bit>
#include <random>

namespace fuseq {
namespace {

constexpr int kRounds = 10;
// Constants of the paper: multipliers of the two halves of the counter, steps of the key.
constexpr std::uint64_t kMultiplierLow = 0xD2511F53;
constexpr std::uint64_t kMultiplierHigh = 0xCD9E8D57;
constexpr std::uint32_t kKeyStepLow = 0x9E3779B9;
constexpr std::uint32_t kKeyStepHigh = 0xBB67AE85;

std::uint32_t low_half(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

std::uint32_t high_half(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

std::array<std::uint32_t, 4> philox(const PhiloxKey& key, std::uint64_t n) {
    std::array<std::uint32_t, 4> x{low_half(n), high_half(n), low_half(key.op_seed),
                                   high_half(key.op_seed)};
    std::uint32_t key_low = low_half(key.global_seed);
    std::uint32_t key_high = high_half(key.global_seed);
    for (int round = 0; round < kRounds; ++round) {
        const std::uint64_t a = kMultiplierLow * x[0];
        const std::uint64_t b = kMultiplierHigh * x[2];
        x = {high_half(b) ^ x[1] ^ key_low, low_half(b), high_half(a) ^ x[3] ^ key_high,
             low_half(a)};
        key_low += kKeyStepLow;
        key_high += kKeyStepHigh;
    }
    return x;
}

double philox_double(std::uint32_t high, std::uint32_t low) {
    constexpr std::uint64_t kExponentOfOne = std::uint64_t{1023} << 52;
    const std::uint64_t mantissa = (std::uint64_t{high & 0xFFFFFu} << 32) | low;
    return std::bit_cast<double>(kExponentOfOne | mantissa) - 1.0;
}

PhiloxKey unpredictable_key() {
    std::random_device device;
    const auto draw = [&] { return (std::uint64_t{device()} << 32) | device(); };
    return {draw(), draw()};
}

}  // namespace fuseq
