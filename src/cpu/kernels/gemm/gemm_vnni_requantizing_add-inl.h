// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A requantizing add on 64 pairs of bytes: two dot products and a shift for 16 of them, four or
// seven operations more for an ELU table, three for a leaky relu.
//
// A lane of 32 bits holds the bytes 0, q, 0, r: as words they are 256 q and 256 r, which the upper
// 16 bits of the factors multiply; the lower 8 bits are unsigned bytes for the other dot product.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

struct EluTableConstants {
    __m512i last_step, min;
    __m512i add[2];
    const std::int32_t* far_add;  // the other half of a long table, read where it is needed
};

// What follows the addition.
enum class AddActivation : std::uint8_t { kNone, kShortElu, kLongElu, kLeaky };
constexpr bool is_elu(AddActivation how) {
    return how == AddActivation::kShortElu || how == AddActivation::kLongElu;
}

struct SumConstants {
    __m512i upper, lower, c;
};

struct AddConstants {
    __m512i q_flip, r_flip, shift;
    SumConstants sum, below;
    __m512i low, high;  // the bytes 0, q, 0, r from pairs
    EluTableConstants elu_table;
};

FUSEQ_INLINE EluTableConstants elu_table_constants_of(const RequantizingAdd& add) {
    EluTableConstants k{};
    if (add.elu_table) {
        for (std::size_t i = 0; i < 2; ++i) {
            k.add[i] = _mm512_loadu_si512(add.elu_table->add.data() + 16 * i);
        }
        k.far_add = add.elu_table->add.data() + EluTable::kMaxSteps / 2;
        k.last_step = _mm512_set1_epi32(static_cast<int>(add.elu_table->steps) - 1);
        k.min = _mm512_set1_epi8(static_cast<char>(add.elu_table->min));
    }
    return k;
}

FUSEQ_INLINE SumConstants constants_of(const RequantizingAdd::Sum& sum) {
    return {.upper = _mm512_set1_epi32(sum.upper),
            .lower = _mm512_set1_epi32(sum.lower),
            .c = _mm512_set1_epi32(sum.c)};
}

FUSEQ_INLINE AddConstants constants_of(const RequantizingAdd& add, bool q_unsigned) {
    return {.q_flip = _mm512_set1_epi8(static_cast<char>(q_unsigned ? 0x80 : 0)),
            .r_flip = _mm512_set1_epi32(add.r_flip),
            .shift = _mm512_set1_epi32(add.shift),
            .sum = constants_of(add.sum),
            .below = add.below ? constants_of(*add.below) : SumConstants{},
            .low = _mm512_broadcast_i32x4(
                _mm_setr_epi8(-1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7)),
            .high = _mm512_broadcast_i32x4(
                _mm_setr_epi8(-1, 8, -1, 9, -1, 10, -1, 11, -1, 12, -1, 13, -1, 14, -1, 15)),
            .elu_table = elu_table_constants_of(add)};
}

FUSEQ_INLINE __m512i sum_of(const SumConstants& k, __m512i lanes) {
    return _mm512_dpbusd_epi32(_mm512_dpwssd_epi32(k.c, lanes, k.upper), k.lower, lanes);
}

template <AddActivation How>
FUSEQ_INLINE __m512i added_dwords(const AddConstants& k, __m512i pairs, __m512i take) {
    const __m512i lanes = _mm512_shuffle_epi8(pairs, take);
    __m512i whole = sum_of(k.sum, lanes);
    if constexpr (How == AddActivation::kLeaky) {
        whole = _mm512_max_epi32(whole, sum_of(k.below, lanes));
    }
    const __m512i step = _mm512_srav_epi32(whole, k.shift);
    if constexpr (!is_elu(How)) {
        return step;
    }
    const __m512i place = _mm512_min_epu32(step, k.elu_table.last_step);
    __m512i add = _mm512_permutex2var_epi32(k.elu_table.add[0], place, k.elu_table.add[1]);
    if constexpr (How == AddActivation::kLongElu) {
        const __m512i far =
            _mm512_permutex2var_epi32(_mm512_loadu_si512(k.elu_table.far_add), place,
                                      _mm512_loadu_si512(k.elu_table.far_add + 16));
        add = _mm512_mask_mov_epi32(
            add, _mm512_test_epi32_mask(place, _mm512_set1_epi32(EluTable::kMaxSteps / 2)), far);
    }
    return _mm512_srav_epi32(_mm512_add_epi32(whole, add), k.shift);
}

// q and r: bytes as they are in memory, and so is the result.
template <AddActivation How>
FUSEQ_INLINE __m512i added_bytes(const AddConstants& k, __m512i q, __m512i r, bool is_signed) {
    q = _mm512_xor_si512(q, k.q_flip);
    r = _mm512_xor_si512(r, k.r_flip);
    const __m512i first = _mm512_unpacklo_epi8(q, r);
    const __m512i second = _mm512_unpackhi_epi8(q, r);
    const __m512i low =
        _mm512_packs_epi32(added_dwords<How>(k, first, k.low), added_dwords<How>(k, first, k.high));
    const __m512i high = _mm512_packs_epi32(added_dwords<How>(k, second, k.low),
                                            added_dwords<How>(k, second, k.high));
    const __m512i bytes =
        is_signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    return is_elu(How) ? _mm512_max_epu8(bytes, k.elu_table.min) : bytes;
}

}  // namespace
}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
