// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/half_matrix.hpp"

#include <immintrin.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/traits.hpp"

namespace fuseq::kernels {

std::optional<std::uint16_t> half_of(float value) {
    constexpr std::uint32_t kMantissa = 23;
    constexpr std::uint32_t kDropped = 13;  // bits of the mantissa that a half does not have
    constexpr int kMin = -14;               // exponents of normal halves
    constexpr int kMax = 15;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = bits >> 16u & 0x8000u;
    const std::uint32_t rest = bits & 0x7fffffffu;
    if (rest == 0) {
        return static_cast<std::uint16_t>(sign);
    }
    const int exponent = static_cast<int>(rest >> kMantissa) - 127;
    const std::uint32_t shift =
        kDropped + (exponent < kMin ? static_cast<std::uint32_t>(kMin - exponent) : 0u);
    if (exponent > kMax || shift > kMantissa || (rest & ((1u << shift) - 1)) != 0) {
        return std::nullopt;
    }
    const std::uint32_t mantissa = (rest & 0x7fffffu) | 0x800000u;
    // The leading bit of the mantissa adds one to the exponent of a normal half.
    const std::uint32_t upper =
        exponent < kMin ? 0u : static_cast<std::uint32_t>(exponent - kMin) << 10u;
    return static_cast<std::uint16_t>(sign | (upper + (mantissa >> shift)));
}

bool HalfMatrix::available() {
    return has_avx512_vnni();
}

HalfMatrix::HalfMatrix(std::size_t depth, std::size_t channels)
    : depth_(depth), channels_(channels) {}

std::span<const std::int8_t> HalfMatrix::weights() const {
    return {reinterpret_cast<const std::int8_t*>(halves_.data()), bytes()};
}

FUSEQ_BEGIN_VNNI

namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kVectors = HalfMatrix::kBlock / kLanes;

__mmask16 first_lanes(std::size_t count) {
    return static_cast<__mmask16>(count >= kLanes ? 0xffffu : (1u << count) - 1);
}

void to_halves(const float* from, std::size_t count, std::uint16_t* to) {
    for (std::size_t i = 0; i < count; i += kLanes) {
        const __mmask16 mask = first_lanes(count - i);
        _mm256_mask_storeu_epi16(
            to + i, mask,
            _mm512_cvtps_ph(_mm512_maskz_loadu_ps(mask, from + i), _MM_FROUND_TO_NEAREST_INT));
    }
}

// Whether they are the same bits when they come back.
bool come_back(const float* values, std::size_t count) {
    for (std::size_t i = 0; i < count; i += kLanes) {
        const __m512 v = _mm512_maskz_loadu_ps(first_lanes(count - i), values + i);
        const __m512 back = _mm512_cvtph_ps(_mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
        const __mmask16 finite =
            _mm512_cmp_ps_mask(_mm512_abs_ps(v), _mm512_set1_ps(65504.0f), _CMP_LE_OQ);
        if (finite != 0xffffu ||
            _mm512_cmpneq_epi32_mask(_mm512_castps_si512(v), _mm512_castps_si512(back)) != 0) {
            return false;
        }
    }
    return true;
}

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
        const __mmask16 mask = first_lanes(left);
        if (bias != nullptr) {
            acc[v] = _mm512_add_ps(acc[v], _mm512_maskz_loadu_ps(mask, bias + v * kLanes));
        }
        _mm512_mask_storeu_ps(dst + v * kLanes, mask, acc[v]);
    }
}

}  // namespace

FUSEQ_END_VNNI

bool are_halves(std::span<const float> values) {
    // Asked while a plan's choices for another machine are looked at: that one's code cannot run
    // here.
    if (HalfMatrix::available() && cpu::replaced_machine_traits() == nullptr) {
        return come_back(values.data(), values.size());
    }
    return std::all_of(values.begin(), values.end(),
                       [](float v) { return half_of(v).has_value(); });
}

void HalfMatrix::pack(std::span<const float> values, bool channels_first) {
    constexpr std::size_t kPart =
        256;  // of the depth, that stays in L1 for all channels of a block
    halves_.assign(blocks() * depth_ * kBlock, 0);
    std::vector<std::uint16_t> part(kPart);
    for (std::size_t n = 0; n < channels_; n += kBlock) {
        std::uint16_t* const to = halves_.data() + n * depth_;
        const std::size_t count = std::min(kBlock, channels_ - n);
        for (std::size_t k = 0; !channels_first && k < depth_; ++k) {
            to_halves(values.data() + k * channels_ + n, count, to + k * kBlock);
        }
        for (std::size_t k = 0; channels_first && k < depth_; k += kPart) {
            const std::size_t depth = std::min(kPart, depth_ - k);
            for (std::size_t c = 0; c < count; ++c) {
                to_halves(values.data() + (n + c) * depth_ + k, depth, part.data());
                for (std::size_t i = 0; i < depth; ++i) {
                    to[(k + i) * kBlock + c] = part[i];
                }
            }
        }
    }
}

void HalfMatrix::run(const float* src, const float* bias, float* dst, Range blocks) const {
    for (std::size_t b = blocks.begin; b < blocks.end; ++b) {
        const std::size_t first = b * kBlock;
        run_block(src, depth_, halves_.data() + first * depth_,
                  bias == nullptr ? nullptr : bias + first, std::min(kBlock, channels_ - first),
                  dst + first);
    }
}

}  // namespace fuseq::kernels
