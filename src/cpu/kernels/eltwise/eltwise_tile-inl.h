// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements of any type to a tile of floats, and back. For eltwise_kernel.cpp; include after
// hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_ELTWISE_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_ELTWISE_TILE_INL_H_
#undef FUSEQ_KERNELS_ELTWISE_TILE_INL_H_
#else
#define FUSEQ_KERNELS_ELTWISE_TILE_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "fuseq/element_type.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

template <class T>
HWY_INLINE VF load_floats(DF d, const T* from) {
    const hn::RebindToSigned<DF> di;
    if constexpr (sizeof(T) == 1) {
        const hn::Rebind<T, DF> narrow;
        return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(narrow, from)));
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return hn::ConvertTo(d, hn::LoadU(di, from));
    } else {
        return hn::LoadU(d, from);
    }
}

// Rounded half to even, saturated.
template <class T>
HWY_INLINE void store_floats(DF d, VF x, T* to) {
    const hn::RebindToSigned<DF> di;
    if constexpr (sizeof(T) == 1) {
        const hn::Rebind<T, DF> narrow;
        const VF low = hn::Set(d, static_cast<float>(std::numeric_limits<T>::min()));
        const VF high = hn::Set(d, static_cast<float>(std::numeric_limits<T>::max()));
        const auto integer = hn::NearestInt(hn::Min(hn::Max(x, low), high));
        hn::StoreU(hn::DemoteTo(narrow, integer), narrow, to);
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        const VF beyond = hn::Set(d, 2147483648.0f);
        const auto inside =
            hn::NearestInt(hn::Min(hn::Max(x, hn::Neg(beyond)), hn::Set(d, 2147483520.0f)));
        const auto max = hn::Set(di, std::numeric_limits<std::int32_t>::max());
        const auto is_beyond = hn::RebindMask(di, hn::Ge(x, beyond));
        hn::StoreU(hn::IfThenElse(is_beyond, max, inside), di, to);
    } else {
        hn::StoreU(x, d, to);
    }
}

// Fills whole vectors; what is beyond `count` holds zeros.
template <class T>
void load_tile(const T* from, std::size_t count, float* HWY_RESTRICT tile) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::Store(load_floats(d, from + i), d, tile + i);
    }
    if (i < count) {
        HWY_ALIGN T some[hn::MaxLanes(d)] = {};
        std::memcpy(some, from + i, (count - i) * sizeof(T));
        hn::Store(load_floats(d, some), d, tile + i);
    }
}

template <class T>
void store_tile(const float* HWY_RESTRICT tile, std::size_t count, T* to) {
    const DF d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        store_floats(d, hn::Load(d, tile + i), to + i);
    }
    if (i < count) {
        HWY_ALIGN T some[hn::MaxLanes(d)];
        store_floats(d, hn::Load(d, tile + i), some);
        std::memcpy(to + i, some, (count - i) * sizeof(T));
    }
}

void load_tile(ElementType type, const void* from, std::size_t at, std::size_t count, float* tile) {
    switch (type) {
        case ElementType::u8:
            return load_tile(static_cast<const std::uint8_t*>(from) + at, count, tile);
        case ElementType::i8:
            return load_tile(static_cast<const std::int8_t*>(from) + at, count, tile);
        case ElementType::i32:
            return load_tile(static_cast<const std::int32_t*>(from) + at, count, tile);
        default: return load_tile(static_cast<const float*>(from) + at, count, tile);
    }
}

void store_tile(ElementType type, const float* tile, std::size_t count, void* to, std::size_t at) {
    switch (type) {
        case ElementType::u8: return store_tile(tile, count, static_cast<std::uint8_t*>(to) + at);
        case ElementType::i8: return store_tile(tile, count, static_cast<std::int8_t*>(to) + at);
        case ElementType::i32: return store_tile(tile, count, static_cast<std::int32_t*>(to) + at);
        default: return store_tile(tile, count, static_cast<float*>(to) + at);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
