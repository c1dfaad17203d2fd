// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A single row times codes that stand for 16 floats (nf4), with AVX2. A register of 8 floats is half
// of the table, so that a look-up in it takes two permutations and a choice a value. Here vpshufb
// looks up each of the four bytes of the floats for 32 codes, and interleaving brings them together:
// four codes of a channel lie side by side and meet four values of the row. For
// compressed_matrix.cpp; include after compressed_stream-inl.h, once a target.
#if defined(FUSEQ_KERNELS_COMPRESSED_TABLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_COMPRESSED_TABLE_INL_H_
#undef FUSEQ_KERNELS_COMPRESSED_TABLE_INL_H_
#else
#define FUSEQ_KERNELS_COMPRESSED_TABLE_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "cpu/kernels/gemm/compressed_codes.hpp"
#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX2

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// Byte i of each of the 16 floats, in both lanes.
struct ByteTables {
    __m256i bytes[4];
    explicit ByteTables(const float* table) {
        unrolled<4>([&](auto i) FUSEQ_HWY_LAMBDA {
            std::uint8_t list[16];
            for (std::size_t n = 0; n < 16; ++n) {
                std::uint32_t bits = 0;
                std::memcpy(&bits, table + n, sizeof(bits));
                list[n] = static_cast<std::uint8_t>(bits >> (8 * i));
            }
            bytes[i] = _mm256_broadcastsi128_si256(
                _mm_loadu_si128(reinterpret_cast<const __m128i*>(list)));
        });
    }
};

// Sums of 8 channels: number i has those of channel i and, in the upper lane, of channel 4 + i, of
// every fourth product.
struct LaneSums {
    __m256 v[4];
};

// codes: four of each of 8 channels, one a byte. x: the four values that they meet, in both lanes.
HWY_INLINE void add_floats(const ByteTables& tables, __m256i codes, __m256 x, LaneSums& sums) {
    __m256i b[4];
    unrolled<4>([&](auto i)
                    FUSEQ_HWY_LAMBDA { b[i] = _mm256_shuffle_epi8(tables.bytes[i], codes); });
    const __m256i lower_low = _mm256_unpacklo_epi8(b[0], b[1]);
    const __m256i lower_high = _mm256_unpackhi_epi8(b[0], b[1]);
    const __m256i upper_low = _mm256_unpacklo_epi8(b[2], b[3]);
    const __m256i upper_high = _mm256_unpackhi_epi8(b[2], b[3]);
    const auto add = [&](std::size_t i, __m256i floats) FUSEQ_HWY_LAMBDA {
        sums.v[i] = _mm256_fmadd_ps(_mm256_castsi256_ps(floats), x, sums.v[i]);
    };
    add(0, _mm256_unpacklo_epi16(lower_low, upper_low));
    add(1, _mm256_unpackhi_epi16(lower_low, upper_low));
    add(2, _mm256_unpacklo_epi16(lower_high, upper_high));
    add(3, _mm256_unpackhi_epi16(lower_high, upper_high));
}

// `from`: the unit of 8 channels; x: the values that it meets.
HWY_INLINE void add_table_unit(const ByteTables& tables,
                               const std::uint8_t* from,
                               const float* x,
                               LaneSums& sums) {
    const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    const __m256i mask = _mm256_set1_epi8(15);
    const auto values = [&](const float* at) FUSEQ_HWY_LAMBDA {
        return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(at));
    };
    add_floats(tables, _mm256_and_si256(both, mask), values(x), sums);
    add_floats(tables, _mm256_and_si256(_mm256_srli_epi16(both, 4), mask), values(x + 4), sums);
}

HWY_INLINE Vector total(const LaneSums& sums) {
    return Vector{
        _mm256_hadd_ps(_mm256_hadd_ps(sums.v[0], sums.v[1]), _mm256_hadd_ps(sums.v[2], sums.v[3]))};
}

// Sums of a group for 8 channels, number v of the panel.
HWY_INLINE Vector sum_table(const ByteTables& tables,
                            const std::uint8_t* from,
                            const float* x,
                            std::size_t depth,
                            bool fetches) {
    LaneSums sums;
    unrolled<4>([&](auto i) FUSEQ_HWY_LAMBDA { sums.v[i] = _mm256_setzero_ps(); });
    std::size_t k = 0;
    for (; k + kCodesInUnit <= depth; k += kCodesInUnit) {
        if (fetches) {
            fetch_ahead<4 * kPanel>(from);
        }
        add_table_unit(tables, from, x + k, sums);
        from += 4 * kPanel;
    }
    if (k < depth) {  // values beyond the group are 0
        float rest[kCodesInUnit] = {};
        std::memcpy(rest, x + k, (depth - k) * sizeof(float));
        add_table_unit(tables, from, rest, sums);
    }
    return total(sums);
}

void stream_table(
    const PackedCodes& p, const float* src, const float* group_sums, float* dst, Range panels) {
    const Tag d;
    const ByteTables tables(p.table);
    for (std::size_t panel = panels.begin; panel < panels.end; ++panel) {
        Vector totals[kVectors];
        unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA { totals[v] = hn::Zero(d); });
        for (std::size_t g = 0; g < p.groups; ++g) {
            const std::uint8_t* const from = p.codes + (panel * p.groups + g) * p.group_bytes;
            const float* const x = src + g * p.group_depth;
            unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
                const Vector sum = sum_table(tables, from + 32 * v, x, p.group_depth, v == 0);
                add_group(p, panel, g, v, sum, group_sums, totals[v]);
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
