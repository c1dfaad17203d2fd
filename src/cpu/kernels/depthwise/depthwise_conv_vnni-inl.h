// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution with AVX-512 VNNI.
//
// A block is 64 channels. Four source rows of one column are interleaved by byte and word unpacks,
// so that each 32-bit lane holds four vertical taps of one channel: four vectors, "quarters", that
// a dot product multiplies with four weights a lane. Within a 128-bit lane the unpacks put channels
// 4q .. 4q+3 into quarter q, and the two packs of the store put them back in order.
//
// Each column is loaded and interleaved once and added to all outputs that read it, whose
// accumulators form a ring. A 3x3 kernel of stride 1 computes two output rows from four source
// rows, with weights (w0 w1 w2 0) and (0 w0 w1 w2).
//
// The channels after the last whole block do not fill a vector. If they are at most 32 (16), the
// two (four) parts of the vector hold the same channels of two (four) output rows, loaded and
// stored under masks.
//
// Columns are interleaved in groups of four rows. A fifth row of two columns, or two rows of the
// middle column of a 3x3 kernel of stride 2, are shuffled so that one vector serves two quarters:
// bytes of the other quarter have zero weights.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <type_traits>

#include "cpu/kernels/common/rule_form-inl.h"
#include "cpu/kernels/common/unrolled-inl.h"
#include "cpu/kernels/common/vnni_products-inl.h"
#include "cpu/kernels/common/vnni_target.hpp"
#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "cpu/kernels/depthwise/depthwise_elu-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kMaxRows = 5;         // source rows of a strip
constexpr std::size_t kPadding = kMaxRows;  // the row after them: a pixel outside of src
constexpr std::size_t kMaxParts = 4;        // strips in one vector
constexpr std::size_t kQuarters = 4;
// Of a block in memory: vectors of 64 values, then the weights.
constexpr std::size_t kInit = 0;
constexpr std::size_t kScale = 256;
constexpr std::size_t kBias = 512;
constexpr std::size_t kSlope = 768;
constexpr std::size_t kRest = kSlope;  // of the scale, for rules
constexpr std::size_t kBelow = 1024;   // for two floors
constexpr std::size_t kWeights = 1280;
constexpr std::size_t kEntryBytes = kBlock * 4;

// One or two output rows of a block, for each part of the vector.
struct Strip {
    const std::uint8_t* src[kMaxRows + 1]
                           [kMaxParts];  // moved back by the part's place in the vector
    std::uint8_t* dst[2][kMaxParts];     // first channel of the block, first column
    __mmask64 load[kMaxParts];
    __mmask64 store[kMaxParts];  // of bytes in channel order
    std::ptrdiff_t first_x;      // -pad_left
    std::ptrdiff_t src_width;
    std::ptrdiff_t dst_width;
    std::ptrdiff_t src_step;  // bytes
    std::ptrdiff_t dst_step;
    __m512i flip;
    __m512i zero_point;  // of rules, in words
    __m512i sign;        // of kMirrored
    bool zero_padding;   // columns outside of src add nothing to the sums
    const Block* block;
    const Epilogue* epilogue;
};

// 0: a whole block of 64 channels. 1, 2, 4: that many parts of the vector, under masks.
// 12, 14: two, four parts that are full (32, 16 channels): plain loads and stores of the parts.
// 21, 22: one, two parts of which the lanes without a channel are those of the next pixel: where
// there is one in the row, it is read too, and written before its own values are.
constexpr std::size_t parts_of(std::size_t mode) {
    return mode == 0 ? 1 : mode % 10;
}
constexpr bool is_open(std::size_t mode) {
    return mode > 20;
}
// Of an open one, after which there is a pixel (no masks) or not.
constexpr std::size_t closed_mode(std::size_t mode, bool pixel_after) {
    return !pixel_after ? mode % 10 : mode == 21 ? 0 : 12;
}
inline std::size_t mode_of(std::size_t channels) {
    switch (channels) {
        case 64: return 0;
        case 32: return 12;
        case 16: return 14;
        default: return channels > 32 ? 1 : channels > 16 ? 2 : 4;
    }
}

// The epilogue. kAny: with an activation or bounds, to any type; the others have neither.
// kFloatSums: to u8, for blocks with float_sums. kI8. kRule: to bytes by a rule, within bounds, or to
// u8 where there is none. kFloats: to f32. kElu: to bytes, with a shift.
enum class Finish : std::uint8_t { kFloatSums, kI8, kRule, kFloats, kAny, kElu };
constexpr bool is_to_floats(Finish f) {  // or may be
    return f == Finish::kFloats || f == Finish::kAny;
}

using Quarters = Registers<__m512i, kQuarters>;

FUSEQ_INLINE Quarters four_times(__m512i v) {
    return {{v, v, v, v}};
}

template <class Vector>
FUSEQ_INLINE Vector load_as(const std::uint8_t* from) {
    Vector v;
    __builtin_memcpy(&v, from, sizeof(v));
    return v;
}

// A pixel of a row: `src` are the addresses of the parts.
template <std::size_t Mode>
FUSEQ_INLINE __m512i load_parts(const Strip& strip,
                                const std::uint8_t* const* src,
                                std::ptrdiff_t offset) {
    if constexpr (Mode == 0) {
        return _mm512_loadu_si512(src[0] + offset);
    } else if constexpr (Mode == 12) {
        const __m512i v = _mm512_castsi256_si512(load_as<__m256i>(src[0] + offset));
        return _mm512_inserti64x4(v, load_as<__m256i>(src[1] + offset + 32), 1);
    } else if constexpr (Mode == 14) {
        __m512i v = _mm512_castsi128_si512(load_as<__m128i>(src[0] + offset));
        v = _mm512_inserti32x4(v, load_as<__m128i>(src[1] + offset + 16), 1);
        v = _mm512_inserti32x4(v, load_as<__m128i>(src[2] + offset + 32), 2);
        return _mm512_inserti32x4(v, load_as<__m128i>(src[3] + offset + 48), 3);
    } else {
        __m512i v = _mm512_maskz_loadu_epi8(strip.load[0], src[0] + offset);
        for (std::size_t p = 1; p < Mode; ++p) {
            v = _mm512_mask_loadu_epi8(v, strip.load[p], src[p] + offset);
        }
        return v;
    }
}

// Two rows, interleaved by byte.
struct Pair {
    __m512i low;
    __m512i high;
};
FUSEQ_INLINE Pair interleave_bytes(__m512i r0, __m512i r1) {
    return {_mm512_unpacklo_epi8(r0, r1), _mm512_unpackhi_epi8(r0, r1)};
}
FUSEQ_INLINE Quarters interleave_words(const Pair& a, const Pair& b) {
    return {{_mm512_unpacklo_epi16(a.low, b.low), _mm512_unpackhi_epi16(a.low, b.low),
             _mm512_unpacklo_epi16(a.high, b.high), _mm512_unpackhi_epi16(a.high, b.high)}};
}
FUSEQ_INLINE Quarters interleave(__m512i r0, __m512i r1, __m512i r2, __m512i r3) {
    return interleave_words(interleave_bytes(r0, r1), interleave_bytes(r2, r3));
}

// Two rows, interleaved by byte: dword j of a lane holds channels j and 4 + j (8 + j and 12 + j) of
// both, so that one vector serves two quarters.
FUSEQ_INLINE __m512i order_pair(__m512i bytes) {
    const __m512i order =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15));
    return _mm512_shuffle_epi8(bytes, order);
}
FUSEQ_INLINE Quarters interleave_pair(__m512i r0, __m512i r1) {
    const Pair pair = interleave_bytes(r0, r1);
    const __m512i low = order_pair(pair.low);
    const __m512i high = order_pair(pair.high);
    return {{low, low, high, high}};
}

FUSEQ_INLINE __m512 vector_of(const std::uint8_t* from) {
    return _mm512_load_ps(reinterpret_cast<const float*>(from));
}

template <Finish F>
FUSEQ_INLINE __m512
finish_value(const std::uint8_t* packed, const Epilogue& e, __m512i acc, std::size_t q) {
    const std::uint8_t* at = packed + 64 * q;
    if constexpr (F == Finish::kFloatSums) {
        return _mm512_fmadd_ps(_mm512_castsi512_ps(acc), vector_of(at + kScale),
                               vector_of(at + kBias));
    }
    __m512 v =
        _mm512_fmadd_ps(_mm512_cvtepi32_ps(acc), vector_of(at + kScale), vector_of(at + kBias));
    if constexpr (F == Finish::kAny) {  // no branches: a slope of 1, a shift of 0 and bounds far
                                        // off do nothing
        const __mmask16 negative = _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_LE_OQ);
        v = _mm512_mask_mul_ps(v, negative, v, vector_of(at + kSlope));
        v = _mm512_add_ps(v, _mm512_set1_ps(e.shift));
        v = _mm512_min_ps(_mm512_max_ps(v, _mm512_set1_ps(e.low)), _mm512_set1_ps(e.high));
    }
    return v;
}

// RuleForm, or none.
enum class Ending : std::uint8_t { kNearest, kFloor, kTwoFloors, kReal, kRealZeroFirst, kMirrored };
// The integers lack the zero point: it is added to those of 16 bits.
constexpr bool has_zero_apart(Ending e) {
    return e == Ending::kReal || e == Ending::kMirrored;
}

template <Ending E>
FUSEQ_INLINE __m512i
by_rule(__m512i acc, __m512 scale, __m512 rest, __m512 bias, __m512 below, __m512i sign) {
    if constexpr (E == Ending::kNearest) {
        return _mm512_cvtps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(acc), scale, bias));
    } else if constexpr (E == Ending::kFloor) {
        return by_floor(acc, scale, rest, bias);
    } else if constexpr (E == Ending::kTwoFloors) {
        return by_two_floors(acc, scale, rest, bias, below);
    } else if constexpr (E == Ending::kReal) {
        return by_real(acc, scale);
    } else if constexpr (E == Ending::kMirrored) {
        return by_mirrored(acc, scale, bias, sign);
    } else {
        return by_real_zero_first(acc, scale, bias);
    }
}

inline Ending ending_of(const Epilogue& e) {
    if (!e.rule) {
        return Ending::kNearest;
    }
    switch (*e.rule) {
        case RuleForm::kFloor: return Ending::kFloor;
        case RuleForm::kTwoFloors: return Ending::kTwoFloors;
        case RuleForm::kReal: return Ending::kReal;
        case RuleForm::kOneFloor: return Ending::kNearest;  // as the thread rounds
        case RuleForm::kMirrored: return Ending::kMirrored;
        default: return Ending::kRealZeroFirst;
    }
}
// Calls body with the ending as a constant.
template <class Body>
FUSEQ_INLINE void with_ending(Ending ending, const Body& body) {
    switch (ending) {
        case Ending::kFloor: return body(std::integral_constant<Ending, Ending::kFloor>{});
        case Ending::kTwoFloors: return body(std::integral_constant<Ending, Ending::kTwoFloors>{});
        case Ending::kReal: return body(std::integral_constant<Ending, Ending::kReal>{});
        case Ending::kMirrored: return body(std::integral_constant<Ending, Ending::kMirrored>{});
        case Ending::kNearest: return body(std::integral_constant<Ending, Ending::kNearest>{});
        default: return body(std::integral_constant<Ending, Ending::kRealZeroFirst>{});
    }
}

template <Finish F>
FUSEQ_INLINE __m512i
finish_integer(const std::uint8_t* packed, const Epilogue& e, __m512i acc, std::size_t q) {
    if constexpr (F == Finish::kRule) {
        const std::uint8_t* at = packed + 64 * q;
        __m512i v;
        with_ending(ending_of(e), [&](auto ending) FUSEQ_LAMBDA {
            v = by_rule<ending()>(acc, vector_of(at + kScale), vector_of(at + kRest),
                                  vector_of(at + kBias), vector_of(at + kBelow), sign_bits());
        });
        return v;
    }
    return _mm512_cvtps_epi32(finish_value<F>(packed, e, acc, q));
}

// From integers of 16 bits.
template <Finish F>
FUSEQ_INLINE __m512i to_bytes(const Epilogue& e, __m512i low, __m512i high) {
    constexpr bool kHasRule = F == Finish::kRule;
    const bool clips = kHasRule && e.clip;
    constexpr bool kToBoth = F == Finish::kAny || F == Finish::kElu || kHasRule;
    if (F == Finish::kI8 || (kToBoth && e.store == Store::kI8)) {
        const __m512i bytes = _mm512_packs_epi16(low, high);
        return clips ? _mm512_min_epi8(_mm512_max_epi8(bytes, _mm512_set1_epi8(e.low_byte)),
                                       _mm512_set1_epi8(e.high_byte))
                     : bytes;
    }
    const __m512i bytes = _mm512_packus_epi16(low, high);
    return clips ? _mm512_min_epu8(_mm512_max_epu8(bytes, _mm512_set1_epi8(e.low_byte)),
                                   _mm512_set1_epi8(e.high_byte))
                 : bytes;
}

template <class Vector>
FUSEQ_INLINE void store_as(std::uint8_t* to, Vector v) {
    __builtin_memcpy(to, &v, sizeof(v));
}

template <std::size_t Mode>
FUSEQ_INLINE void store_bytes(const Strip& strip,
                              std::uint8_t* const* dst,
                              std::ptrdiff_t offset,
                              __m512i v) {
    if constexpr (Mode == 0) {
        _mm512_storeu_si512(dst[0] + offset, v);
    } else if constexpr (Mode == 12) {
        store_as(dst[0] + offset, _mm512_castsi512_si256(v));
        store_as(dst[1] + offset, _mm512_extracti64x4_epi64(v, 1));
    } else if constexpr (Mode == 14) {
        store_as(dst[0] + offset, _mm512_castsi512_si128(v));
        store_as(dst[1] + offset, _mm512_extracti32x4_epi32(v, 1));
        store_as(dst[2] + offset, _mm512_extracti32x4_epi32(v, 2));
        store_as(dst[3] + offset, _mm512_extracti32x4_epi32(v, 3));
    } else {
        for (std::size_t p = 0; p < Mode; ++p) {
            std::uint8_t* to = dst[p] + offset - p * (kBlock / Mode);
            _mm512_mask_storeu_epi8(to, strip.store[p], v);
        }
    }
}

// Floats in quarter order to memory in channel order: a transposition of 4x4 lanes of 128 bits.
template <std::size_t Mode>
FUSEQ_INLINE void store_floats(const Strip& strip,
                               std::uint8_t* const* dst,
                               std::ptrdiff_t offset,
                               const Registers<__m512, kQuarters>& v) {
    constexpr std::size_t kParts = parts_of(Mode);
    const __m512 a = _mm512_shuffle_f32x4(v[0], v[1], 0x44);
    const __m512 b = _mm512_shuffle_f32x4(v[2], v[3], 0x44);
    const __m512 c = _mm512_shuffle_f32x4(v[0], v[1], 0xEE);
    const __m512 d = _mm512_shuffle_f32x4(v[2], v[3], 0xEE);
    const Registers<__m512, 4> lanes{
        {_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xDD),
         _mm512_shuffle_f32x4(c, d, 0x88), _mm512_shuffle_f32x4(c, d, 0xDD)}};
    for (std::size_t lane = 0; lane < 4; ++lane) {
        const std::size_t p = lane * kParts / 4;
        auto* to = reinterpret_cast<float*>(dst[p] + offset);
        to += 16 * (lane - p * 4 / kParts);
        if constexpr (Mode == 0) {
            _mm512_storeu_ps(to, lanes[lane]);
        } else {
            const auto mask = static_cast<__mmask16>(strip.store[p] >> (16 * lane));
            _mm512_mask_storeu_ps(to, mask, lanes[lane]);
        }
    }
}

template <std::size_t Mode, Finish F>
FUSEQ_INLINE void finish(const Strip& strip,
                         const std::uint8_t* packed,
                         std::uint8_t* const* dst,
                         std::ptrdiff_t offset,
                         const Quarters& acc) {
    const Epilogue& e = *strip.epilogue;
    if (F == Finish::kFloats || (F == Finish::kAny && e.store == Store::kF32)) {
        Registers<__m512, kQuarters> v;
        unrolled<kQuarters>([&](auto q)
                                FUSEQ_LAMBDA { v[q] = finish_value<F>(packed, e, acc[q], q); });
        store_floats<Mode>(strip, dst, offset, v);
        return;
    }
    Quarters v;
    if constexpr (F == Finish::kElu) {
        const EluVectors elu(*e.elu, e.shift);
        unrolled<kQuarters>([&](auto q) FUSEQ_LAMBDA {
            v[q] = elu.integer(finish_value<F>(packed, e, acc[q], q));
        });
    } else {
        unrolled<kQuarters>([&](auto q)
                                FUSEQ_LAMBDA { v[q] = finish_integer<F>(packed, e, acc[q], q); });
    }
    __m512i low = _mm512_packs_epi32(v[0], v[1]);
    __m512i high = _mm512_packs_epi32(v[2], v[3]);
    if (F == Finish::kRule && e.zero_point != 0) {
        low = _mm512_adds_epi16(low, _mm512_set1_epi16(e.zero_point));
        high = _mm512_adds_epi16(high, _mm512_set1_epi16(e.zero_point));
    }
    store_bytes<Mode>(strip, dst, offset, to_bytes<F>(e, low, high));
}

FUSEQ_INLINE void begin(Quarters& acc, const std::uint8_t* packed) {
    unrolled<kQuarters>([&](auto q)
                            FUSEQ_LAMBDA { acc[q] = _mm512_load_si512(packed + kInit + 64 * q); });
}

FUSEQ_INLINE void add_taps(Quarters& acc,
                           const Quarters& data,
                           const std::uint8_t* packed,
                           std::size_t entry) {
    const std::uint8_t* at = packed + kWeights + entry * kEntryBytes;
    unrolled<kQuarters>([&](auto q)
                            FUSEQ_LAMBDA { add_products_at(acc[q], data[q], at + 64 * q); });
}

// ---- rows to strips -------------------------------------------------------------------------

// One or two neighbouring output rows of one image: of a kernel with dilation D those have a
// distance of D, see Runner.
struct Task {
    std::size_t image;
    std::size_t y;
    std::size_t rows;
};

__mmask64 part_mask(std::size_t part, std::size_t parts, std::size_t channels) {
    const std::uint64_t ones = channels == 64 ? ~0ull : (1ull << channels) - 1;
    return ones << (part * (kBlock / parts));
}

// Fills strips: once what belongs to a block of channels, then the rows of every strip.
struct StripMaker {
    const Packed& packed;
    const std::uint8_t* src;
    std::uint8_t* dst;
    std::size_t src_rows;
    std::size_t parts;
    std::size_t dilation = packed.shape.dilation_height;
    std::size_t src_row_bytes = packed.shape.src_width * packed.shape.src_pixel_stride;
    std::size_t dst_row = dst_row_bytes(packed);

    void fill_block(Strip& strip, const Block& block) const {
        strip.block = &block;
        for (std::size_t part = 0; part < parts; ++part) {
            const __mmask64 mask = part_mask(part, parts, block.channels);
            strip.load[part] = mask;
            strip.store[part] = mask;
            strip.src[kPadding][part] =
                packed.padding_row.data() + block.first_channel - part * (kBlock / parts);
        }
    }

    void fill(Strip& strip, std::size_t part, const Task& task) const {
        const DepthwiseShape& s = packed.shape;
        const std::size_t channel = strip.block->first_channel;
        const std::uint8_t* image =
            src + task.image * s.src_height * src_row_bytes + channel - part * (kBlock / parts);
        const auto top = static_cast<std::ptrdiff_t>(task.y * s.stride_height) - s.pad_top;
        for (std::size_t r = 0; r < src_rows; ++r) {
            const auto y =
                static_cast<std::size_t>(top + static_cast<std::ptrdiff_t>(r * dilation));
            strip.src[r][part] =  // rows above the first are large numbers
                y < s.src_height ? image + y * src_row_bytes : strip.src[kPadding][part];
        }
        std::uint8_t* to = dst + (task.image * s.dst_height + task.y) * dst_row +
                           channel * dst_size(packed.epilogue.store);
        strip.dst[0][part] = to;
        strip.dst[1][part] = task.rows == 2 ? to + dilation * dst_row : to;
    }
};

}  // namespace
}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
