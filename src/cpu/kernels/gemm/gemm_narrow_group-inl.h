// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Four vectors of a tile, which stay in registers while operations are applied to them: how they are
// loaded from tensors of dst's size and stored. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_GEMM_NARROW_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_GEMM_NARROW_GROUP_INL_H_
#undef FUSEQ_GEMM_NARROW_GROUP_INL_H_
#else
#define FUSEQ_GEMM_NARROW_GROUP_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/common/hwy_unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using gemm::kLanes;

using DF = hn::CappedTag<float, 16>;
using VF = hn::Vec<DF>;
using DI = hn::RebindToSigned<DF>;

constexpr std::size_t kVector = hn::MaxLanes(DF());
constexpr std::size_t kVectors = kLanes / kVector;  // of a row of the tile
constexpr std::size_t kGroup = 4;
constexpr std::size_t kGroupRows = kGroup / kVectors;

// Vector i holds channels kVector * (i % kVectors) of row i / kVectors. Size is kGroup or, for the
// last row of an odd number, half of it.
template <std::size_t Size>
struct Group {
    VF v[Size];
};

// Where a group is in dst, and in tensors of its size.
struct Place {
    std::size_t pixel;
    std::size_t rows;      // that exist; the others are computed and not stored
    std::size_t channel;   // first of the panel
    std::size_t channels;  // of the panel
    std::size_t pitch;     // elements from a pixel to the next
};

template <std::size_t Size, class F>
HWY_INLINE void for_group(F&& f) {
    unrolled<Size>(f);
}

template <std::size_t Size, class F>
HWY_INLINE void over_group(Group<Size>& g, F&& f) {
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA { g.v[i] = f(g.v[i]); });
}

// With one constant, or two, a channel.
template <std::size_t Size, class F>
HWY_INLINE void with_one(Group<Size>& g, const float* a, F&& f) {
    const DF d;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        g.v[i] = f(g.v[i], hn::Load(d, a + kVector * (i % kVectors)));
    });
}
template <std::size_t Size, class F>
HWY_INLINE void with_two(Group<Size>& g, const float* a, const float* b, F&& f) {
    const DF d;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        const std::size_t at = kVector * (i % kVectors);
        g.v[i] = f(g.v[i], hn::Load(d, a + at), hn::Load(d, b + at));
    });
}

// Channels of vector number n of a row that the panel has.
HWY_INLINE std::size_t count_of(const Place& at, std::size_t n) {
    const std::size_t before = n * kVector;
    return at.channels <= before ? 0 : std::min(kVector, at.channels - before);
}

// Rows of whole panels: `rows` of them exist, each `pitch` elements after the one before.
template <std::size_t Size, class T>
HWY_INLINE Group<Size> load_rows(const T* from, std::size_t pitch, std::size_t rows) {
    const DF d;
    Group<Size> g;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        const std::size_t row = i / kVectors;
        g.v[i] = load_float(d, from + (row < rows ? row * pitch : 0) + i % kVectors * kVector);
    });
    return g;
}

template <class T, bool Whole, std::size_t Size>
HWY_INLINE Group<Size> load_tensor(const Place& at, const void* tensor) {
    const T* const first = static_cast<const T*>(tensor) + at.pixel * at.pitch + at.channel;
    if constexpr (Whole) {
        return load_rows<Size>(first, at.pitch, at.rows);
    }
    const DF d;
    Group<Size> g;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        const std::size_t row = i / kVectors;
        const std::size_t n = i % kVectors;
        const T* from = first + (row < at.rows ? row : 0) * at.pitch + n * kVector;
        T part[kVector] = {};
        std::memcpy(part, from, count_of(at, n) * sizeof(T));
        g.v[i] = load_float(d, part);
    });
    return g;
}

// Bytes of whole panels, or of half ones: a row is one vector of 128 bits, or half of it. `Clamp`:
// values may leave the range of 32-bit integers.
template <bool Clamp, std::size_t Size, class T>
HWY_INLINE void store_bytes(
    const Group<Size>& g, T* to, std::size_t pitch, std::size_t rows, std::size_t channels) {
    alignas(64) T bytes[kGroupRows * kLanes];
    const auto round = [](VF v) FUSEQ_HWY_LAMBDA {
        constexpr float kMax = std::is_signed_v<T> ? 127.0f : 255.0f;
        return Clamp ? round_below(DF(), v, kMax).raw : round_raw(v.raw);
    };
    const auto low = pack_integers(round(g.v[0]), round(g.v[1]));
    auto high = low;
    if constexpr (Size == kGroup) {
        high = pack_integers(round(g.v[2]), round(g.v[3]));
    }
    store_packed(pack_words(low, high, bytes), bytes);
    const hn::FixedTag<T, kLanes> d;
    const hn::Half<decltype(d)> half;
    for (std::size_t row = 0; row < rows; ++row, to += pitch) {
        if (channels == kLanes) {
            hn::StoreU(hn::Load(d, bytes + row * kLanes), d, to);
        } else {
            hn::StoreU(hn::Load(half, bytes + row * kLanes), half, to);
        }
    }
}

// The same of any type; floats of whole panels only.
template <bool Clamp, std::size_t Size, class T>
HWY_INLINE void store_rows(const Group<Size>& g,
                           T* to,
                           std::size_t pitch,
                           std::size_t rows,
                           std::size_t channels = kLanes) {
    if constexpr (sizeof(T) == 1) {
        return store_bytes<Clamp>(g, to, pitch, rows, channels);
    }
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        const std::size_t row = i / kVectors;
        if (row < rows) {
            store_float(DF(), g.v[i], to + row * pitch + i % kVectors * kVector);
        }
    });
}

template <class T, bool Whole, bool Clamp, std::size_t Size>
HWY_INLINE void store_group(const Group<Size>& g, const Place& at, void* dst) {
    T* const first = static_cast<T*>(dst) + at.pixel * at.pitch + at.channel;
    if constexpr (Whole) {
        return store_rows<Clamp>(g, first, at.pitch, at.rows);
    }
    const DF d;
    for_group<Size>([&](auto i) FUSEQ_HWY_LAMBDA {
        const std::size_t row = i / kVectors;
        const std::size_t n = i % kVectors;
        if (row >= at.rows) {
            return;
        }
        T part[kVector];
        store_float(d, g.v[i], part);
        std::memcpy(first + row * at.pitch + n * kVector, part, count_of(at, n) * sizeof(T));
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif
