// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles in registers with a residual input behind a quantization (see Join): once there are bytes,
// what remains of the chain is two dot products and a shift for 16 values instead of nine
// operations on floats.
//
// A lane holds the bytes 0, q, 0, r: as words they are 256 q and 256 r, which the upper 16 bits of
// the factors multiply; the lower 8 bits are unsigned bytes for the other dot product.
#include "cpu/kernels/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm_vnni_joined.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/gemm_vnni_fused-inl.h"
#include "cpu/kernels/gemm_vnni_quad-inl.h"

#if HWY_TARGET == HWY_AVX3

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {

// What is made of q and r, in dwords 4 * d + l of both: dword l of lane d.
FUSEQ_BEGIN_VNNI

// The elements of the tensor, in the order of dst.
template <std::size_t Vectors>
HWY_INLINE __m512i load_bytes(const void* tensor, const Place& at) {
    const auto* from =
        static_cast<const std::uint8_t*>(tensor) + at.pixel * at.channels + at.channel;
    const auto row = [&](std::size_t r)
                         FUSEQ_HWY_LAMBDA { return from + (r < at.rows ? r : 0) * at.channels; };
    if constexpr (Vectors == 2) {
        const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        return _mm512_inserti64x4(_mm512_castsi256_si512(first),
                                  _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row(1))), 1);
    } else {
        const auto load = [&](std::size_t r) FUSEQ_HWY_LAMBDA {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(row(r)));
        };
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(load(0)), load(1), 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(load(2)), load(3), 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
    }
}

template <Store To>
HWY_INLINE __m512i saturated(const __m512i (&v)[kQuad]) {
    const __m512i low = _mm512_packs_epi32(v[0], v[1]);
    const __m512i high = _mm512_packs_epi32(v[2], v[3]);
    return To == Store::kI8 ? _mm512_packs_epi16(low, high) : _mm512_packus_epi16(low, high);
}

// (a * q + b * r + c) >> shift, for 16 pairs of bytes; `take` picks them.
HWY_INLINE __m512i joined(const gemm::Join& join, __m512i pairs, __m512i take) {
    const __m512i lanes = _mm512_shuffle_epi8(pairs, take);
    const __m512i sum =
        _mm512_dpwssd_epi32(_mm512_set1_epi32(join.c), lanes, _mm512_set1_epi32(join.upper));
    return _mm512_srav_epi32(_mm512_dpbusd_epi32(sum, _mm512_set1_epi32(join.lower), lanes),
                             _mm512_set1_epi32(join.shift));
}

template <Store To, bool Unsigned>
struct ByJoin {
    template <std::size_t Vectors>
    static HWY_INLINE void quad(const __m512i (&acc)[kQuad],
                                const EpilogueCall& call,
                                const Place& at) {
        const gemm::Epilogue* e = call.epilogue;
        asm volatile("" : "+r"(e));
        const Quad scaled = scaled_quad<Vectors>(acc, *e, at.channel);
        const gemm::Join& join = *e->join;
        __m512i q = to_bytes < Unsigned ? Store::kU8 : Store::kI8 > (scaled, false);
        q = Unsigned ? _mm512_xor_si512(q, _mm512_set1_epi8(-128)) : q;
        const __m512i r = _mm512_xor_si512(load_bytes<Vectors>(call.args->extras[join.input], at),
                                           _mm512_set1_epi32(join.r_flip));
        const __m512i first = _mm512_unpacklo_epi8(q, r);
        const __m512i second = _mm512_unpackhi_epi8(q, r);
        const __m512i low = _mm512_broadcast_i32x4(
            _mm_setr_epi8(-1, 0, -1, 1, -1, 2, -1, 3, -1, 4, -1, 5, -1, 6, -1, 7));
        const __m512i high = _mm512_broadcast_i32x4(
            _mm_setr_epi8(-1, 8, -1, 9, -1, 10, -1, 11, -1, 12, -1, 13, -1, 14, -1, 15));
        const __m512i v[kQuad] = {joined(join, first, low), joined(join, first, high),
                                  joined(join, second, low), joined(join, second, high)};
        store_bytes<Vectors, true>(saturated<To>(v), at, call.args->dst);
    }
};

FUSEQ_END_VNNI

template <Store To, bool Unsigned>
const FusedFunction* joined_tiles(std::size_t vectors) {
    using Finish = ByJoin<To, Unsigned>;
    return vectors == 1 ? FusedTile<Finish, 1>::functions() : FusedTile<Finish, 2>::functions();
}

const FusedFunction* find_joined(const gemm::Join& join, Store store, std::size_t vectors) {
    if (store == Store::kU8) {
        return join.q_unsigned ? joined_tiles<Store::kU8, true>(vectors)
                               : joined_tiles<Store::kU8, false>(vectors);
    }
    return join.q_unsigned ? joined_tiles<Store::kI8, true>(vectors)
                           : joined_tiles<Store::kI8, false>(vectors);
}

}  // namespace HWY_NAMESPACE

namespace gemm {
const FusedFunction* joined_functions(const Epilogue& epilogue, Store store, std::size_t vectors) {
    return epilogue.join ? HWY_NAMESPACE::find_joined(*epilogue.join, store, vectors) : nullptr;
}
}  // namespace gemm

}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // HWY_AVX3
