// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/normalize_integers.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce/normalize_integers.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/exact-inl.h"
#include "cpu/kernels/reduce/column_epilogue-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

// Squares of so many bytes add up to an integer that a float holds.
constexpr std::size_t kExactRows = 256;

template <class D>
HWY_INLINE void add_to(D d, hn::Vec<D> v, std::int64_t* to) {
    alignas(64) float lanes[hn::MaxLanes(d)];
    hn::Store(v, d, lanes);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
        to[i] += static_cast<std::int64_t>(lanes[i]);
    }
}

template <class Src>
void sum_as(std::size_t inner, const Src* src, Range rows, ColumnSums& found) {
    std::fill(found.sums, found.sums + inner, 0);
    std::fill(found.squares, found.squares + inner, 0);
    for (std::size_t block = rows.begin; block < rows.end; block += kExactRows) {
        const std::size_t end = std::min(block + kExactRows, rows.end);
        for_vectors(inner, [&](auto d, std::size_t c) HWY_ATTR {
            auto sum = hn::Zero(d);
            auto squares = hn::Zero(d);
            auto sum2 = hn::Zero(d);
            auto squares2 = hn::Zero(d);
            const Src* from = src + block * inner + c;
            std::size_t row = block;
            for (; row + 2 <= end; row += 2, from += 2 * inner) {
                const auto x = load_float(d, from);
                const auto y = load_float(d, from + inner);
                sum = hn::Add(sum, x);
                squares = hn::MulAdd(x, x, squares);
                sum2 = hn::Add(sum2, y);
                squares2 = hn::MulAdd(y, y, squares2);
            }
            if (row < end) {
                const auto x = load_float(d, from);
                sum = hn::Add(sum, x);
                squares = hn::MulAdd(x, x, squares);
            }
            add_to(d, hn::Add(sum, sum2), found.sums + c);
            add_to(d, hn::Add(squares, squares2), found.squares + c);
        });
    }
}

void sum_impl(const NormalizeParams& p, const void* src, Range rows, ColumnSums& found) {
    if (p.src_type == ElementType::u8) {
        return sum_as(p.inner, static_cast<const std::uint8_t*>(src), rows, found);
    }
    sum_as(p.inner, static_cast<const std::int8_t*>(src), rows, found);
}

template <class Src, class Dst>
void normalize_block(
    const NormalizeParams& p, const ColumnFactors& factors, const Src* src, Dst* dst, Range rows) {
    for_vectors(p.inner, [&](auto d, std::size_t c) HWY_ATTR {
        const auto mean = hn::LoadU(d, factors.mean + c);
        const auto factor = hn::LoadU(d, factors.factor + c);
        with_column_epilogue(d, p, c, [&](const auto& epilogue) HWY_ATTR {
            for (std::size_t row = rows.begin; row < rows.end; ++row) {
                const std::size_t at = row * p.inner + c;
                const auto x = load_float(d, src + at);
                store_float(d, epilogue(hn::Mul(hn::Sub(x, mean), factor)), dst + at);
            }
        });
    });
}

template <class Src>
void normalize_from_integers(
    const NormalizeParams& p, const ColumnFactors& factors, const Src* src, void* dst, Range rows) {
    constexpr std::size_t kAtOnce = 16384;  // elements that stay in the first cache
    const std::size_t step = std::max<std::size_t>(1, kAtOnce / p.inner);
    with_element(p.dst_type, [&](auto element) {
        for (std::size_t row = rows.begin; row < rows.end; row += step) {
            normalize_block(p, factors, src, static_cast<decltype(element)*>(dst),
                            {row, std::min(row + step, rows.end)});
        }
    });
}

void normalize_rows_impl(const NormalizeParams& p,
                         const ColumnFactors& factors,
                         const void* src,
                         void* dst,
                         Range rows) {
    if (p.src_type == ElementType::u8) {
        return normalize_from_integers(p, factors, static_cast<const std::uint8_t*>(src), dst,
                                       rows);
    }
    normalize_from_integers(p, factors, static_cast<const std::int8_t*>(src), dst, rows);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(sum_impl);
HWY_EXPORT(normalize_rows_impl);

bool takes_integers(const NormalizeParams& params) {
    return params.inner <= kMaxIntegerColumns &&
           (params.src_type == ElementType::u8 || params.src_type == ElementType::i8);
}

void sum_columns(const NormalizeParams& params, const void* src, Range rows, ColumnSums& found) {
    HWY_DYNAMIC_DISPATCH(sum_impl)(params, src, rows, found);
}

void add_sums(const NormalizeParams& params, const ColumnSums& found, ColumnSums& total) {
    for (std::size_t c = 0; c < params.inner; ++c) {
        std::atomic_ref(total.sums[c]).fetch_add(found.sums[c], std::memory_order_relaxed);
        std::atomic_ref(total.squares[c]).fetch_add(found.squares[c], std::memory_order_relaxed);
    }
}

void factors_of(const NormalizeParams& params, const ColumnSums& total, ColumnFactors& factors) {
    const auto count = static_cast<double>(params.length);
    for (std::size_t c = 0; c < params.inner; ++c) {
        const auto sum = static_cast<double>(total.sums[c]);
        const double mean = sum / count;
        const double variance =
            std::max(0.0, (static_cast<double>(total.squares[c]) - sum * mean) / count);
        const auto epsilon = static_cast<double>(params.epsilon);
        const double deviation =
            params.epsilon_outside ? std::sqrt(variance) + epsilon : std::sqrt(variance + epsilon);
        factors.mean[c] = static_cast<float>(mean);
        factors.factor[c] = params.normalize_variance ? static_cast<float>(1.0 / deviation) : 1.0f;
    }
}

void normalize_rows(const NormalizeParams& params,
                    const ColumnFactors& factors,
                    const void* src,
                    void* dst,
                    Range rows) {
    HWY_DYNAMIC_DISPATCH(normalize_rows_impl)(params, factors, src, dst, rows);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
