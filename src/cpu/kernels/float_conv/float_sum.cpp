// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/float_conv/float_sum.hpp"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/vnni_target.hpp"

namespace fuseq::kernels {
namespace {

constexpr std::size_t kSteps = 256;  // the last one is the one before it again
constexpr std::int64_t kOne = std::int64_t{1} << 23u;

// Step i is the way from one byte to the next, `byte`.
struct Steps {
    alignas(64) std::array<std::int32_t, kSteps> byte;
    // The smallest real number that rounds to a float that rounds to the byte, or the greatest that
    // does not: half-way cases of either rounding go to the even side.
    alignas(64) std::array<double, kSteps> boundary;
};

Steps make_steps(int lowest) {
    Steps steps{};
    for (std::size_t i = 0; i < kSteps; ++i) {
        const int byte = lowest + 1 + static_cast<int>(std::min(i, kSteps - 2));
        const float half = static_cast<float>(byte) - 0.5f;
        const float inf = std::numeric_limits<float>::infinity();
        const float next = std::nextafter(half, byte % 2 == 0 ? -inf : inf);
        steps.byte[i] = byte;
        steps.boundary[i] = (static_cast<double>(half) + static_cast<double>(next)) / 2;
    }
    return steps;
}

const Steps& steps_of(bool is_signed) {
    static const Steps kUnsigned = make_steps(0);
    static const Steps kSigned = make_steps(-128);
    return is_signed ? kSigned : kUnsigned;
}

// What may be added to scale * x: at least `low`, less than `high`.
struct Window {
    double low;
    double high;
};

}  // namespace
}  // namespace fuseq::kernels

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels {
namespace {

// The first x of each byte, limited to [min, max + 1].
struct Places {
    alignas(64) std::array<std::int32_t, kSteps> first;
};

FUSEQ_INLINE __m512i long_way(const ByteRule& rule, __m512i x) {
    const __m512 v = _mm512_cvtepi32_ps(x);
    const __m512 scale = _mm512_set1_ps(rule.scale);
    const __m512 bias = _mm512_set1_ps(rule.bias);
    __m512 value = rule.bias_first ? _mm512_mul_ps(_mm512_add_ps(v, bias), scale)
                                   : _mm512_fmadd_ps(v, scale, bias);
    if (rule.clips) {
        value = _mm512_max_ps(value, _mm512_set1_ps(rule.low));
        value = _mm512_mul_ps(_mm512_min_ps(value, _mm512_set1_ps(rule.high)),
                              _mm512_set1_ps(rule.factor));
    }
    if (rule.relus) {
        value =
            _mm512_add_ps(_mm512_max_ps(value, _mm512_setzero_ps()), _mm512_set1_ps(rule.after));
    }
    return _mm512_cvtps_epi32(value);
}

FUSEQ_INLINE __m512i short_way(const FloatSum& sum, __m512i x) {
    const __m512 v = _mm512_castsi512_ps(_mm512_add_epi32(x, _mm512_set1_epi32(sum.begin)));
    return _mm512_cvtps_epi32(
        _mm512_fmadd_ps(v, _mm512_set1_ps(sum.scale), _mm512_set1_ps(sum.shift)));
}

// Whether way(x) has all of these places.
template <class Way>
FUSEQ_INLINE bool has_places(const ByteRule& rule,
                             const Steps& steps,
                             const Places& places,
                             const Way& way) {
    const __m512i min = _mm512_set1_epi32(static_cast<std::int32_t>(rule.min));
    const __m512i max = _mm512_set1_epi32(static_cast<std::int32_t>(rule.max));
    const __m512i top = _mm512_set1_epi32(top_byte(rule));
    const __m512i bottom = _mm512_set1_epi32(bottom_byte(rule));
    unsigned wrong = 0;
    for (std::size_t i = 0; i < kSteps; i += 16) {
        const __m512i byte = _mm512_load_si512(steps.byte.data() + i);
        const __m512i first = _mm512_load_si512(places.first.data() + i);
        const __m512i last = _mm512_sub_epi32(first, _mm512_set1_epi32(1));
        const __mmask16 used =
            _mm512_mask_cmpgt_epi32_mask(_mm512_cmple_epi32_mask(byte, top), byte, bottom);
        const __mmask16 there = _mm512_mask_cmple_epi32_mask(used, first, max);
        const __mmask16 before = _mm512_mask_cmpge_epi32_mask(used, last, min);
        wrong |= _mm512_mask_cmplt_epi32_mask(there, way(first), byte);
        wrong |= _mm512_mask_cmpge_epi32_mask(before, way(last), byte);
    }
    return wrong == 0;
}

// From estimates in double precision, which are at most one away.
FUSEQ_INLINE Places find_places(const ByteRule& rule, const Steps& steps) {
    const double factor =
        1.0 / (static_cast<double>(rule.scale) * static_cast<double>(rule.factor));
    const double bias =
        static_cast<double>(rule.bias) + (rule.relus ? static_cast<double>(rule.after) : 0.0);
    const __m512d shift = _mm512_set1_pd(rule.bias_first ? -bias : -bias * factor);
    const auto estimate = [&](std::size_t at) FUSEQ_LAMBDA {
        const __m512d boundary = _mm512_load_pd(steps.boundary.data() + at);
        const __m512d x = _mm512_fmadd_pd(boundary, _mm512_set1_pd(factor), shift);
        const __m512d limited =
            _mm512_min_pd(_mm512_max_pd(x, _mm512_set1_pd(static_cast<double>(rule.min))),
                          _mm512_set1_pd(static_cast<double>(rule.max + 1)));
        return _mm512_cvtpd_epi32(_mm512_roundscale_pd(limited, _MM_FROUND_TO_POS_INF));
    };
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i min = _mm512_set1_epi32(static_cast<std::int32_t>(rule.min));
    const __m512i after = _mm512_set1_epi32(static_cast<std::int32_t>(rule.max + 1));
    Places places;
    for (std::size_t i = 0; i < kSteps; i += 16) {
        const __m512i byte = _mm512_load_si512(steps.byte.data() + i);
        const __m512i x =
            _mm512_inserti64x4(_mm512_castsi256_si512(estimate(i)), estimate(i + 8), 1);
        const __m512i last = _mm512_sub_epi32(x, one);
        const __mmask16 later = _mm512_cmplt_epi32_mask(long_way(rule, x), byte);
        const __mmask16 sooner = _mm512_cmpge_epi32_mask(long_way(rule, last), byte);
        const __m512i first =
            _mm512_mask_sub_epi32(_mm512_mask_add_epi32(x, later, x, one), sooner, x, one);
        _mm512_store_si512(places.first.data() + i,
                           _mm512_min_epi32(_mm512_max_epi32(first, min), after));
    }
    return places;
}

// Where scale * x + shift, in real numbers, has the places.
FUSEQ_INLINE Window window_of(const ByteRule& rule,
                              const Steps& steps,
                              const Places& places,
                              float scale) {
    const __m512d by = _mm512_set1_pd(static_cast<double>(scale));
    const __m256i min = _mm256_set1_epi32(static_cast<std::int32_t>(rule.min));
    const __m256i max = _mm256_set1_epi32(static_cast<std::int32_t>(rule.max));
    const __m256i top = _mm256_set1_epi32(top_byte(rule));
    const __m256i bottom = _mm256_set1_epi32(bottom_byte(rule));
    __m512d low = _mm512_set1_pd(-std::numeric_limits<double>::max());
    __m512d high = _mm512_set1_pd(std::numeric_limits<double>::max());
    for (std::size_t i = 0; i < kSteps; i += 8) {
        const __m512d boundary = _mm512_load_pd(steps.boundary.data() + i);
        const __m256i first =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(places.first.data() + i));
        const __m256i last = _mm256_sub_epi32(first, _mm256_set1_epi32(1));
        const __m256i byte =
            _mm256_load_si256(reinterpret_cast<const __m256i*>(steps.byte.data() + i));
        const __mmask8 used =
            _mm256_mask_cmpgt_epi32_mask(_mm256_cmple_epi32_mask(byte, top), byte, bottom);
        low = _mm512_mask_max_pd(low, _mm256_mask_cmple_epi32_mask(used, first, max), low,
                                 _mm512_fnmadd_pd(by, _mm512_cvtepi32_pd(first), boundary));
        high = _mm512_mask_min_pd(high, _mm256_mask_cmpge_epi32_mask(used, last, min), high,
                                  _mm512_fnmadd_pd(by, _mm512_cvtepi32_pd(last), boundary));
    }
    return {_mm512_reduce_max_pd(low), _mm512_reduce_min_pd(high)};
}

// A beginning and a shift that is a float, together in the window: the shift is as large as 2^23
// steps of x, too coarse by itself, and each later beginning moves it by another fraction.
FUSEQ_INLINE std::optional<FloatSum> find_sum(const ByteRule& rule, float scale, Window window) {
    constexpr int kTries = 1 << 15;
    const double middle = std::clamp(window.low / 2 + window.high / 2, -1e9, 1e9);
    const std::int64_t begin = kOne - std::min<std::int64_t>(rule.min, 0);
    const std::int64_t room = 2 * kOne - 1 - std::max<std::int64_t>(rule.max, 0) - begin;
    const auto tries = static_cast<int>(std::min<std::int64_t>(room, kTries));
    const __m512d by = _mm512_set1_pd(static_cast<double>(scale));
    const __m512d wanted = _mm512_set1_pd(middle);
    __m512d at = _mm512_add_pd(_mm512_set1_pd(static_cast<double>(begin)),
                               _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7));
    for (int i = 0; i + 8 <= tries; i += 8, at = _mm512_add_pd(at, _mm512_set1_pd(8))) {
        const __m512d product = _mm512_mul_pd(at, by);  // exact, 24 and 24 bits
        const __m256 shift = _mm512_cvtpd_ps(_mm512_sub_pd(wanted, product));
        const __m512d sum = _mm512_add_pd(_mm512_cvtps_pd(shift), product);
        const __mmask8 in = _mm512_cmp_pd_mask(sum, _mm512_set1_pd(window.low), _CMP_GT_OQ) &
                            _mm512_cmp_pd_mask(sum, _mm512_set1_pd(window.high), _CMP_LT_OQ);
        if (in != 0) {
            const int lane = std::countr_zero(static_cast<unsigned>(in));
            alignas(32) float shifts[8];
            _mm256_store_ps(shifts, shift);
            const auto bits = static_cast<std::int32_t>(begin + i + lane - kOne);
            return FloatSum{.begin = std::bit_cast<std::int32_t>(static_cast<float>(kOne)) + bits,
                            .scale = scale,
                            .shift = shifts[lane]};
        }
    }
    return std::nullopt;
}

std::optional<FloatSum> with_slope(const ByteRule& rule,
                                   const Steps& steps,
                                   const Places& places,
                                   float scale) {
    const Window window = window_of(rule, steps, places, scale);
    if (!(window.low < window.high)) {
        return std::nullopt;
    }
    const auto found = find_sum(rule, scale, window);
    if (found && has_places(rule, steps, places,
                            [&](__m512i x) FUSEQ_LAMBDA { return short_way(*found, x); })) {
        return found;
    }
    return std::nullopt;
}

}  // namespace

int top_byte(const ByteRule& rule) {
    const int max = rule.is_signed ? 127 : 255;
    return rule.clips ? static_cast<int>(std::clamp(std::nearbyint(rule.high * rule.factor), 0.0f,
                                                    static_cast<float>(max)))
                      : max;
}

int bottom_byte(const ByteRule& rule) {
    const float min = rule.is_signed ? -128.0f : 0.0f;
    return static_cast<int>(rule.relus ? std::clamp(std::nearbyint(rule.after), min, min + 255.0f)
                                       : min);
}

std::optional<FloatSum> search_float_sum(const ByteRule& rule) {
    const bool takes = rule.scale >= 1e-30f && rule.scale <= 1e4f && std::abs(rule.bias) < 1e9f &&
                       rule.min <= rule.max && rule.min > -kOne && rule.max < kOne &&
                       rule.max - rule.min < kOne - 64;
    const bool clips_well = !rule.clips || (rule.bias_first && !rule.is_signed && rule.low <= 0 &&
                                            rule.factor >= 1e-10f && rule.factor <= 1e10f &&
                                            rule.high > 0 && rule.high * rule.factor < 1e9f);
    const bool relus_well =
        !rule.relus || (!rule.bias_first && !rule.clips && std::abs(rule.after) < 1e6f);
    const float scale = rule.clips ? rule.scale * rule.factor : rule.scale;
    constexpr double kFits = 1e9;  // a 32-bit integer, either way
    const double largest = static_cast<double>(std::max(-rule.min, rule.max)) +
                           (rule.bias_first ? std::abs(static_cast<double>(rule.bias)) : 0.0);
    if (!takes || !clips_well || !relus_well || !(scale >= 1e-30f) ||
        largest * static_cast<double>(std::max(rule.scale, scale)) > kFits) {
        return std::nullopt;
    }
    const Steps& steps = steps_of(rule.is_signed);
    const auto by_long_way = [&](__m512i x) FUSEQ_LAMBDA { return long_way(rule, x); };
    const Places places = find_places(rule, steps);
    if (!has_places(rule, steps, places, by_long_way)) {
        return std::nullopt;
    }
    // The slope of the long way is not quite that of its product of scales: each rounding after it
    // moves the places a little, and a neighbour of it may have them where it has not.
    for (const int ulps : {0, 1, -1, 2, -2}) {
        const float slope = std::bit_cast<float>(std::bit_cast<std::int32_t>(scale) + ulps);
        if (const auto found = with_slope(rule, steps, places, slope)) {
            return found;
        }
    }
    return std::nullopt;
}

}  // namespace fuseq::kernels

FUSEQ_END_VNNI
