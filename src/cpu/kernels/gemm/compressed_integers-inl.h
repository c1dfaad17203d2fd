// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A single row times nibbles with AVX2, where turning each code to a float would take longer than
// reading it. The row becomes integers of 30 bits, relative to the power of two above the largest
// magnitude of its group: H * 2^15 + L, both of 16 bits. vpmaddwd multiplies two codes of a channel
// by H, and by L, and the sums are exact. For compressed_matrix.cpp; include after
// compressed_stream-inl.h, once a target.
#if defined(FUSEQ_KERNELS_COMPRESSED_INTEGERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_COMPRESSED_INTEGERS_INL_H_
#undef FUSEQ_KERNELS_COMPRESSED_INTEGERS_INL_H_
#else
#define FUSEQ_KERNELS_COMPRESSED_INTEGERS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "cpu/kernels/gemm/compressed_codes.hpp"
#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX2

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr int kLowBits = 15;
constexpr int kBits = 2 * kLowBits - 1;  // magnitudes are below 2^kBits
constexpr std::size_t kPairs = kCodesInUnit / 2;
// H and L are at most 2^14, so that the sums of 2^13 codes of at most 15 fit 32 bits.
constexpr std::size_t kMaxExact = 8192;

// The two codes that a mask leaves in the lanes of 16 bits after a shift by 4 * pair bits.
constexpr int code_of(std::size_t pair, std::size_t half) {
    const std::size_t nibble = pair + half * kPairs;
    return static_cast<int>(nibble % 2 == 0 ? nibble / 2 : (nibble + kCodesInUnit - 1) / 2);
}
static_assert(nibble_of(code_of(3, 0)) == 3 && nibble_of(code_of(2, 1)) == 6);

// Of units of 8 values: for each the H of four pairs, then their L.
HWY_INLINE void put_unit(__m256 x, __m256 multiplier, std::int32_t* to) {
    const __m256i order =
        _mm256_setr_epi32(code_of(0, 0), code_of(1, 0), code_of(2, 0), code_of(3, 0), code_of(0, 1),
                          code_of(1, 1), code_of(2, 1), code_of(3, 1));
    const __m256i integers =
        _mm256_permutevar8x32_epi32(_mm256_cvtps_epi32(_mm256_mul_ps(x, multiplier)), order);
    const __m256i high = _mm256_srai_epi32(
        _mm256_add_epi32(integers, _mm256_set1_epi32(1 << (kLowBits - 1))), kLowBits);
    const __m256i low = _mm256_sub_epi32(integers, _mm256_slli_epi32(high, kLowBits));
    const auto put = [](__m256i words, std::int32_t* at) FUSEQ_HWY_LAMBDA {
        const __m128i first = _mm_and_si128(_mm256_castsi256_si128(words), _mm_set1_epi32(0xFFFF));
        const __m128i second = _mm_slli_epi32(_mm256_extracti128_si256(words, 1), 16);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm_or_si128(first, second));
    };
    put(high, to);
    put(low, to + kPairs);
}

void put_group(const PackedCodes& p, const float* src, float multiplier, std::int32_t* to) {
    const __m256 by = _mm256_set1_ps(multiplier);
    std::size_t k = 0;
    for (; k + kCodesInUnit <= p.group_depth; k += kCodesInUnit) {
        put_unit(_mm256_loadu_ps(src + k), by, to + k);
    }
    if (k < p.group_depth) {
        float rest[kCodesInUnit] = {};
        std::copy(src + k, src + p.group_depth, rest);
        put_unit(_mm256_loadu_ps(rest), by, to + k);
    }
}

// The bits of the largest magnitude, also where it is infinite or no number.
std::uint32_t largest_bits(const float* src, std::size_t count) {
    std::uint32_t max = 0;
    std::size_t k = 0;
    const IntTag d;
    auto all = hn::Zero(d);
    for (; k + kLanes <= count; k += kLanes) {
        const auto bits = hn::BitCast(d, hn::Abs(hn::LoadU(Tag(), src + k)));
        all = hn::Max(all, bits);
    }
    std::int32_t lanes[kLanes];
    hn::StoreU(all, d, lanes);
    for (const std::int32_t lane : lanes) {
        max = std::max(max, static_cast<std::uint32_t>(lane));
    }
    for (; k < count; ++k) {
        max = std::max(max, std::bit_cast<std::uint32_t>(std::abs(src[k])));
    }
    return max;
}

// Not usable where a group has infinite values, or so small ones that powers of two leave f32.
void prepare_integers(const PackedCodes& p, const float* src, const PreparedSource& to) {
    constexpr int kMinExponent = -95;
    constexpr int kMaxExponent = 128;
    constexpr int kBias = 126;  // of the power of two above a number
    *to.usable = 1;
    for (std::size_t g = 0; g < p.groups; ++g, src += p.group_depth) {
        const std::uint32_t max = largest_bits(src, p.group_depth);
        const int exponent = max == 0 ? 0 : static_cast<int>(max >> 23u) - kBias;
        if (exponent < kMinExponent || exponent > kMaxExponent) {
            *to.usable = 0;
            return;
        }
        to.factors[g] = std::ldexp(1.0f, exponent - kBits);
        put_group(p, src, std::ldexp(1.0f, kBits - exponent), to.pairs + g * p.padded_depth());
    }
}

// Sums of H and of L, of 8 channels each.
struct IntegerSums {
    __m256i high[kVectors];
    __m256i low[kVectors];
};

template <std::size_t kPair>
HWY_INLINE __m256i pair_of(__m256i unit) {
    const __m256i shifted = kPair == 0 ? unit : _mm256_srli_epi16(unit, 4 * kPair);
    return kPair + 1 == kPairs ? shifted : _mm256_and_si256(shifted, _mm256_set1_epi16(15));
}

HWY_INLINE void add_unit(const std::uint8_t* from, const std::int32_t* pairs, IntegerSums& sums) {
    __m256i units[kVectors];
    unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
        units[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 32 * v));
    });
    unrolled<kPairs>([&](auto pair) FUSEQ_HWY_LAMBDA {
        const __m256i high = _mm256_set1_epi32(pairs[pair]);
        const __m256i low = _mm256_set1_epi32(pairs[kPairs + pair]);
        unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
            const __m256i codes = pair_of<pair>(units[v]);
            sums.high[v] = _mm256_add_epi32(sums.high[v], _mm256_madd_epi16(codes, high));
            sums.low[v] = _mm256_add_epi32(sums.low[v], _mm256_madd_epi16(codes, low));
        });
    });
}

// Of a group, in parts whose sums fit 32 bits.
HWY_INLINE void sum_integers(const std::uint8_t* from,
                             const std::int32_t* pairs,
                             std::size_t depth,
                             Vector (&sums)[kVectors]) {
    const Tag d;
    unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA { sums[v] = hn::Zero(d); });
    for (std::size_t begin = 0; begin < depth; begin += kMaxExact) {
        IntegerSums exact;
        unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
            exact.high[v] = exact.low[v] = _mm256_setzero_si256();
        });
        const std::size_t end = std::min(depth, begin + kMaxExact);
        for (std::size_t k = begin; k < end; k += kCodesInUnit) {
            fetch_ahead<4 * kPanel>(from);
            add_unit(from, pairs, exact);
            from += 4 * kPanel;
            pairs += kCodesInUnit;
        }
        unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
            const Vector high{_mm256_cvtepi32_ps(exact.high[v])};
            const Vector low{_mm256_cvtepi32_ps(exact.low[v])};
            sums[v] = hn::Add(sums[v],
                              hn::MulAdd(high, hn::Set(d, static_cast<float>(1 << kLowBits)), low));
        });
    }
}

void stream_integers(const PackedCodes& p, const PreparedSource& row, float* dst, Range panels) {
    const Tag d;
    const std::size_t depth = p.padded_depth();
    for (std::size_t panel = panels.begin; panel < panels.end; ++panel) {
        Vector totals[kVectors];
        unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA { totals[v] = hn::Zero(d); });
        for (std::size_t g = 0; g < p.groups; ++g) {
            const std::size_t place = panel * p.groups + g;
            Vector sums[kVectors];
            sum_integers(p.codes + place * p.group_bytes, row.pairs + g * depth, depth, sums);
            const Vector factor = hn::Set(d, row.factors[g]);
            unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
                add_group(p, panel, g, v, hn::Mul(sums[v], factor), row.sums, totals[v]);
            });
        }
        store_panel(p, panel, totals, dst);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX2

#endif  // per target
