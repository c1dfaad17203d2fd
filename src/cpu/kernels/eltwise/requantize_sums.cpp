// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/requantize_sums.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
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
    kFixed,
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

HWY_INLINE VecI32 load_sums(const float* from) {
    return VecI32{round_raw(hn::LoadU(TagF32(), from).raw)};  // an integer of 24 bits
}
HWY_INLINE VecI32 load_sums(const std::int32_t* from) {
    return hn::LoadU(TagI32(), from);
}

// The low bytes: u8 and i8 alike, as `v` is in the range of one of them.
HWY_INLINE void store_low_bytes(VecI32 v, std::uint8_t* to) {
    const hn::Rebind<std::uint8_t, TagI32> d8;
    hn::StoreU(hn::TruncateTo(d8, hn::BitCast(hn::RebindToUnsigned<TagI32>(), v)), d8, to);
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
    HWY_INLINE VecI32 of(VecI32 product) const {
        return hn::Min(hn::Max(hn::Add(product, zero_point), lowest), highest);
    }
};

// to_grid(sums) for a vector of channels of all pixels; `count` of its lanes are stored.
template <class Sum, class ToGrid>
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
            store_low_bytes(to_grid(from), to);
        }
        return;
    }
    HWY_ALIGN std::uint8_t some[HWY_MAX_BYTES];
    for (std::size_t p = 0; p < pixels; ++p, from += step, to += dst_step) {
        store_low_bytes(to_grid(from), some);
        std::memcpy(to, some, count);
    }
}

template <Way W, class Sum>
void column(const SumColumns& columns,
            const ByteGrid& grid,
            const SumTile<Sum>& tile,
            std::size_t first,
            std::size_t count) {
    const std::size_t c = tile.channel + first;
    const VecI32 bias = hn::LoadU(TagI32(), columns.bias() + c);
    if constexpr (W == Way::kFixed || W == Way::kFixedLeft) {
        const FixedConstants m(columns, c);
        const GridVectors bytes(grid);
        over_pixels(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
            return bytes.of(rounded<W>(hn::Add(load_sums(from), bias), m));
        });
    } else {
        constexpr bool kZeroFirst = W == Way::kRealZeroFirst;
        const TagF32 d;
        const VecF32 by = hn::LoadU(d, columns.real() + c);
        const VecF32 zero = hn::Set(d, static_cast<float>(grid.zero_point));
        over_pixels(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
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
template <class Sum>
void short_column(const SumColumns& columns,
                  const ByteGrid& grid,
                  const SumTile<Sum>& tile,
                  std::size_t first,
                  std::size_t count) {
    const TagF32 d;
    const TagI32 di;
    const VecF32 scale = hn::LoadU(d, columns.short_scale() + tile.channel + first);
    const VecF32 shift = hn::LoadU(d, columns.short_shift() + tile.channel + first);
    const VecI32 lowest = hn::Set(di, grid.lowest);
    const VecI32 highest = hn::Set(di, grid.highest);
    over_pixels(tile, first, count, [=](const Sum* from) FUSEQ_HWY_LAMBDA {
        const VecF32 v = fused_mul_add(d, load_floats(from), scale, shift);
        return hn::Min(hn::Max(VecI32{round_raw(v.raw)}, lowest), highest);
    });
}

template <class Sum>
void run_tile(const SumColumns& columns, const ByteGrid& grid, const SumTile<Sum>& tile) {
    const std::size_t lanes = hn::Lanes(TagI32());
    const auto run = [&](auto way) FUSEQ_HWY_LAMBDA {
        for (std::size_t first = 0; first < tile.channels; first += lanes) {
            const std::size_t count = std::min(lanes, tile.channels - first);
            if (columns.is_short(tile.channel + first, count)) {
                short_column(columns, grid, tile, first, count);
            } else {
                column<way()>(columns, grid, tile, first, count);
            }
        }
    };
    switch (columns.rounding()) {
        case ProductRounding::kReal: return run(std::integral_constant<Way, Way::kReal>());
        case ProductRounding::kRealZeroFirst:
            return run(std::integral_constant<Way, Way::kRealZeroFirst>());
        default:
            return columns.shifts_left() ? run(std::integral_constant<Way, Way::kFixedLeft>())
                                         : run(std::integral_constant<Way, Way::kFixed>());
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
    const std::size_t most = whole ? std::max<std::size_t>(kTile / period, 1) : 0;
    for (std::size_t left = (elements.end - at) / period; whole && left != 0;) {
        const std::size_t pixels = std::min(left, most);
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

namespace {

// Max lanes of a vector.
constexpr std::size_t kVector = 16;

// How often a row of so many channels is repeated for its vectors to be full.
std::size_t repeats(std::size_t channels) {
    constexpr std::size_t kMaxPeriod = 4096;
    const std::size_t times = kVector / std::gcd(kVector, channels);
    return channels * times <= kMaxPeriod ? times : 1;
}

}  // namespace

SumColumns::SumColumns(ProductRounding rounding,
                       std::span<const std::int32_t> bias,
                       std::span<const FixedMultiplier> fixed,
                       std::span<const float> real)
    : rounding_(rounding),
      channels_(bias.size()),
      period_(bias.size() * repeats(bias.size())),
      fixed_(fixed.begin(), fixed.end()) {
    while (bias_.size() < period_) {
        bias_.insert(bias_.end(), bias.begin(), bias.end());
        real_.insert(real_.end(), real.begin(), real.end());
        for (const FixedMultiplier& m : fixed) {
            const ShiftedMultiplier shifted = shifted_multiplier(m, rounding);
            mantissa_.push_back(shifted.mantissa);
            left_.push_back(shifted.left);
            away_.push_back(shifted.away);
            right_.push_back(shifted.right);
            last_.push_back(shifted.last);
            nudge_.push_back(shifted.nudge);
            shifts_left_ = shifts_left_ || shifted.left != 0;
        }
    }
    const auto pad = [](auto& values) { values.resize(values.size() + kVector); };
    pad(bias_);
    pad(real_);
    for (auto* values : {&mantissa_, &left_, &away_, &right_, &last_, &nudge_}) {
        pad(*values);
    }
}

void SumColumns::find_short_ways(const ByteGrid& grid) {
    std::vector<std::uint8_t> found(period_, 0);
    short_scale_.assign(bias_.size(), 0.0F);
    short_shift_.assign(bias_.size(), 0.0F);
    // Columns are repeated after the channels.
    const std::size_t channels = channels_;
    for (std::size_t c = 0; c < period_; ++c) {
        if (c >= channels) {
            found[c] = found[c - channels];
            short_scale_[c] = short_scale_[c - channels];
            short_shift_[c] = short_shift_[c - channels];
            continue;
        }
        const auto way = short_rounding({.rounding = rounding_,
                                         .bias = bias_[c],
                                         .fixed = fixed_.empty() ? FixedMultiplier{} : fixed_[c],
                                         .real = is_fixed(rounding_) ? 0.0F : real_[c],
                                         .grid = grid});
        found[c] = way ? 1 : 0;
        short_scale_[c] = way ? way->scale : 0.0F;
        short_shift_[c] = way ? way->shift : 0.0F;
    }
    short_run_.assign(period_, 0);
    for (std::size_t c = period_; c-- > 0;) {
        const std::size_t next = c + 1 < period_ ? short_run_[c + 1] : 0;
        short_run_[c] = found[c] != 0 ? next + 1 : 0;
    }
}

void requantize_sums(
    const SumColumns& columns, const ByteGrid& grid, const float* src, void* dst, Range elements) {
    HWY_DYNAMIC_DISPATCH(requantize_sums_impl)(columns, grid, src, dst, elements);
}

void requantize_tile(const SumColumns& columns,
                     const ByteGrid& grid,
                     const SumTile<std::int32_t>& tile) {
    HWY_DYNAMIC_DISPATCH(requantize_tile_impl)(columns, grid, tile);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
