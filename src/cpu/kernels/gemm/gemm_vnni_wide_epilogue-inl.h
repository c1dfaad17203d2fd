// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The epilogue of gemm_vnni_wide.hpp: from sums in registers to bytes in memory.
#pragma once

#include <immintrin.h>

#include <iterator>

#include "cpu/kernels/common/rule_form-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_micro-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_requantizing_add-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_wide.hpp"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::gemm {
namespace {

constexpr bool has_requantizing_add(WideEpilogue how) {
    return how == WideEpilogue::kAdd || how == WideEpilogue::kAddElu ||
           how == WideEpilogue::kAddLeaky;
}
constexpr bool reads_residual(WideEpilogue how) {
    return has_requantizing_add(how) || how == WideEpilogue::kSum || how == WideEpilogue::kSumSteps;
}

// Pixels of a group, which fills one store: one of 3 or 4 vectors, two of 2, four of 1.
constexpr std::size_t group_rows(std::size_t vectors) {
    return vectors == 1 ? 4 : vectors == 2 ? 2 : 1;
}

// min(max(x, low), high) * factor, at most 255.
FUSEQ_INLINE __m512 clipped(const WideVector& constants, __m512 x) {
    x = _mm512_max_ps(x, _mm512_load_ps(constants.low));
    x = _mm512_min_ps(x, _mm512_load_ps(constants.high));
    x = _mm512_mul_ps(x, _mm512_load_ps(constants.factor));
    return _mm512_min_ps(x, _mm512_set1_ps(255.0f));
}

// Vector N of all pixels: from sums to integers, with sums of windows.
template <std::size_t Vectors, std::size_t N, std::size_t Count>
FUSEQ_INLINE void finish_summed(const WidePanel& panel,
                                const float* sums,
                                Registers<__m512i, Count>& acc) {
    const WideVector& constants = panel.vectors[N];
    const __m512 scale = _mm512_load_ps(constants.scale);
    const __m512 shift = _mm512_load_ps(constants.shift);
    const __m512 of_sum = _mm512_load_ps(constants.of_sum);
    const auto each = [&](auto&& rest) FUSEQ_LAMBDA {
        unrolled<Count / Vectors>([&](auto m) FUSEQ_LAMBDA {
            __m512i& v = acc.v[m() * Vectors + N];
            const __m512 x =
                _mm512_fmadd_ps(_mm512_set1_ps(sums[m()]), of_sum, _mm512_cvtepi32_ps(v));
            v = _mm512_cvtps_epi32(rest(_mm512_mul_ps(_mm512_add_ps(x, shift), scale)));
        });
    };
    const WideWay way = panel.ways[N];
    if (way == WideWay::kSummedFactor) {
        const __m512 factor = _mm512_load_ps(constants.factor);
        each([&](__m512 x) FUSEQ_LAMBDA { return _mm512_mul_ps(x, factor); });
    } else if (way == WideWay::kSummed) {
        each([&](__m512 x) FUSEQ_LAMBDA { return x; });
    } else {
        each([&](__m512 x) FUSEQ_LAMBDA { return clipped(constants, x); });
    }
}

// 2^t for t <= 0, as quick_exp() has it: to 3e-7.
FUSEQ_INLINE __m512 power_of_two(__m512 t) {
    const __m512 r = _mm512_reduce_ps(t, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
    __m512 p = _mm512_set1_ps(0.0018775767f);
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.00898934002f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.0558263181f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.240153617f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.693153073f));
    p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(0.999999925f));
    return _mm512_scalef_ps(p, t);
}

template <std::size_t Vectors, std::size_t N, bool Limited, std::size_t Count>
FUSEQ_INLINE void finish_elu(const WidePanel& panel, Registers<__m512i, Count>& acc) {
    const WideVector& k = panel.vectors[N];
    unrolled<Count / Vectors>([&](auto m) FUSEQ_LAMBDA {
        __m512i& v = acc.v[m() * Vectors + N];
        const __m512 x = _mm512_cvtepi32_ps(v);
        const __m512 t = _mm512_fmadd_ps(x, _mm512_load_ps(k.scale), _mm512_load_ps(k.shift));
        const __m512 power = power_of_two(_mm512_min_ps(t, _mm512_setzero_ps()));
        const __m512 below =
            _mm512_fmadd_ps(power, _mm512_load_ps(k.below_scale), _mm512_load_ps(k.below_shift));
        const __m512 above =
            _mm512_fmadd_ps(x, _mm512_load_ps(k.above_scale), _mm512_load_ps(k.above_shift));
        const __m512 value = _mm512_max_ps(above, below);
        v = _mm512_cvtps_epi32(Limited ? _mm512_min_ps(value, _mm512_set1_ps(255.0f)) : value);
    });
}

template <std::size_t Vectors, std::size_t N, bool Limited, std::size_t Count>
FUSEQ_INLINE void finish_leaky(const WidePanel& panel, Registers<__m512i, Count>& acc) {
    const WideVector& k = panel.vectors[N];
    const __m512 scale = _mm512_load_ps(k.scale);
    const __m512 bias = _mm512_load_ps(k.shift);
    const __m512 slope = _mm512_load_ps(k.below_scale);
    unrolled<Count / Vectors>([&](auto m) FUSEQ_LAMBDA {
        __m512i& v = acc.v[m() * Vectors + N];
        __m512 x = _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(v), bias), scale);
        x = _mm512_max_ps(x, _mm512_mul_ps(x, slope));
        x = _mm512_fmadd_ps(x, _mm512_load_ps(k.factor), _mm512_load_ps(k.above_shift));
        v = _mm512_cvtps_epi32(Limited ? _mm512_min_ps(x, _mm512_set1_ps(255.0f)) : x);
    });
}

// Vector N of all pixels, by a rule.
template <std::size_t Vectors, std::size_t N, std::size_t Count>
FUSEQ_INLINE void finish_rule(const WidePanel& panel, Registers<__m512i, Count>& acc) {
    const WideVector& k = panel.vectors[N];
    const __m512 scale = _mm512_load_ps(k.scale);
    const __m512 shift = _mm512_load_ps(k.shift);
    const auto each = [&](auto&& to_integer) FUSEQ_LAMBDA {
        unrolled<Count / Vectors>([&](auto m) FUSEQ_LAMBDA {
            __m512i& v = acc.v[m() * Vectors + N];
            v = to_integer(v);
        });
    };
    const WideWay way = panel.ways[N];
    if (way == WideWay::kFloor) {
        const __m512 rest = _mm512_load_ps(k.rest);
        each([&](__m512i v) FUSEQ_LAMBDA { return by_floor(v, scale, rest, shift); });
    } else if (way == WideWay::kTwoFloors) {
        const __m512 rest = _mm512_load_ps(k.rest);
        const __m512 below = _mm512_load_ps(k.below_shift);
        each([&](__m512i v) FUSEQ_LAMBDA { return by_two_floors(v, scale, rest, shift, below); });
    } else if (way == WideWay::kReal) {
        const __m512i zero_point = _mm512_cvtps_epi32(shift);
        each([&](__m512i v) FUSEQ_LAMBDA { return by_real(v, scale, zero_point); });
    } else {
        each([&](__m512i v) FUSEQ_LAMBDA { return by_real_zero_first(v, scale, shift); });
    }
    if (panel.clips) {
        const __m512i low = _mm512_cvtps_epi32(_mm512_load_ps(k.low));
        const __m512i high = _mm512_cvtps_epi32(_mm512_load_ps(k.high));
        each([&](__m512i v)
                 FUSEQ_LAMBDA { return _mm512_min_epi32(_mm512_max_epi32(v, low), high); });
    }
}

// Vector N of all pixels: from sums to integers.
template <std::size_t Vectors, std::size_t N, WideEpilogue How, std::size_t Count>
FUSEQ_INLINE void finish_vector(const WidePanel& panel,
                                const float* sums,
                                Registers<__m512i, Count>& acc) {
    const __m512 scale = _mm512_load_ps(panel.vectors[N].scale);
    const __m512 shift = _mm512_load_ps(panel.vectors[N].shift);
    const auto each = [&](auto&& way) FUSEQ_LAMBDA {
        unrolled<Count / Vectors>([&](auto m) FUSEQ_LAMBDA {
            __m512i& v = acc.v[m() * Vectors + N];
            v = _mm512_cvtps_epi32(way(v));
        });
    };
    const WideWay way = panel.ways[N];
    // Only in instances of its own, as it costs the others 2 %. The code below stays in these
    // instances too: without it GCC allocates registers worse, which costs a fifth.
    if constexpr (How == WideEpilogue::kMore) {
        if (way >= WideWay::kFloor) {
            return finish_rule<Vectors, N>(panel, acc);
        }
        if (way == WideWay::kElu) {
            return finish_elu<Vectors, N, false>(panel, acc);
        }
        if (way == WideWay::kEluLimited) {
            return finish_elu<Vectors, N, true>(panel, acc);
        }
        if (way == WideWay::kLeaky) {
            return finish_leaky<Vectors, N, false>(panel, acc);
        }
        if (way == WideWay::kLeakyLimited) {
            return finish_leaky<Vectors, N, true>(panel, acc);
        }
    }
    if (way == WideWay::kShort) [[likely]] {
        each([&](__m512i v)
                 FUSEQ_LAMBDA { return _mm512_fmadd_ps(_mm512_castsi512_ps(v), scale, shift); });
    } else if (way == WideWay::kLong) {
        each([&](__m512i v) FUSEQ_LAMBDA {
            return _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(v), shift), scale);
        });
    } else if (way == WideWay::kFactor) {
        const __m512 factor = _mm512_load_ps(panel.vectors[N].factor);
        each([&](__m512i v) FUSEQ_LAMBDA {
            const __m512 x = _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(v), shift), scale);
            return _mm512_mul_ps(x, factor);
        });
    } else if (way == WideWay::kClipped) {
        each([&](__m512i v) FUSEQ_LAMBDA {
            return clipped(panel.vectors[N],
                           _mm512_mul_ps(_mm512_add_ps(_mm512_cvtepi32_ps(v), shift), scale));
        });
    } else {
        finish_summed<Vectors, N>(panel, sums, acc);
    }
}

// Vector N of all pixels: from sums to floats.
template <std::size_t Vectors, std::size_t N, std::size_t Count>
FUSEQ_INLINE void scale_vector(const WidePanel& panel, Registers<__m512i, Count>& acc) {
    const __m512 scale = _mm512_load_ps(panel.vectors[N].scale);
    const __m512 shift = _mm512_load_ps(panel.vectors[N].shift);
    unrolled<Count / Vectors>([&](auto m) FUSEQ_LAMBDA {
        __m512i& v = acc.v[m() * Vectors + N];
        v = _mm512_castps_si512(_mm512_fmadd_ps(_mm512_cvtepi32_ps(v), scale, shift));
    });
}

// All vectors of all pixels. A sum is left to the groups, which load its tensor.
template <std::size_t Vectors, WideEpilogue How, std::size_t Count>
FUSEQ_INLINE void finish_vectors(const WidePanel& panel,
                                 const float* sums,
                                 Registers<__m512i, Count>& acc) {
    if constexpr (How == WideEpilogue::kSumSteps) {
        unrolled<Vectors>([&](auto n) FUSEQ_LAMBDA { scale_vector<Vectors, n()>(panel, acc); });
    } else if constexpr (How != WideEpilogue::kSum) {
        unrolled<Vectors>([&](auto n)
                              FUSEQ_LAMBDA { finish_vector<Vectors, n(), How>(panel, sums, acc); });
    }
}

struct Stores {
    std::uint8_t* dst;
    std::ptrdiff_t step;
    __mmask64 mask;
    bool whole;                    // the bytes of a group lie one after the other
    bool is_signed;                // the bytes that sums become
    const std::uint8_t* limits;    // null for none
    const RequantizingAdd* add;    // null for none
    const std::uint8_t* residual;  // for it, or for a sum
    bool residual_signed;
    bool stores_signed;
    bool long_table;
    const float* sums;  // of the windows of the pixels; null for none
};

FUSEQ_INLINE __m512i limited(__m512i bytes, const Stores& to) {
    return to.limits == nullptr ? bytes : _mm512_min_epu8(bytes, _mm512_load_si512(to.limits));
}

// The bytes of a group in the order of memory, one pixel after the other.
template <std::size_t Vectors>
FUSEQ_INLINE __m512i in_order(__m512i bytes) {
    if constexpr (Vectors == 4) {
        return bytes;
    } else if constexpr (Vectors == 3) {  // three of four 32-bit values of each lane
        return _mm512_permutexvar_epi32(
            _mm512_setr_epi32(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 3, 7, 11, 15), bytes);
    } else if constexpr (Vectors == 2) {
        return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), bytes);
    } else {
        return _mm512_permutexvar_epi32(
            _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), bytes);
    }
}

// The inverse.
template <std::size_t Vectors>
FUSEQ_INLINE __m512i in_lanes(__m512i bytes) {
    if constexpr (Vectors == 4) {
        return bytes;
    } else if constexpr (Vectors == 3) {
        return _mm512_permutexvar_epi32(
            _mm512_setr_epi32(0, 1, 2, 12, 3, 4, 5, 13, 6, 7, 8, 14, 9, 10, 11, 15), bytes);
    } else if constexpr (Vectors == 2) {
        return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), bytes);
    } else {
        return in_order<1>(bytes);
    }
}

// As store_pixels() stores them.
template <std::size_t Vectors>
FUSEQ_INLINE __m512i load_pixels(const std::uint8_t* at, const Stores& to) {
    const std::ptrdiff_t step = to.step;
    const __mmask64 mask = to.mask;
    if (Vectors != 3 && to.whole) {
        return _mm512_loadu_si512(at);
    }
    if constexpr (Vectors > 2) {
        return _mm512_maskz_loadu_epi8(mask, at);
    } else if constexpr (Vectors == 2) {
        const auto half = static_cast<__mmask32>(mask);
        return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_maskz_loadu_epi8(half, at)),
                                  _mm256_maskz_loadu_epi8(half, at + step), 1);
    } else {
        const auto quarter = static_cast<__mmask16>(mask);
        const auto load = [&](std::ptrdiff_t i)
                              FUSEQ_LAMBDA { return _mm_maskz_loadu_epi8(quarter, at + i * step); };
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(load(0)), load(1), 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(load(2)), load(3), 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
}

template <std::size_t Vectors>
FUSEQ_INLINE void store_pixels(__m512i bytes, const Stores& to) {
    std::uint8_t* const at = to.dst;
    const std::ptrdiff_t step = to.step;
    const __mmask64 mask = to.mask;
    if (Vectors != 3 && to.whole) {
        return _mm512_storeu_si512(at, bytes);
    }
    if constexpr (Vectors > 2) {
        _mm512_mask_storeu_epi8(at, mask, bytes);
    } else if constexpr (Vectors == 2) {
        const auto half = static_cast<__mmask32>(mask);
        _mm256_mask_storeu_epi8(at, half, _mm512_castsi512_si256(bytes));
        _mm256_mask_storeu_epi8(at + step, half, _mm512_extracti64x4_epi64(bytes, 1));
    } else {
        const auto quarter = static_cast<__mmask16>(mask);
        _mm_mask_storeu_epi8(at, quarter, _mm512_castsi512_si128(bytes));
        _mm_mask_storeu_epi8(at + step, quarter, _mm512_extracti32x4_epi32(bytes, 1));
        _mm_mask_storeu_epi8(at + 2 * step, quarter, _mm512_extracti32x4_epi32(bytes, 2));
        _mm_mask_storeu_epi8(at + 3 * step, quarter, _mm512_extracti32x4_epi32(bytes, 3));
    }
}

// Four vectors of a group, as integers, to memory.
template <std::size_t Vectors, WideEpilogue How>
FUSEQ_INLINE void store_group(const Registers<__m512i, 4>& v,
                              const Stores& to,
                              const AddConstants& add) {
    constexpr bool kMaySign = How != WideEpilogue::kAddElu;  // see EluTable
    const __m512i low = _mm512_packs_epi32(v[0], v[1]);
    const __m512i high = _mm512_packs_epi32(v[2], v[3]);
    __m512i bytes =
        kMaySign && to.is_signed ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    bytes = in_order<Vectors>(bytes);
    if constexpr (has_requantizing_add(How)) {  // without limits
        const __m512i residual = load_pixels<Vectors>(to.residual, to);
        if constexpr (How == WideEpilogue::kAdd) {
            bytes = added_bytes<AddActivation::kNone>(add, bytes, residual, to.stores_signed);
        } else if constexpr (How == WideEpilogue::kAddLeaky) {
            bytes = added_bytes<AddActivation::kLeaky>(add, bytes, residual, to.stores_signed);
        } else if (to.long_table) [[unlikely]] {
            bytes = added_bytes<AddActivation::kLongElu>(add, bytes, residual, false);
        } else {
            bytes = added_bytes<AddActivation::kShortElu>(add, bytes, residual, false);
        }
    } else {
        bytes = limited(bytes, to);
    }
    store_pixels<Vectors>(bytes, to);
}

// Bytes 4 * I to 4 * I + 3 of each lane, as floats.
template <std::size_t I>
FUSEQ_INLINE __m512 floats_of(__m512i bytes, bool is_signed) {
    constexpr char kB = 4 * I;
    if (is_signed) {
        const __m512i take = _mm512_broadcast_i32x4(_mm_setr_epi8(
            -1, -1, -1, kB, -1, -1, -1, kB + 1, -1, -1, -1, kB + 2, -1, -1, -1, kB + 3));
        return _mm512_cvtepi32_ps(_mm512_srai_epi32(_mm512_shuffle_epi8(bytes, take), 24));
    }
    const __m512i take = _mm512_broadcast_i32x4(
        _mm_setr_epi8(kB, -1, -1, -1, kB + 1, -1, -1, -1, kB + 2, -1, -1, -1, kB + 3, -1, -1, -1));
    return _mm512_cvtepi32_ps(_mm512_shuffle_epi8(bytes, take));
}

FUSEQ_INLINE __m512 elu_of_sum(const WideVector& k, __m512i acc, __m512 element) {
    const __m512 x =
        _mm512_fmadd_ps(_mm512_cvtepi32_ps(acc), _mm512_load_ps(k.scale), _mm512_load_ps(k.shift));
    const __m512 y = _mm512_fmadd_ps(element, _mm512_load_ps(k.of_tensor), x);
    const __m512 power = power_of_two(_mm512_min_ps(y, _mm512_setzero_ps()));
    return _mm512_max_ps(
        _mm512_fmadd_ps(y, _mm512_load_ps(k.above_scale), _mm512_load_ps(k.above_shift)),
        _mm512_fmadd_ps(power, _mm512_load_ps(k.below_scale), _mm512_load_ps(k.below_shift)));
}

// The vectors of a group, from sums to integers, with bytes of the tensor.
template <std::size_t Vectors>
FUSEQ_INLINE void add_residual(const WidePanel& panel, const Stores& to, Registers<__m512i, 4>& v) {
    const __m512i bytes = in_lanes<Vectors>(load_pixels<Vectors>(to.residual, to));
    const __m512 max = _mm512_set1_ps(255.0f);
    unrolled<4>([&](auto i) FUSEQ_LAMBDA {
        const WideVector& k =
            panel.vectors[Vectors == 3 ? std::min<std::size_t>(i(), 2) : i() % Vectors];
        const __m512 element = floats_of<i()>(bytes, to.residual_signed);
        v[i] = _mm512_cvtps_epi32(_mm512_min_ps(elu_of_sum(k, v[i], element), max));
    });
}

struct StepVectors {
    __m512 lowest, add[2];
    explicit StepVectors(const EluSteps& steps)
        : lowest(_mm512_set1_ps(steps.lowest)),
          add{_mm512_load_ps(steps.add), _mm512_load_ps(steps.add + 16)} {}

    FUSEQ_INLINE __m512i byte(__m512 y) const {
        const __m512 b = _mm512_max_ps(y, lowest);
        // All bits are set where b is above zero.
        const __m512i place =
            _mm512_cvt_roundps_epu32(_mm512_mul_ps(b, _mm512_set1_ps(-EluSteps::kUnits)),
                                     _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
        return _mm512_cvtps_epi32(_mm512_add_ps(b, _mm512_permutex2var_ps(add[0], place, add[1])));
    }
};

// The same of scaled sums, by steps.
template <std::size_t Vectors>
FUSEQ_INLINE void add_residual_by_steps(const WidePanel& panel,
                                        const Stores& to,
                                        Registers<__m512i, 4>& v) {
    const __m512i bytes = in_lanes<Vectors>(load_pixels<Vectors>(to.residual, to));
    const StepVectors steps(panel.elu_steps);
    unrolled<4>([&](auto i) FUSEQ_LAMBDA {
        const WideVector& k =
            panel.vectors[Vectors == 3 ? std::min<std::size_t>(i(), 2) : i() % Vectors];
        const __m512 element = floats_of<i()>(bytes, to.residual_signed);
        v[i] = steps.byte(
            _mm512_fmadd_ps(element, _mm512_load_ps(k.of_tensor), _mm512_castsi512_ps(v[i])));
    });
}

template <std::size_t Vectors, WideEpilogue How, std::size_t Group, std::size_t Count>
FUSEQ_INLINE void finish_group(const WidePanel& panel,
                               const Registers<__m512i, Count>& acc,
                               const Stores& to,
                               const AddConstants& add) {
    constexpr std::size_t kInGroup = group_rows(Vectors) * Vectors;
    Registers<__m512i, 4> v;
    unrolled<4>([&](auto i) FUSEQ_LAMBDA {
        v[i] = acc.v[Group * kInGroup + std::min<std::size_t>(i(), kInGroup - 1)];
    });
    if constexpr (How == WideEpilogue::kSum) {
        add_residual<Vectors>(panel, to, v);
    } else if constexpr (How == WideEpilogue::kSumSteps) {
        add_residual_by_steps<Vectors>(panel, to, v);
    }
    store_group<Vectors, How>(v, to, add);
}

// The constants of a requantizing add are read for each tile: while products are added up no
// registers are left for them.
template <WideEpilogue How>
FUSEQ_INLINE AddConstants load_add(const Stores& to) {
    AddConstants constants{};
    if constexpr (has_requantizing_add(How)) {
        const RequantizingAdd* add = to.add;
        asm volatile("" : "+r"(add));
        constants = constants_of(*add, add->q_unsigned);
    }
    return constants;
}

template <std::size_t Vectors>
bool lies_whole(const WideCall& call) {
    return call.channels == 16 * Vectors &&
           (Vectors == 4 || call.dst_step == static_cast<std::ptrdiff_t>(16 * Vectors));
}

template <std::size_t Vectors, WideEpilogue How>
Stores stores_of(const WideCall& call) {
    return {.dst = call.dst,
            .step = call.dst_step,
            .mask = call.channels == 64 ? ~0ull : (1ull << call.channels) - 1,
            .whole = lies_whole<Vectors>(call),
            .is_signed = has_requantizing_add(How) ? call.q_signed : call.is_signed,
            .limits = call.panel->limited ? call.panel->limits : nullptr,
            .add = call.add,
            .residual = call.residual,
            .residual_signed = call.residual_signed,
            .stores_signed = call.is_signed,
            .long_table = How == WideEpilogue::kAddElu && call.add->elu_table->is_long(),
            .sums = call.sums};
}

}  // namespace
}  // namespace fuseq::kernels::gemm

FUSEQ_END_VNNI
