// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The epilogues of a pixel of depthwise_conv_quads.cpp. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_DEPTHWISE_QUAD_FINISH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_DEPTHWISE_QUAD_FINISH_INL_H_
#undef FUSEQ_KERNELS_DEPTHWISE_QUAD_FINISH_INL_H_
#else
#define FUSEQ_KERNELS_DEPTHWISE_QUAD_FINISH_INL_H_
#endif

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/common/hwy_unrolled-inl.h"
#include "cpu/kernels/common/vnni256-inl.h"
#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "cpu/kernels/depthwise/depthwise_conv_portable-inl.h"
#include "cpu/kernels/depthwise/depthwise_quad_channels-inl.h"
#include "hwy/highway.h"

#if HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::depthwise {
namespace HWY_NAMESPACE {
namespace {

using fuseq::kernels::HWY_NAMESPACE::RuleLists;
using fuseq::kernels::HWY_NAMESPACE::store_float;
using fuseq::kernels::HWY_NAMESPACE::unrolled;
using V32 = fuseq::kernels::HWY_NAMESPACE::Vex::V32;
using DF8 = hn::FixedTag<float, 8>;
using D8x32 = hn::FixedTag<std::int32_t, 8>;

// The sums of a pixel; vector i has the channels of vector i of a column.
struct QuadSums {
    V32 v[kQuadVectors];
};

// Words as bytes.
HWY_INLINE void store_words(
    __m256i low, __m256i high, bool is_signed, std::size_t channels, std::uint8_t* dst) {
    store_channels(is_signed ? _mm256_packs_epi16(low, high) : _mm256_packus_epi16(low, high),
                   channels, dst);
}

// A pixel to bytes. finish: integers of a vector of channels, words of two.
template <class Finish>
HWY_INLINE void finish_bytes(const Finish& finish, const QuadSums& sums, std::uint8_t* dst) {
    __m256i v[kQuadVectors];
    unrolled<kQuadVectors>(
        [&](auto i) FUSEQ_HWY_LAMBDA { v[i] = finish.template integers<i()>(sums.v[i]); });
    store_words(finish.words(v[0], v[1]), finish.words(v[2], v[3]), finish.is_signed,
                finish.channels, dst);
}

// The epilogue of a pixel to bytes. A copy of what it needs: a store may change all that is in
// memory.
struct PlainFinish {
    const float* scale;
    const float* bias;
    bool is_signed;
    std::size_t channels;
    template <std::size_t I>
    HWY_INLINE __m256i integers(V32 sums) const {
        return _mm256_cvtps_epi32(_mm256_fmadd_ps(_mm256_cvtepi32_ps(sums.raw),
                                                  _mm256_load_ps(scale + 8 * I),
                                                  _mm256_load_ps(bias + 8 * I)));
    }
    HWY_INLINE static __m256i words(__m256i a, __m256i b) { return _mm256_packs_epi32(a, b); }
    HWY_INLINE void operator()(const QuadSums& sums, std::uint8_t* dst) const {
        finish_bytes(*this, sums, dst);
    }
};

// The same by a rule, without bounds.
template <RuleForm F>
struct RuleFinish {
    RuleLists lists;
    __m256i zero_point;
    bool is_signed;
    std::size_t channels;
    template <std::size_t I>
    HWY_INLINE __m256i integers(V32 sums) const {
        const DF8 d;
        const auto value = value_before_zero<F>(d, lists, 8 * I, hn::ConvertTo(d, sums));
        return _mm256_cvtps_epi32(value.raw);
    }
    HWY_INLINE __m256i words(__m256i a, __m256i b) const {
        const __m256i v = _mm256_packs_epi32(a, b);
        return has_zero_apart(F) ? _mm256_adds_epi16(v, zero_point) : v;
    }
    HWY_INLINE void operator()(const QuadSums& sums, std::uint8_t* dst) const {
        finish_bytes(*this, sums, dst);
    }
};

// To floats, without anything after scale and bias.
struct FloatFinish {
    const float* scale;
    const float* bias;
    std::size_t channels;
    HWY_INLINE void operator()(const QuadSums& sums, std::uint8_t* dst) const {
        auto* const to = reinterpret_cast<float*>(dst);
        unrolled<kQuadVectors>([&](auto i) FUSEQ_HWY_LAMBDA {
            const __m256 value =
                _mm256_fmadd_ps(_mm256_cvtepi32_ps(sums.v[i].raw), _mm256_load_ps(scale + 8 * i),
                                _mm256_load_ps(bias + 8 * i));
            constexpr std::size_t kUpper = kQuadChannels / 2 + 4 * decltype(i)::value;
            _mm_storeu_ps(to + 4 * i, _mm256_castps256_ps128(value));
            if (kUpper < channels) {
                _mm_storeu_ps(to + kUpper, _mm256_extractf128_ps(value, 1));
            }
        });
    }
};

// Any epilogue.
struct AnyFinish {
    const Packed& packed;
    const Block& block;
    HWY_NOINLINE void operator()(const QuadSums& sums, std::uint8_t* dst) const {
        const DF8 d;
        const Epilogue& e = packed.epilogue;
        alignas(32) float values[kQuadChannels];
        for (std::size_t i = 0; i < kQuadVectors; ++i) {
            const auto value = finish_value(d, e, block, 8 * i, hn::ConvertTo(d, sums.v[i]));
            const hn::FixedTag<float, 4> half;
            hn::Store(hn::LowerHalf(half, value), half, values + 4 * i);
            hn::Store(hn::UpperHalf(half, value), half, values + kQuadChannels / 2 + 4 * i);
        }
        for (std::size_t c = 0; c < block.channels; c += 8) {
            const auto value = hn::Load(d, values + c);
            switch (e.store) {
                case Store::kU8: store_float(d, value, dst + c); break;
                case Store::kI8:
                    store_float(d, value, reinterpret_cast<std::int8_t*>(dst) + c);
                    break;
                default: store_float(d, value, reinterpret_cast<float*>(dst) + c); break;
            }
        }
    }
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::depthwise
HWY_AFTER_NAMESPACE();
#endif

#endif  // toggle
