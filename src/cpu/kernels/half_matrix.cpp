// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/half_matrix.hpp"

#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "cpu/kernels/always_inline.hpp"
#include "cpu/kernels/instructions.hpp"
#include "cpu/kernels/vnni_target.hpp"

namespace fuseq::kernels {

std::optional<std::uint16_t> half_of(float value) {
    constexpr std::uint32_t kMantissa = 23;
    constexpr std::uint32_t kDropped = 13;  // bits of the mantissa that a half does not have
    constexpr int kLeast = -14;             // exponents of normal halves
    constexpr int kMost = 15;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16u & 0x8000u;
    const std::uint32_t rest = bits & 0x7fffffffu;
    if (rest == 0) {
        return static_cast<std::uint16_t>(sign);
    }
    const int exponent = static_cast<int>(rest >> kMantissa) - 127;
    const std::uint32_t shift =
        kDropped + (exponent < kLeast ? static_cast<std::uint32_t>(kLeast - exponent) : 0u);
    if (exponent > kMost || shift > kMantissa || (rest & ((1u << shift) - 1)) != 0) {
        return std::nullopt;
    }
    const std::uint32_t mantissa = (rest & 0x7fffffu) | 0x800000u;
    // The leading bit of the mantissa adds one to the exponent of a normal half.
    const std::uint32_t upper =
        exponent < kLeast ? 0u : static_cast<std::uint32_t>(exponent - kLeast) << 10u;
    return static_cast<std::uint16_t>(sign | (upper + (mantissa >> shift)));
}

bool are_halves(std::span<const float> values) {
    return std::all_of(values.begin(), values.end(),
                       [](float v) { return half_of(v).has_value(); });
}

bool HalfMatrix::available() {
    return has_avx512_vnni();
}

HalfMatrix::HalfMatrix(std::size_t depth, std::size_t channels)
    : depth_(depth), channels_(channels) {}

void HalfMatrix::pack(const Source& source) {
    halves_.assign(blocks() * depth_ * kBlock, 0);
    for (std::size_t n = 0; n < channels_; ++n) {
        std::uint16_t* to = halves_.data() + n / kBlock * depth_ * kBlock + n % kBlock;
        const float* from = source.values.data() + n * source.channel_step;
        for (std::size_t k = 0; k < depth_; ++k) {
            to[k * kBlock] = half_of(from[k * source.depth_step]).value_or(0);
        }
    }
}

std::span<const std::int8_t> HalfMatrix::weights() const {
    return {reinterpret_cast<const std::int8_t*>(halves_.data()), bytes()};
}

FUSEQ_BEGIN_VNNI

namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kVectors = HalfMatrix::kBlock / kLanes;

struct Sums {
    __m512 of[kVectors];
};

// Four sums at once hide half of the time that a product takes, and the conversions fill the rest.
FUSEQ_INLINE Sums sums_of(const float* src, const std::uint16_t* halves, std::size_t depth) {
    Sums sums{{_mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps(), _mm512_setzero_ps()}};
    for (std::size_t k = 0; k < depth; ++k, halves += HalfMatrix::kBlock) {
        const __m512 x = _mm512_set1_ps(src[k]);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            const __m256i half =
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(halves + v * kLanes));
            sums.of[v] = _mm512_fmadd_ps(x, _mm512_cvtph_ps(half), sums.of[v]);
        }
    }
    return sums;
}

// `channels` of a block.
void run_block(const float* src,
               std::size_t depth,
               const std::uint16_t* halves,
               const float* bias,
               std::size_t channels,
               float* dst) {
    constexpr std::size_t kDepth = HalfMatrix::kDepthBlock;
    Sums sums = sums_of(src, halves, std::min(depth, kDepth));
    for (std::size_t k = kDepth; k < depth; k += kDepth) {
        const Sums more =
            sums_of(src + k, halves + k * HalfMatrix::kBlock, std::min(depth - k, kDepth));
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            sums.of[v] = _mm512_add_ps(sums.of[v], more.of[v]);
        }
    }
    __m512* const acc = sums.of;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < kVectors; ++v) {
        const std::size_t left = channels - std::min(channels, v * kLanes);
        const auto mask = static_cast<__mmask16>(left >= kLanes ? 0xffffu : (1u << left) - 1);
        if (bias != nullptr) {
            acc[v] = _mm512_add_ps(acc[v], _mm512_maskz_loadu_ps(mask, bias + v * kLanes));
        }
        _mm512_mask_storeu_ps(dst + v * kLanes, mask, acc[v]);
    }
}

}  // namespace

FUSEQ_END_VNNI

void HalfMatrix::run(const float* src, const float* bias, float* dst, Range blocks) const {
    for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
        const std::size_t first = b * kBlock;
        run_block(src, depth_, halves_.data() + first * depth_,
                  bias == nullptr ? nullptr : bias + first, std::min(kBlock, channels_ - first),
                  dst + first);
    }
}

}  // namespace fuseq::kernels
