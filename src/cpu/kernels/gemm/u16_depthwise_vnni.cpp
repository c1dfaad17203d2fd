// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolutions of 3x3 of 16-bit values by vpdpwssd, 32 channels at a time. A column of
// three rows is two vectors of pairs for either half of the channels; windows side by side share
// columns. Pairs are made by interleaving within 128 bits, so that the first half has channels 0 to
// 3, 8 to 11, ... and a pack of both halves puts results in order again.
#include <array>

#include "cpu/kernels/gemm/u16_results_vnni-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::u16 {
namespace {

constexpr std::size_t kColumns = 3;

// What two vectors of 16 channels become: those of either half.
struct Halves {
    __m512i first, second;
};
FUSEQ_INLINE Halves halves_of(__m512i a, __m512i b) {
    const __m512i first =
        _mm512_setr_epi32(0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(4));
    return {_mm512_permutex2var_epi32(a, first, b), _mm512_permutex2var_epi32(a, second, b)};
}
FUSEQ_INLINE __m512i in_half(bool second, __m512 a, __m512 b) {
    const Halves halves = halves_of(_mm512_castps_si512(a), _mm512_castps_si512(b));
    return second ? halves.second : halves.first;
}

// Rows 0 and 1 in pairs, row 2 with zeros.
struct Column {
    Halves upper, lower;
};
FUSEQ_INLINE Column load_column(const std::int16_t* from, std::ptrdiff_t row) {
    const __m512i a = _mm512_loadu_si512(from);
    const __m512i b = _mm512_loadu_si512(from + row);
    const __m512i c = _mm512_loadu_si512(from + 2 * row);
    const __m512i zero = _mm512_setzero_si512();
    return {{_mm512_unpacklo_epi16(a, b), _mm512_unpackhi_epi16(a, b)},
            {_mm512_unpacklo_epi16(c, zero), _mm512_unpackhi_epi16(c, zero)}};
}

struct ColumnWeights {
    Halves upper, lower;
};

FUSEQ_INLINE void add_column(Halves& sum, const Column& x, const ColumnWeights& w) {
    sum.first = _mm512_dpwssd_epi32(sum.first, x.upper.first, w.upper.first);
    sum.second = _mm512_dpwssd_epi32(sum.second, x.upper.second, w.upper.second);
    sum.first = _mm512_dpwssd_epi32(sum.first, x.lower.first, w.lower.first);
    sum.second = _mm512_dpwssd_epi32(sum.second, x.lower.second, w.lower.second);
}

template <class Store>
FUSEQ_INLINE void add_windows(const DepthwiseCall& call, const Store& store) {
    ColumnWeights wei[kColumns];
    for (std::size_t i = 0; i < kColumns; ++i) {
        const auto load = [&](std::size_t pair) FUSEQ_LAMBDA {
            const std::int16_t* from = call.wei + (2 * i + pair) * 2 * kGroup;
            return halves_of(_mm512_loadu_si512(from), _mm512_loadu_si512(from + call.wei_step));
        };
        wei[i] = {load(0), load(1)};
    }
    const Halves init =
        halves_of(_mm512_loadu_si512(call.init), _mm512_loadu_si512(call.init + kGroup));
    const auto window = [&](const Column& a, const Column& b, const Column& c) FUSEQ_LAMBDA {
        Halves sum = init;
        add_column(sum, a, wei[0]);
        add_column(sum, b, wei[1]);
        add_column(sum, c, wei[2]);
        return sum;
    };
    const std::int16_t* src = call.src;
    if (call.src_step != call.column) {
        for (std::size_t p = 0; p < call.pixels; ++p, src += call.src_step) {
            store(p, window(load_column(src, call.row), load_column(src + call.column, call.row),
                            load_column(src + 2 * call.column, call.row)));
        }
        return;
    }
    Column a = load_column(src, call.row);
    Column b = load_column(src + call.column, call.row);
    src += 2 * call.column;
    std::size_t p = 0;
    for (; p + kColumns <= call.pixels; p += kColumns, src += kColumns * call.column) {
        const Column c = load_column(src, call.row);
        store(p, window(a, b, c));
        a = load_column(src + call.column, call.row);
        store(p + 1, window(b, c, a));
        b = load_column(src + 2 * call.column, call.row);
        store(p + 2, window(c, a, b));
    }
    for (; p < call.pixels; ++p, src += call.column) {
        const Column c = load_column(src, call.row);
        store(p, window(a, b, c));
        a = b;
        b = c;
    }
}

// Of one half of 32 channels.
Constants constants_of(const Results& results, bool second) {
    const Constants a = load_constants(*results.finish, results.channel);
    const Constants b = load_constants(*results.finish, results.channel + kGroup);
    const auto half = [&](__m512 x, __m512 y) {
        return _mm512_castsi512_ps(in_half(second, x, y));
    };
    return {.scale = half(a.scale, b.scale),
            .bias = half(a.bias, b.bias),
            .slope = half(a.slope, b.slope),
            .shift = half(a.shift, b.shift),
            .low = a.low,
            .high = half(a.high, b.high),
            .rescale = half(a.rescale, b.rescale),
            .slopes = a.slopes,
            .rescales = a.rescales,
            .mask = a.mask};
}

void store_sums(const DepthwiseCall& call) {
    const __m512i first = _mm512_setr_epi32(0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    add_windows(call, [&](std::size_t pixel, const Halves& sum) FUSEQ_LAMBDA {
        float* const to = call.sums + pixel * call.pitch;
        _mm512_storeu_ps(
            to, _mm512_cvtepi32_ps(_mm512_permutex2var_epi32(sum.first, first, sum.second)));
        _mm512_storeu_ps(to + kGroup, _mm512_cvtepi32_ps(_mm512_permutex2var_epi32(
                                          sum.first, second, sum.second)));
    });
}

template <Way kWay>
void store_results(const DepthwiseCall& call) {
    const Results& results = call.results;
    const Constants first = constants_of(results, false);
    const Constants second = constants_of(results, true);
    const std::size_t step = results.finish->channels();
    const std::size_t left = step - results.channel;
    const __mmask32 mask =
        left >= 2 * kGroup ? ~__mmask32{0} : (__mmask32{1} << left) - __mmask32{1};
    std::uint16_t* const to = static_cast<std::uint16_t*>(results.dst) + results.channel;
    add_windows(call, [&](std::size_t pixel, const Halves& sum) FUSEQ_LAMBDA {
        const __m512i both = _mm512_packus_epi32(finished<kWay>(sum.first, first),
                                                 finished<kWay>(sum.second, second));
        _mm512_mask_storeu_epi16(to + pixel * step, mask, both);
    });
}

}  // namespace

void sum_depthwise_vnni512(const DepthwiseCall& call) {
    const U16Finish* const finish = call.results.finish;
    if (finish == nullptr) {
        return store_sums(call);
    }
    with_way_of(*finish, [&](auto way) { store_results<way()>(call); });
}

}  // namespace fuseq::kernels::u16

FUSEQ_END_VNNI
