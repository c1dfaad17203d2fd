// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "fuseq/error.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/exp_below_zero-inl.h"
#include "cpu/kernels/reduce/softmax_few-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// Rows are worked on in chunks of 16 elements, whatever the width of a vector; chunk k adds to
// group k % 4 of partial sums (the last one, if it is not full, to group 3).
constexpr std::size_t kChunk = 16;
constexpr std::size_t kGroups = 4;
constexpr std::size_t kVectors = kChunk * sizeof(float) / HWY_MAX_BYTES;
static_assert(HWY_MAX_BYTES <= 64);

using Floats = hn::Vec<hn::ScalableTag<float>>;

// The first `count` lanes from memory, the others `filler`. Reads nothing after them.
HWY_INLINE Floats load_some(const float* from, std::size_t count, float filler) {
    const hn::ScalableTag<float> d;
#if HWY_MAX_BYTES >= 32
    const auto mask = hn::FirstN(d, count);
    return hn::IfThenElse(mask, hn::MaskedLoad(mask, d, from), hn::Set(d, filler));
#else
    alignas(64) float x[kChunk];
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        x[i] = i < count ? from[i] : filler;
    }
    return hn::Load(d, x);
#endif
}

template <class Dst>
HWY_INLINE void store_some(Floats v, std::size_t count, Dst* to) {
    const hn::ScalableTag<float> d;
    alignas(64) Dst x[kChunk];
    store_float(d, v, x);
    for (std::size_t i = 0; i < count; ++i) {
        to[i] = x[i];
    }
}

// Partial sum i with i + 8, then with i + 4, i + 2, i + 1.
HWY_INLINE float sum_of_chunk(const Floats* sums) {
    const hn::FixedTag<float, 4> d4;
#if HWY_MAX_BYTES >= 64
    const hn::FixedTag<float, 8> d8;
    const auto x8 = hn::Add(hn::LowerHalf(d8, sums[0]), hn::UpperHalf(d8, sums[0]));
    auto x = hn::Add(hn::LowerHalf(d4, x8), hn::UpperHalf(d4, x8));
#elif HWY_MAX_BYTES >= 32
    const auto x8 = hn::Add(sums[0], sums[1]);
    auto x = hn::Add(hn::LowerHalf(d4, x8), hn::UpperHalf(d4, x8));
#else
    auto x = hn::Add(hn::Add(sums[0], sums[2]), hn::Add(sums[1], sums[3]));
#endif
    x = hn::Add(x, hn::Shuffle1032(x));
    (void)d4;
    return hn::GetLane(hn::Add(x, hn::Shuffle2301(x)));
}

// Adds up f(x, i) over a row, x being a vector of elements from i on. f(filler) must be 0.
template <class F>
HWY_INLINE float sum_over(const float* row, std::size_t count, float filler, const F& f) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    Floats sums[kGroups * kVectors];
    HWY_UNROLL(16)
    for (std::size_t k = 0; k < kGroups * kVectors; ++k) {
        sums[k] = hn::Zero(d);
    }
    const auto add_chunk = [&](std::size_t at, std::size_t group) HWY_ATTR {
        HWY_UNROLL(4)
        for (std::size_t k = 0; k < kVectors; ++k) {
            auto& sum = sums[group * kVectors + k];
            sum = hn::Add(sum, f(hn::LoadU(d, row + at + k * lanes), at + k * lanes));
        }
    };
    std::size_t i = 0;
    for (; i + kGroups * kChunk <= count; i += kGroups * kChunk) {
        HWY_UNROLL(4)
        for (std::size_t g = 0; g < kGroups; ++g) {
            add_chunk(i + g * kChunk, g);
        }
    }
    // Groups are compile-time constants, or the sums would live in memory.
    HWY_UNROLL(4)
    for (std::size_t g = 0; g + 1 < kGroups; ++g) {
        if (i + kChunk <= count) {
            add_chunk(i, g);
            i += kChunk;
        }
    }
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < kVectors; ++k) {
        if (i < count) {
            const Floats x = load_some(row + i, std::min(lanes, count - i), filler);
            auto& sum = sums[(kGroups - 1) * kVectors + k];
            sum = hn::Add(sum, f(x, i));
            i += lanes;
        }
    }
    HWY_UNROLL(4)
    for (std::size_t k = 0; k < kVectors; ++k) {
        const auto low = hn::Add(sums[k], sums[kVectors + k]);
        const auto high = hn::Add(sums[2 * kVectors + k], sums[3 * kVectors + k]);
        sums[k] = hn::Add(low, high);
    }
    return sum_of_chunk(sums);
}

#if HWY_MAX_BYTES >= 64
// Four vectors as store_float() stores them, but as one vector of bytes.
template <class Dst>
HWY_INLINE void store_four(const Floats (&v)[4], Dst* to) {
    const hn::ScalableTag<float> d;
    constexpr bool kSigned = std::is_signed_v<Dst>;
    __m512i q[4];
    HWY_UNROLL(4)
    for (std::size_t i = 0; i < 4; ++i) {
        q[i] = round_below(d, v[i], kSigned ? 127.0f : 255.0f).raw;
    }
    const __m512i low = _mm512_packs_epi32(q[0], q[1]);
    const __m512i high = _mm512_packs_epi32(q[2], q[3]);
    const __m512i bytes = kSigned ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, bytes));
}
#endif

// dst = f(x, i) for vectors of a row; dst may be the row.
template <class Dst, class F>
HWY_INLINE void map_row(const float* row, std::size_t count, Dst* dst, const F& f) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
#if HWY_MAX_BYTES >= 64
    if constexpr (sizeof(Dst) == 1) {
        for (; i + 4 * lanes <= count; i += 4 * lanes) {
            Floats four[4];
            HWY_UNROLL(4)
            for (std::size_t k = 0; k < 4; ++k) {
                four[k] = f(hn::LoadU(d, row + i + k * lanes), i + k * lanes);
            }
            store_four(four, dst + i);
        }
    }
#endif
    for (; i + lanes <= count; i += lanes) {
        store_float(d, f(hn::LoadU(d, row + i), i), dst + i);
    }
    if (i < count) {
        store_some(f(load_some(row + i, count - i, 0.0f), i), count - i, dst + i);
    }
}

// Lanes of a list from i on; what lies after its end is 0.
HWY_INLINE Floats lanes_of(std::span<const float> list, std::size_t i) {
    const hn::ScalableTag<float> d;
    if (i + hn::Lanes(d) <= list.size()) {
        return hn::LoadU(d, list.data() + i);
    }
    return load_some(list.data() + i, list.size() - i, 0.0f);
}

HWY_INLINE float max_over(const float* x, std::size_t count) {
    const hn::ScalableTag<float> d;
    auto max = hn::Set(d, x[0]);
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
        max = hn::Max(max, hn::LoadU(d, x + i));
    }
    if (i < count) {
        max = hn::Max(max, load_some(x + i, count - i, x[0]));
    }
    return hn::GetLane(hn::MaxOfLanes(d, max));
}

// Exponentials of a row are kept between the two passes: in dst if it is f32, else those at the
// beginning of the row (longer rows compute the rest twice).
constexpr std::size_t kKept = 4096;

// Rows one step after the other, so that what one waits for (its maximum, its sum) hides after
// the work on the others.
constexpr std::size_t kRowsAtOnce = 4;

template <std::size_t Rows, class Dst>
void softmax_some(const SoftmaxParams& params, const float* src, Dst* dst) {
    constexpr bool kInPlace = std::is_same_v<Dst, float>;
    alignas(64) float some[kInPlace ? kChunk : kKept];
    const hn::ScalableTag<float> d;
    const std::size_t n = params.length;
    const std::size_t kept = (kInPlace ? n : std::min(n, kKept / Rows)) / kChunk * kChunk;
    const auto keep = [&](std::size_t r) {
        if constexpr (kInPlace) {
            return dst + r * n;
        } else {
            return some + r * (kKept / Rows);
        }
    };
    float max[Rows];
    for (std::size_t r = 0; r < Rows; ++r) {
        max[r] = max_over(src + r * n, n);
    }
    const auto exp_at = [&](auto x, std::size_t r)
                            HWY_ATTR { return exp_of(d, hn::Sub(x, hn::Set(d, max[r]))); };
    float sum[Rows];
    for (std::size_t r = 0; r < Rows; ++r) {
        constexpr float kNothing = -std::numeric_limits<float>::infinity();
        float* const to = keep(r);
        sum[r] = sum_over(src + r * n, n, kNothing, [&](auto x, std::size_t i) HWY_ATTR {
            const auto e = exp_at(x, r);
            if (i < kept) {
                hn::StoreU(e, d, to + i);
            }
            return e;
        });
    }
    for (std::size_t r = 0; r < Rows; ++r) {
        const auto inv_sum = hn::Set(d, 1.0f / sum[r]);
        const auto finish = [&](auto e) HWY_ATTR {
            const auto p = hn::Mul(e, inv_sum);
            return fused_mul_add(d, p, hn::Set(d, params.scale), hn::Set(d, params.shift));
        };
        Dst* const to = dst + r * n;
        map_row(keep(r), kept, to, [&](auto e, std::size_t) HWY_ATTR { return finish(e); });
        map_row(src + r * n + kept, n - kept, to + kept,
                [&](auto x, std::size_t) HWY_ATTR { return finish(exp_at(x, r)); });
    }
}

template <class Dst>
void layer_norm_row(const LayerNormParams& params, const float* src, Dst* dst) {
    const hn::ScalableTag<float> d;
    const std::size_t n = params.length;
    const float inv_count = 1.0f / static_cast<float>(n);
    float mean = 0.0f;
    if (!params.keep_mean) {
        mean = sum_over(src, n, 0.0f, [](auto x, std::size_t) HWY_ATTR { return x; }) * inv_count;
    }
    float factor = 1.0f;
    if (params.normalize_variance) {
        const float squares = sum_over(src, n, mean, [&](auto x, std::size_t) HWY_ATTR {
            const auto difference = hn::Sub(x, hn::Set(d, mean));
            return hn::Mul(difference, difference);
        });
        const float variance = squares * inv_count;
        factor = 1.0f / (params.epsilon_outside ? std::sqrt(variance) + params.epsilon
                                                : std::sqrt(variance + params.epsilon));
    }
    const bool gammas = params.gamma.size() > 1;
    const bool betas = params.beta.size() > 1;
    const float gamma = params.gamma.empty() ? 1.0f : params.gamma[0];
    const float beta = params.beta.empty() ? 0.0f : params.beta[0];
    map_row(src, n, dst, [&](auto x, std::size_t i) HWY_ATTR {
        const auto y = hn::Mul(hn::Sub(x, hn::Set(d, mean)), hn::Set(d, factor));
        const auto g = gammas ? lanes_of(params.gamma, i) : hn::Set(d, gamma);
        const auto b = betas ? lanes_of(params.beta, i) : hn::Set(d, beta);
        return fused_mul_add(d, y, g, b);
    });
}

// Short rows would leave most of a vector empty: kTileRows rows are transposed and worked on side
// by side. Sums run from the first element to the last.
constexpr std::size_t kShort = 32;  // the longest of them
constexpr std::size_t kTileRows = 64;

template <class Dst>
void softmax_short(const SoftmaxParams& params, const float* src, Dst* dst, std::size_t rows) {
    const hn::ScalableTag<float> d;
    const std::size_t n = params.length;
    if constexpr (std::is_same_v<Dst, float>) {
        if (rows == kTileRows && n >= 2 && n <= 4) {
            const auto few = n == 2 ? softmax_few<2> : n == 3 ? softmax_few<3> : softmax_few<4>;
            return few(params, src, dst, rows);
        }
    }
    alignas(64) float tile[kShort][kTileRows];
    alignas(64) Dst out[kShort][kTileRows];
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t r = 0; r < rows; ++r) {
            tile[i][r] = src[r * n + i];
        }
        std::fill(tile[i] + rows, tile[i] + kTileRows, 0.0f);
    }
    for (std::size_t r = 0; r < rows; r += hn::Lanes(d)) {
        auto max = hn::Load(d, tile[0] + r);
        for (std::size_t i = 1; i < n; ++i) {
            max = hn::Max(max, hn::Load(d, tile[i] + r));
        }
        auto sum = hn::Zero(d);
        for (std::size_t i = 0; i < n; ++i) {
            const auto e = exp_of(d, hn::Sub(hn::Load(d, tile[i] + r), max));
            hn::Store(e, d, tile[i] + r);
            sum = hn::Add(sum, e);
        }
        const auto inv_sum = hn::Div(hn::Set(d, 1.0f), sum);
        for (std::size_t i = 0; i < n; ++i) {
            const auto p = hn::Mul(hn::Load(d, tile[i] + r), inv_sum);
            const auto v = fused_mul_add(d, p, hn::Set(d, params.scale), hn::Set(d, params.shift));
            store_float(d, v, out[i] + r);
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t i = 0; i < n; ++i) {
            dst[r * n + i] = out[i][r];
        }
    }
}

// A vector of neighbouring columns, the elements of each `inner` apart; the first `count` of them.
template <class Dst>
HWY_INLINE void softmax_columns(const SoftmaxParams& params,
                                const float* src,
                                Dst* dst,
                                std::size_t count) {
    const hn::ScalableTag<float> d;
    const bool whole = count >= hn::Lanes(d);
    const auto at = [&](std::size_t i) HWY_ATTR {
        const float* from = src + i * params.inner;
        return whole ? hn::LoadU(d, from) : load_some(from, count, 0.0f);
    };
    auto max = at(0);
    for (std::size_t i = 1; i < params.length; ++i) {
        max = hn::Max(max, at(i));
    }
    auto sum = hn::Zero(d);
    for (std::size_t i = 0; i < params.length; ++i) {
        sum = hn::Add(sum, exp_of(d, hn::Sub(at(i), max)));
    }
    const auto inv_sum = hn::Div(hn::Set(d, 1.0f), sum);
    for (std::size_t i = 0; i < params.length; ++i) {
        const auto p = hn::Mul(exp_of(d, hn::Sub(at(i), max)), inv_sum);
        const auto v = fused_mul_add(d, p, hn::Set(d, params.scale), hn::Set(d, params.shift));
        if (whole) {
            store_float(d, v, dst + i * params.inner);
        } else {
            store_some(v, count, dst + i * params.inner);
        }
    }
}

template <class Dst>
void softmax_apart(const SoftmaxParams& params, const float* src, Dst* dst, Range rows) {
    const std::size_t lanes = hn::Lanes(hn::ScalableTag<float>());
    for (std::size_t r = rows.begin; r < rows.end;) {
        const std::size_t column = r % params.inner;
        const std::size_t count = std::min({lanes, params.inner - column, rows.end - r});
        const std::size_t first = r / params.inner * params.length * params.inner + column;
        softmax_columns(params, src + first, dst + first, count);
        r += count;
    }
}

template <class Dst>
void softmax_rows(const SoftmaxParams& params, const float* src, void* dst, Range rows) {
    if (params.inner > 1) {
        softmax_apart(params, src, static_cast<Dst*>(dst), rows);
        return;
    }
    if (params.length <= kShort) {
        for (std::size_t r = rows.begin; r < rows.end; r += kTileRows) {
            softmax_short(params, src + r * params.length,
                          static_cast<Dst*>(dst) + r * params.length,
                          std::min(kTileRows, rows.end - r));
        }
        return;
    }
    const bool several = params.length <= kKept / kRowsAtOnce;
    for (std::size_t r = rows.begin; r < rows.end;) {
        const float* from = src + r * params.length;
        Dst* to = static_cast<Dst*>(dst) + r * params.length;
        if (several && r + kRowsAtOnce <= rows.end) {
            softmax_some<kRowsAtOnce>(params, from, to);
            r += kRowsAtOnce;
        } else {
            softmax_some<1>(params, from, to);
            ++r;
        }
    }
}

template <class Dst>
void layer_norm_rows(const LayerNormParams& params, const float* src, void* dst, Range rows) {
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
        layer_norm_row(params, src + r * params.length, static_cast<Dst*>(dst) + r * params.length);
    }
}

void softmax_impl(const SoftmaxParams& params, const float* src, void* dst, Range rows) {
    with_element(params.dst_type,
                 [&](auto element) { softmax_rows<decltype(element)>(params, src, dst, rows); });
}

void layer_norm_impl(const LayerNormParams& params, const float* src, void* dst, Range rows) {
    with_element(params.dst_type,
                 [&](auto element) { layer_norm_rows<decltype(element)>(params, src, dst, rows); });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(softmax_impl);
HWY_EXPORT(layer_norm_impl);

namespace {

void check_row(const char* kernel, std::size_t length, ElementType dst_type) {
    if (length == 0 || (dst_type != ElementType::u8 && dst_type != ElementType::i8 &&
                        dst_type != ElementType::f32)) {
        throw Error("compile", fmt::format("{} kernel: rows of {}, f32 to {}", kernel, length,
                                           to_string(dst_type)));
    }
}

}  // namespace

void check_softmax(const SoftmaxParams& params) {
    check_row("softmax", params.length * params.inner, params.dst_type);
}

void check_layer_norm(const LayerNormParams& params) {
    check_row("layer norm", params.length, params.dst_type);
    const auto fits = [&](std::span<const float> list) {
        return list.size() <= 1 || list.size() == params.length;
    };
    if (!fits(params.gamma) || !fits(params.beta)) {
        throw Error("compile", fmt::format("layer norm kernel: {} gammas, {} betas for rows of {}",
                                           params.gamma.size(), params.beta.size(), params.length));
    }
}

void softmax(const SoftmaxParams& params, const float* src, void* dst, Range rows) {
    HWY_DYNAMIC_DISPATCH(softmax_impl)(params, src, dst, rows);
}

void layer_norm(const LayerNormParams& params, const float* src, void* dst, Range rows) {
    HWY_DYNAMIC_DISPATCH(layer_norm_impl)(params, src, dst, rows);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
