// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/requantize_sums.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/eltwise/short_rounding.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/requantize_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/eltwise/rounded_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

using WideTag = hn::RepartitionToWide<TagI32>;
using VecI64 = hn::Vec<WideTag>;

enum class Way {
    kOneShift,   // one product of 64 bits and one shift: half up
    kAway,       // has_one_shift(), half away
    kFixed,      // any multiplier
    kFixedLeft,  // with shifts to the left
    kReal,
    kRealZeroFirst,
};

HWY_INLINE VecI32 odd_lanes(VecI32 v) {
    const hn::RebindToUnsigned<WideTag> u64;
    return hn::BitCast(TagI32(), hn::ShiftRight<32>(hn::BitCast(u64, v)));
}

// What a vector of channels needs.
struct FixedConstants {
    VecI32 mantissa[2];  // of even lanes, of odd ones
    VecI64 nudge[2];
    VecI32 left;
    VecI32 away;
    VecI32 right;
    VecI32 last;
    FixedConstants(const SumColumns& columns, std::size_t c) {
        const TagI32 d;
        const WideTag d64;
        mantissa[0] = hn::LoadU(d, columns.mantissa() + c);
        mantissa[1] = odd_lanes(mantissa[0]);
        const VecI64 both = hn::BitCast(d64, hn::LoadU(d, columns.nudge() + c));
        nudge[0] = hn::And(both, hn::Set(d64, 0xFFFFFFFF));
        nudge[1] = hn::ShiftRight<32>(both);
        left = hn::LoadU(d, columns.left() + c);
        away = hn::LoadU(d, columns.away() + c);
        right = hn::LoadU(d, columns.right() + c);
        last = hn::LoadU(d, columns.last() + c);
    }
};

// See rounded_product(); the rounding before the high half differs by channel.
template <Way W>
HWY_INLINE VecI32 rounded(VecI32 x, const FixedConstants& m) {
    const TagI32 d;
    const hn::RebindToUnsigned<WideTag> u64;
    if constexpr (W == Way::kFixedLeft) {
        x = x << m.left;
    }
    const VecI64 even = hn::Add(hn::MulEven(x, m.mantissa[0]), m.nudge[0]);
    const VecI64 odd = hn::Add(hn::MulEven(odd_lanes(x), m.mantissa[1]), m.nudge[1]);
    const VecI32 high = hn::OddEven(hn::BitCast(d, hn::Add(odd, odd)),
                                    hn::BitCast(d, hn::ShiftRight<31>(hn::BitCast(u64, even))));
    const VecI32 nudged = hn::Add(high, hn::And(hn::ShiftRight<31>(high), m.away));
    return hn::Add(nudged >> m.right, m.last) >> m.last;
}

using VecU64 = hn::Vec<hn::RebindToUnsigned<WideTag>>;

// Values of 64 bits of the even and the odd lanes of a vector.
struct Halves {
    VecI64 even;
    VecI64 odd;
    explicit Halves(const std::int64_t* from) {
        const WideTag d;
        const VecI64 low = hn::LoadU(d, from);
        const VecI64 high = hn::LoadU(d, from + hn::Lanes(d));
        even = hn::ConcatEven(d, high, low);
        odd = hn::ConcatOdd(d, high, low);
    }
};
HWY_INLINE VecU64 as_unsigned(VecI64 v) {
    return hn::BitCast(hn::RebindToUnsigned<WideTag>(), v);
}

// The product with the mantissa and what is added to it, in 64 bits.
struct LongConstants {
    VecI32 mantissa[2];  // of even lanes, of odd ones
    Halves begin;
    VecU64 even_shift;
    VecU64 odd_shift;  // into the upper half
    VecI32 after;
    VecI32 last_shift;
    LongConstants(const SumColumns& columns, std::size_t c) : begin(columns.begin() + c) {
        const TagI32 d;
        const Halves shift(columns.shift() + c);
        mantissa[0] = hn::LoadU(d, columns.mantissa() + c);
        mantissa[1] = odd_lanes(mantissa[0]);
        even_shift = as_unsigned(shift.even);
        odd_shift = as_unsigned(hn::Sub(shift.odd, hn::Set(WideTag(), 32)));
        after = hn::LoadU(d, columns.after() + c);
        last_shift = hn::Add(hn::LoadU(d, columns.right() + c), hn::LoadU(d, columns.last() + c));
    }
    HWY_INLINE VecU64 even(VecI32 x) const {
        return as_unsigned(hn::Add(hn::MulEven(x, mantissa[0]), begin.even));
    }
    HWY_INLINE VecU64 odd(VecI32 x) const {
        return as_unsigned(hn::Add(hn::MulEven(odd_lanes(x), mantissa[1]), begin.odd));
    }
};

// The bias is in the constants.
HWY_INLINE VecI32 rounded_once(VecI32 sum, const LongConstants& m) {
    const TagI32 d;
    const VecI32 even = hn::BitCast(d, m.even(sum) >> m.even_shift);
    const VecI32 odd = hn::BitCast(d, m.odd(sum) >> m.odd_shift);
    return hn::Add(hn::OddEven(odd, even), m.after);
}

// `after`: half of the last shift.
HWY_INLINE VecI32 rounded_away(VecI32 sum, const LongConstants& m) {
    const TagI32 d;
    const VecU64 odd = m.odd(sum);
    const VecI32 high = hn::OddEven(hn::BitCast(d, hn::Add(odd, odd)),
                                    hn::BitCast(d, hn::ShiftRight<31>(m.even(sum))));
    return hn::Add(hn::Add(high, m.after), hn::ShiftRight<31>(high)) >> m.last_shift;
}

HWY_INLINE VecI32 load_sums(const float* from) {
    return VecI32{round_raw(hn::LoadU(TagF32(), from).raw)};  // an integer of 24 bits
}
HWY_INLINE VecI32 load_sums(const std::int32_t* from) {
    return hn::LoadU(TagI32(), from);
}

// How results become bytes.
enum class Bytes {
    kClamped,  // to the bounds of the grid
    kI8,       // all of them: the store saturates; those of u8 take more
};

// The low bytes: u8 and i8 alike, as `v` is in the range of one of them.
HWY_INLINE void store_low_bytes(VecI32 v, std::uint8_t* to) {
    const hn::Rebind<std::uint8_t, TagI32> d8;
    hn::StoreU(hn::TruncateTo(d8, hn::BitCast(hn::RebindToUnsigned<TagI32>(), v)), d8, to);
}

template <Bytes B>
HWY_INLINE void store_result(VecI32 v, std::uint8_t* to) {
    if constexpr (B == Bytes::kI8) {
        const hn::Rebind<std::int8_t, TagI32> d8;
        hn::StoreU(hn::DemoteTo(d8, v), d8, reinterpret_cast<std::int8_t*>(to));
    } else {
        store_low_bytes(v, to);
    }
}

// Vectors of a grid: bytes that are stored might change the numbers, as far as a compiler knows.
struct GridVectors {
    VecI32 zero_point;
    VecI32 lowest;
    VecI32 highest;
    explicit GridVectors(const ByteGrid& grid)
        : zero_point(hn::Set(TagI32(), grid.zero_point)),
          lowest(hn::Set(TagI32(), grid.lowest)),
          highest(hn::Set(TagI32(), grid.highest)) {}
    template <Bytes B>
    HWY_INLINE VecI32 clamped(VecI32 v) const {
        return B == Bytes::kI8 ? v : hn::Min(hn::Max(v, lowest), highest);
    }
};

// to_grid(sums) for a vector of channels of all pixels; `count` of its lanes are stored.
template <Bytes B, class Sum, class ToGrid>
HWY_INLINE void over_pixels(const SumTile<Sum>& tile,
                            std::size_t first,
                            std::size_t count,
                            const ToGrid& to_grid) {
    const Sum* from = tile.sums + first;
    auto* to = static_cast<std::uint8_t*>(tile.dst) + first;
    const std::size_t step = tile.step;
    const std::size_t dst_step = tile.dst_step;
    const std::size_t pixels = tile.pixels;
    if (count == hn::Lanes(TagI32())) {
        for (std::size_t p = 0; p < pixels; ++p, from += step, to += dst_step) {
            store_result<B>(to_grid(from), to);
        }
        return;
    }
    HWY_ALIGN std::uint8_t some[HWY_MAX_BYTES];
    for (std::size_t p = 0; p < pixels; ++p, from += step, to += dst_step) {
        store_result<B>(to_grid(from), some);
        std::memcpy(to, some, count);
    }
}

template <Way W, Bytes B, class Sum>
void column(const SumColumns& columns,
            const ByteGrid& grid,
            const SumTile<Sum>& tile,
            std::size_t first,
            std::size_t count) {
    const std::size_t c = tile.channel + first;
    const VecI32 bias = hn::LoadU(TagI32(), columns.bias() + c);
    if constexpr (W == Way::kOneShift || W == Way::kAway) {
        const LongConstants m(columns, c);
        const GridVectors bytes(grid);
        over_pixels<B>(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
            const VecI32 sum = load_sums(from);
            const VecI32 product = W == Way::kAway ? rounded_away(sum, m) : rounded_once(sum, m);
            return bytes.template clamped<B>(hn::Add(product, bytes.zero_point));
        });
    } else if constexpr (W == Way::kFixed || W == Way::kFixedLeft) {
        const FixedConstants m(columns, c);
        const GridVectors bytes(grid);
        over_pixels<B>(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
            const VecI32 product = rounded<W>(hn::Add(load_sums(from), bias), m);
            return bytes.template clamped<B>(hn::Add(product, bytes.zero_point));
        });
    } else {
        constexpr bool kZeroFirst = W == Way::kRealZeroFirst;
        const TagF32 d;
        const VecF32 by = hn::LoadU(d, columns.real() + c);
        const VecF32 zero = hn::Set(d, static_cast<float>(grid.zero_point));
        over_pixels<Bytes::kClamped>(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
            const VecI32 sum = hn::Add(load_sums(from), bias);
            const VecF32 steps = hn::Mul(hn::ConvertTo(d, sum), by);
            return rounded_to_grid(kZeroFirst ? hn::Add(steps, zero) : steps, kZeroFirst, grid);
        });
    }
}

HWY_INLINE VecF32 load_floats(const float* from) {
    return hn::LoadU(TagF32(), from);
}
HWY_INLINE VecF32 load_floats(const std::int32_t* from) {
    return hn::ConvertTo(TagF32(), hn::LoadU(TagI32(), from));
}

// By the short way, whose values are far from the ends of 32 bits.
template <Bytes B, class Sum>
void short_column(const SumColumns& columns,
                  const ByteGrid& grid,
                  const SumTile<Sum>& tile,
                  std::size_t first,
                  std::size_t count) {
    const TagF32 d;
    const VecF32 scale = hn::LoadU(d, columns.short_scale() + tile.channel + first);
    const VecF32 shift = hn::LoadU(d, columns.short_shift() + tile.channel + first);
    const GridVectors bytes(grid);
    over_pixels<B>(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
        const VecF32 v = fused_mul_add(d, load_floats(from), scale, shift);
        return bytes.template clamped<B>(VecI32{round_raw(v.raw)});
    });
}

// With another shift below some sum.
template <Bytes B, class Sum>
void split_column(const SumColumns& columns,
                  const ByteGrid& grid,
                  const SumTile<Sum>& tile,
                  std::size_t first,
                  std::size_t count) {
    const TagF32 d;
    const std::size_t c = tile.channel + first;
    const VecF32 scale = hn::LoadU(d, columns.short_scale() + c);
    const VecF32 shift = hn::LoadU(d, columns.short_shift() + c);
    const VecF32 below = hn::LoadU(d, columns.shift_below() + c);
    const VecF32 at = hn::LoadU(d, columns.split_at() + c);
    const GridVectors bytes(grid);
    over_pixels<B>(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
        const VecF32 sum = load_floats(from);
        const VecF32 v =
            fused_mul_add(d, sum, scale, hn::IfThenElse(hn::Lt(sum, at), below, shift));
        return bytes.template clamped<B>(VecI32{round_raw(v.raw)});
    });
}

#if HWY_TARGET <= HWY_AVX3
// By floors (floored_rounding.hpp), where instructions choose how they round.
template <Bytes B, bool Two, class Sum>
void floor_column(const SumColumns& columns,
                  const ByteGrid& grid,
                  const SumTile<Sum>& tile,
                  std::size_t first,
                  std::size_t count) {
    constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    const TagF32 d;
    const std::size_t c = tile.channel + first;
    const VecF32 scale = hn::LoadU(d, columns.floor_scale() + c);
    const VecF32 rest = hn::LoadU(d, columns.floor_rest() + c);
    const VecF32 shift = hn::LoadU(d, columns.floor_shift() + c);
    const VecF32 below = hn::LoadU(d, columns.floor_below() + c);
    const VecF32 offset = hn::LoadU(d, columns.floor_offset() + c);
    const GridVectors bytes(grid);
    over_pixels<B>(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
        const VecF32 sum = hn::Add(load_floats(from), offset);
        const VecF32 begin = Two ? hn::IfThenElse(hn::Lt(sum, hn::Zero(d)), below, shift) : shift;
        const __m512 low = _mm512_fmadd_round_ps(sum.raw, rest.raw, begin.raw, kDown);
        const __m512 value = _mm512_fmadd_round_ps(sum.raw, scale.raw, low, kDown);
        return bytes.template clamped<B>(VecI32{_mm512_cvt_roundps_epi32(value, kDown)});
    });
}
template <Bytes B, class Sum>
bool run_floors(const SumColumns& columns,
                const ByteGrid& grid,
                const SumTile<Sum>& tile,
                std::size_t first,
                std::size_t count) {
    if (!columns.floored()) {
        return false;
    }
    if (columns.has_two_floors()) {
        floor_column<B, true>(columns, grid, tile, first, count);
    } else {
        floor_column<B, false>(columns, grid, tile, first, count);
    }
    return true;
}
#else
template <Bytes B, class Sum>
bool run_floors(const SumColumns&, const ByteGrid&, const SumTile<Sum>&, std::size_t, std::size_t) {
    return false;
}
#endif

template <Bytes B, class Sum>
void run_tile_to(const SumColumns& columns, const ByteGrid& grid, const SumTile<Sum>& tile) {
    const std::size_t lanes = hn::Lanes(TagI32());
    const auto run = [&](auto way) FUSEQ_HWY_LAMBDA {
        for (std::size_t first = 0; first < tile.channels; first += lanes) {
            const std::size_t count = std::min(lanes, tile.channels - first);
            if (columns.is_short(tile.channel + first, count)) {
                short_column<B>(columns, grid, tile, first, count);
            } else if (columns.is_split(tile.channel + first, count)) {
                split_column<B>(columns, grid, tile, first, count);
            } else if (run_floors<B>(columns, grid, tile, first, count)) {
                continue;
            } else {
                column<way(), B>(columns, grid, tile, first, count);
            }
        }
    };
    switch (columns.rounding()) {
        case ProductRounding::kReal: return run(std::integral_constant<Way, Way::kReal>());
        case ProductRounding::kRealZeroFirst:
            return run(std::integral_constant<Way, Way::kRealZeroFirst>());
        default:
            if (columns.has_one_shift()) {
                return columns.rounding() == ProductRounding::kHalfAway
                           ? run(std::integral_constant<Way, Way::kAway>())
                           : run(std::integral_constant<Way, Way::kOneShift>());
            }
            return columns.shifts_left() ? run(std::integral_constant<Way, Way::kFixedLeft>())
                                         : run(std::integral_constant<Way, Way::kFixed>());
    }
}

template <class Sum>
void run_tile(const SumColumns& columns, const ByteGrid& grid, const SumTile<Sum>& tile) {
    if (grid.lowest == -128 && grid.highest == 127) {
        run_tile_to<Bytes::kI8>(columns, grid, tile);
    } else {
        run_tile_to<Bytes::kClamped>(columns, grid, tile);
    }
}

// Nothing after the last sum may be read here: the last ones of a range go through a buffer.
void run_some(const SumColumns& columns,
              const ByteGrid& grid,
              const float* sums,
              std::uint8_t* dst,
              Range channels) {
    const std::size_t count = channels.end - channels.begin;
    const std::size_t whole = count / hn::Lanes(TagI32()) * hn::Lanes(TagI32());
    run_tile<float>(
        columns, grid,
        {.sums = sums, .pixels = 1, .channel = channels.begin, .channels = whole, .dst = dst});
    if (whole < count) {
        HWY_ALIGN float some[HWY_MAX_BYTES / sizeof(float)] = {};
        std::copy_n(sums + whole, count - whole, some);
        run_tile<float>(columns, grid,
                        {.sums = some,
                         .pixels = 1,
                         .channel = channels.begin + whole,
                         .channels = count - whole,
                         .dst = dst + whole});
    }
}

void requantize_tile_impl(const SumColumns& columns,
                          const ByteGrid& grid,
                          const SumTile<std::int32_t>& tile) {
    run_tile(columns, grid, tile);
}
void requantize_float_tile_impl(const SumColumns& columns,
                                const ByteGrid& grid,
                                const SumTile<float>& tile) {
    run_tile(columns, grid, tile);
}

// Whole periods as tiles, whose constants stay in registers; what is before and after them apart.
void requantize_sums_impl(const SumColumns& columns,
                          const ByteGrid& grid,
                          const float* src,
                          void* dst_data,
                          Range elements) {
    constexpr std::size_t kTile = 4096;  // elements: they stay in L1
    auto* const dst = static_cast<std::uint8_t*>(dst_data);
    const std::size_t period = columns.period();
    std::size_t at = elements.begin;
    const std::size_t head = std::min((period - at % period) % period, elements.end - at);
    run_some(columns, grid, src + at, dst + at, {at % period, at % period + head});
    at += head;
    const bool whole = period % hn::Lanes(TagI32()) == 0;
    const std::size_t max_pixels = whole ? std::max<std::size_t>(kTile / period, 1) : 0;
    for (std::size_t left = (elements.end - at) / period; whole && left != 0;) {
        const std::size_t pixels = std::min(left, max_pixels);
        run_tile<float>(columns, grid,
                        {.sums = src + at,
                         .step = period,
                         .pixels = pixels,
                         .channels = period,
                         .dst = dst + at,
                         .dst_step = period});
        at += pixels * period;
        left -= pixels;
    }
    while (at < elements.end) {
        const std::size_t count = std::min(period, elements.end - at);
        run_some(columns, grid, src + at, dst + at, {0, count});
        at += count;
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(requantize_sums_impl);
HWY_EXPORT(requantize_tile_impl);
HWY_EXPORT(requantize_float_tile_impl);

void requantize_sums(
    const SumColumns& columns, const ByteGrid& grid, const float* src, void* dst, Range elements) {
    HWY_DYNAMIC_DISPATCH(requantize_sums_impl)(columns, grid, src, dst, elements);
}

void requantize_tile(const SumColumns& columns,
                     const ByteGrid& grid,
                     const SumTile<std::int32_t>& tile) {
    HWY_DYNAMIC_DISPATCH(requantize_tile_impl)(columns, grid, tile);
}

void requantize_tile(const SumColumns& columns, const ByteGrid& grid, const SumTile<float>& tile) {
    HWY_DYNAMIC_DISPATCH(requantize_float_tile_impl)(columns, grid, tile);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
