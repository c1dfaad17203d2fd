// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Four vectors of a tile in registers, with their loads and stores: what the two forms of the
// epilogue share. To be included after hwy/highway.h, once a target; empty for all but AVX-512.
#if defined(FUSEQ_KERNELS_GEMM_VNNI_QUAD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_GEMM_VNNI_QUAD_INL_H_
#undef FUSEQ_KERNELS_GEMM_VNNI_QUAD_INL_H_
#else
#define FUSEQ_KERNELS_GEMM_VNNI_QUAD_INL_H_
#endif

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/hwy_unrolled-inl.h"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using gemm::EpilogueCall;
using gemm::kLanes;
using gemm::PackedOp;
using gemm::Store;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;
constexpr std::size_t kQuad = 4;

struct Quad {
    VF v[kQuad];
};

// Where a quad is: vector i holds channels first_channel + 16 * (i % Vectors) of pixel
// first_pixel + i / Vectors.
struct Place {
    std::size_t pixel;    // of dst
    std::size_t channel;  // of dst
    std::size_t rows;     // that exist; the others are not read or written
    std::size_t channels;
    __mmask16 mask[2];  // channels of each vector of a row
};

template <class F>
HWY_INLINE void for_quad(F&& f) {
    unrolled<kQuad>(f);
}

template <std::size_t Vectors, class F>
HWY_INLINE void over_quad(Quad& q, F&& f) {
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA { q.v[i] = f(q.v[i], i % Vectors); });
}

// One value for each channel of a row.
struct Constant {
    VF v[gemm::kMaxPanelVectors];
};

template <std::size_t Vectors>
HWY_INLINE Constant load_constant(const float* from) {
    const DF d;
    return {{hn::Load(d, from), hn::Load(d, from + kLanes * (Vectors - 1))}};
}

// ---- tensors ----------------------------------------------------------------------------------

template <class T, bool Whole>
HWY_INLINE VF load_elements(const T* from, __mmask16 mask) {
    if constexpr (sizeof(T) == 4) {
        return VF{Whole ? _mm512_loadu_ps(from) : _mm512_maskz_loadu_ps(mask, from)};
    } else {
        const __m128i bytes = Whole ? _mm_loadu_si128(reinterpret_cast<const __m128i*>(from))
                                    : _mm_maskz_loadu_epi8(mask, from);
        const __m512i wide =
            std::is_signed_v<T> ? _mm512_cvtepi8_epi32(bytes) : _mm512_cvtepu8_epi32(bytes);
        return VF{_mm512_cvtepi32_ps(wide)};
    }
}

template <class T, std::size_t Vectors, bool Whole>
HWY_INLINE Quad load_quad(const Place& at, const void* tensor) {
    Quad q;
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kRow = decltype(i)::value / Vectors;
        constexpr std::size_t kVector = decltype(i)::value % Vectors;
        const auto* from = static_cast<const T*>(tensor) +
                           (at.pixel + (kRow < at.rows ? kRow : 0)) * at.channels + at.channel;
        q.v[i] = load_elements<T, Whole>(from + kLanes * kVector, at.mask[kVector]);
    });
    return q;
}

// ---- activations of which 8 bits remain ---------------------------------------------------------

// e^x to 3e-7 of the larger of it and 1, for x up to 88: 2 to the whole part of x / ln 2, which
// scalef takes itself, times a polynomial of the rest.
HWY_INLINE VF quick_exp(VF x) {
    const DF d;
    const VF t = hn::Mul(x, hn::Set(d, 1.44269504f));
    const VF r{_mm512_reduce_ps(t.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
    VF p = hn::Set(d, 0.0018775767f);
    p = hn::MulAdd(p, r, hn::Set(d, 0.00898934002f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.0558263181f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.240153617f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.693153073f));
    p = hn::MulAdd(p, r, hn::Set(d, 0.999999925f));
    return VF{_mm512_scalef_ps(p.raw, t.raw)};
}

// 1 / x to 2e-7, for x from 1 to 1e36.
HWY_INLINE VF quick_reciprocal(VF x) {
    const DF d;
    const VF y{_mm512_rcp14_ps(x.raw)};
    return hn::Mul(y, hn::NegMulAdd(x, y, hn::Set(d, 2.0f)));
}

HWY_INLINE VF quick_sigmoid(VF x) {
    const DF d;
    const VF e = quick_exp(hn::Min(hn::Neg(x), hn::Set(d, 80.0f)));
    return quick_reciprocal(hn::Add(hn::Set(d, 1.0f), e));
}

HWY_INLINE VF quick_elu(VF x, VF alpha) {
    const DF d;
    const VF e = quick_exp(hn::Min(x, hn::Zero(d)));
    const VF below = hn::MulSub(alpha, e, alpha);
    return hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, below);
}

struct GeluVectors {
    explicit HWY_INLINE GeluVectors(const gemm::GeluTable& table)
        : scale(hn::Set(DF(), table.scale)) {
        for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
            low[i] = hn::Load(DF(), table.coefficients[i]);
            high[i] = hn::Load(DF(), table.coefficients[i] + kLanes);
        });
    }
    VF low[gemm::GeluTable::kDegree + 1];
    VF high[gemm::GeluTable::kDegree + 1];
    VF scale;
};

HWY_INLINE VF quick_gelu(const GeluVectors& table, VF x) {
    using gemm::GeluTable;
    const DF d;
    constexpr int kMinMagnitude = 0b1010;
    const VF t{_mm512_range_ps(x.raw, _mm512_set1_ps(GeluTable::kEnd), kMinMagnitude)};
    // The last bits of so large a float are the number of the interval; the permutations look at
    // no others.
    const VF place = hn::MulAdd(t, hn::Set(d, GeluTable::kPerUnit), hn::Set(d, 0x1p23f));
    const __m512i interval = _mm512_castps_si512(place.raw);
    const auto coefficient = [&](std::size_t power) FUSEQ_HWY_LAMBDA {
        return VF{_mm512_permutex2var_ps(table.low[power].raw, interval, table.high[power].raw)};
    };
    VF v = hn::MulAdd(coefficient(3), t, coefficient(2));
    v = hn::MulAdd(v, t, coefficient(1));
    v = hn::MulAdd(v, t, coefficient(0));
    return hn::MulAdd(hn::Max(x, hn::Zero(d)), table.scale, v);
}

// ---- store ------------------------------------------------------------------------------------

template <Store To>
HWY_INLINE __m512i to_bytes(const Quad& q, bool clamp) {
    const DF d;
    __m512i v[kQuad];
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        // Large values would become negative integers.
        const VF x = clamp ? hn::Min(q.v[i], hn::Set(d, 255.0f)) : q.v[i];
        v[i] = _mm512_cvtps_epi32(x.raw);
    });
    const __m512i low = _mm512_packs_epi32(v[0], v[1]);
    const __m512i high = _mm512_packs_epi32(v[2], v[3]);
    const __m512i bytes =
        To == Store::kI8 ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_permutexvar_epi32(order, bytes);
}

template <std::size_t Vectors, bool Whole>
HWY_INLINE void store_bytes(__m512i bytes, const Place& at, void* dst) {
    auto* to = static_cast<std::uint8_t*>(dst) + at.pixel * at.channels + at.channel;
    if constexpr (Vectors == 2) {
        const __m256i rows[2] = {_mm512_castsi512_si256(bytes),
                                 _mm512_extracti64x4_epi64(bytes, 1)};
        const auto mask =
            static_cast<__mmask32>(at.mask[0]) | (static_cast<__mmask32>(at.mask[1]) << kLanes);
        const auto store = [&](std::size_t r) FUSEQ_HWY_LAMBDA {
            Whole ? _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), rows[r])
                  : _mm256_mask_storeu_epi8(to, mask, rows[r]);
        };
        store(0);
        if (at.rows > 1) {
            to += at.channels;
            store(1);
        }
    } else {
        const __m128i rows[4] = {_mm512_castsi512_si128(bytes), _mm512_extracti32x4_epi32(bytes, 1),
                                 _mm512_extracti32x4_epi32(bytes, 2),
                                 _mm512_extracti32x4_epi32(bytes, 3)};
        for_quad([&](auto r) FUSEQ_HWY_LAMBDA {
            if (r < at.rows) {
                Whole ? _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rows[r])
                      : _mm_mask_storeu_epi8(to, at.mask[0], rows[r]);
                to += at.channels;
            }
        });
    }
}

template <std::size_t Vectors, bool Whole>
HWY_INLINE void store_floats(const Quad& q, const Place& at, void* dst) {
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kRow = decltype(i)::value / Vectors;
        constexpr std::size_t kVector = decltype(i)::value % Vectors;
        if (kRow < at.rows) {
            float* to = static_cast<float*>(dst) + (at.pixel + kRow) * at.channels + at.channel +
                        kLanes * kVector;
            Whole ? _mm512_storeu_ps(to, q.v[i].raw)
                  : _mm512_mask_storeu_ps(to, at.mask[kVector], q.v[i].raw);
        }
    });
}

// What the zero points of the weights take away.
template <std::size_t Vectors>
HWY_INLINE void add_window_sums(const EpilogueCall& call, const Place& at, Quad& q) {
    const DF d;
    const float* sums = call.sums + (at.pixel - call.pixel);
    const Constant of_sum =
        load_constant<Vectors>(call.epilogue->of_sum.data() + call.panel->channel);
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kRow = decltype(i)::value / Vectors;
        q.v[i] = hn::MulAdd(hn::Set(d, sums[kRow]), of_sum.v[decltype(i)::value % Vectors], q.v[i]);
    });
}

// The accumulators as floats, with bias and scale.
template <std::size_t Vectors>
HWY_INLINE Quad load_scaled(const EpilogueCall& call,
                            const std::int32_t* tile,
                            const Place& at,
                            const Constant& bias,
                            const Constant& scale) {
    Quad q;
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        q.v[i] = VF{_mm512_cvtepi32_ps(_mm512_load_si512(tile + kLanes * i))};
    });
    if (call.sums != nullptr) {
        add_window_sums<Vectors>(call, at, q);
    }
    for_quad([&](auto i) FUSEQ_HWY_LAMBDA {
        constexpr std::size_t kVector = decltype(i)::value % Vectors;
        q.v[i] = hn::Mul(hn::Add(q.v[i], bias.v[kVector]), scale.v[kVector]);
    });
    return q;
}

template <Store To, std::size_t Vectors, bool Whole>
HWY_INLINE void store_quad(const Quad& q, const Place& at, void* dst, bool clamp) {
    if constexpr (To == Store::kF32) {
        store_floats<Vectors, Whole>(q, at, dst);
    } else {
        store_bytes<Vectors, Whole>(to_bytes<To>(q, clamp), at, dst);
    }
}

// Calls body(tile, place) for each quad of the tile.
template <std::size_t Vectors, class Body>
HWY_INLINE void over_tile(const EpilogueCall& call, Body&& body) {
    constexpr std::size_t kRows = kQuad / Vectors;
    const std::uint32_t mask = (std::uint64_t{1} << call.panel->channels) - 1;
    Place at{.pixel = call.pixel,
             .channel = call.panel->channel,
             .rows = kRows,
             .channels = call.channels,
             .mask = {static_cast<__mmask16>(mask), static_cast<__mmask16>(mask >> kLanes)}};
    std::int32_t* tile = call.tile;
    std::size_t row = 0;
    for (; row + kRows <= call.rows; row += kRows) {
        body(tile, at);
        tile += kLanes * kQuad;
        at.pixel += kRows;
    }
    if (row < call.rows) {
        at.rows = call.rows - row;
        body(tile, at);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
#endif  // toggle
