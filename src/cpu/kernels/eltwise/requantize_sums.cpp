// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/requantize_sums.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/eltwise/requantize_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/eltwise/rounded_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE VecMultiplier multiplier_at(const SumColumns& columns, std::size_t c) {
    const TagI32 d;
    return {hn::LoadU(d, columns.mantissa() + c), hn::LoadU(d, columns.left() + c),
            hn::LoadU(d, columns.away() + c), hn::LoadU(d, columns.right() + c),
            hn::LoadU(d, columns.last() + c)};
}

// A vector of sums, whose columns begin at `c`.
template <bool kFixed>
HWY_INLINE VecI32
requantized(const SumColumns& columns, const ByteGrid& grid, const float* from, std::size_t c) {
    const TagF32 d;
    const TagI32 di;
    const VecI32 sum =
        hn::Add(hn::ConvertTo(di, hn::LoadU(d, from)), hn::LoadU(di, columns.bias() + c));
    if constexpr (kFixed) {
        return on_grid(rounded_product(sum, multiplier_at(columns, c)), grid);
    } else {
        const bool zero_first = columns.rounding() == ProductRounding::kRealZeroFirst;
        VecF32 steps = hn::Mul(hn::ConvertTo(d, sum), hn::LoadU(d, columns.real() + c));
        if (zero_first) {
            steps = hn::Add(steps, hn::Set(d, static_cast<float>(grid.zero_point)));
        }
        return rounded_to_grid(steps, zero_first, grid);
    }
}

template <bool kFixed, class Byte>
void row(const SumColumns& columns,
         const ByteGrid& grid,
         const float* from,
         Byte* to,
         std::size_t first,
         std::size_t count) {
    const std::size_t lanes = hn::Lanes(TagF32());
    std::size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        store_bytes(requantized<kFixed>(columns, grid, from + i, first + i), to + i);
    }
    if (i < count) {
        HWY_ALIGN float some[HWY_MAX_BYTES / sizeof(float)] = {};
        HWY_ALIGN Byte bytes[HWY_MAX_BYTES] = {};
        std::copy_n(from + i, count - i, some);
        // The columns are followed by a vector of padding.
        store_bytes(requantized<kFixed>(columns, grid, some, first + i), bytes);
        std::memcpy(to + i, bytes, count - i);
    }
}

template <bool kFixed, class Byte>
void rows(
    const SumColumns& columns, const ByteGrid& grid, const float* src, Byte* dst, Range elements) {
    const std::size_t period = columns.period();
    std::size_t column = elements.begin % period;
    for (std::size_t at = elements.begin; at < elements.end;) {
        const std::size_t count = std::min(period - column, elements.end - at);
        row<kFixed>(columns, grid, src + at, dst + at, column, count);
        at += count;
        column = 0;
    }
}

template <class Byte>
void requantize(
    const SumColumns& columns, const ByteGrid& grid, const float* src, Byte* dst, Range elements) {
    if (is_fixed(columns.rounding())) {
        rows<true>(columns, grid, src, dst, elements);
    } else {
        rows<false>(columns, grid, src, dst, elements);
    }
}

void requantize_sums_impl(const SumColumns& columns,
                          const ByteGrid& grid,
                          const float* src,
                          ElementType dst_type,
                          void* dst,
                          Range elements) {
    if (dst_type == ElementType::u8) {
        requantize(columns, grid, src, static_cast<std::uint8_t*>(dst), elements);
    } else {
        requantize(columns, grid, src, static_cast<std::int8_t*>(dst), elements);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(requantize_sums_impl);

namespace {

constexpr std::size_t kVector = 16;  // max lanes of a vector

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
    : rounding_(rounding), period_(bias.size() * repeats(bias.size())) {
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
        }
    }
    const auto pad = [](auto& values) { values.resize(values.size() + kVector); };
    pad(bias_);
    pad(real_);
    for (auto* values : {&mantissa_, &left_, &away_, &right_, &last_}) {
        pad(*values);
    }
}

void requantize_sums(const SumColumns& columns,
                     const ByteGrid& grid,
                     const float* src,
                     ElementType dst_type,
                     void* dst,
                     Range elements) {
    HWY_DYNAMIC_DISPATCH(requantize_sums_impl)(columns, grid, src, dst_type, dst, elements);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
