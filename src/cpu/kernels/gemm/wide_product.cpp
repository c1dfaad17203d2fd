// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/wide_product.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/wide_product.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<std::int32_t, kWideGroup>;
using V = hn::Vec<D>;
constexpr std::size_t kLanes = hn::MaxLanes(D());
constexpr std::size_t kVectors = kWideGroup / kLanes;

template <std::size_t Pixels>
struct Sums {
    V of[Pixels][kVectors];

    HWY_INLINE void clear() {
        for (auto& pixel : of) {
            for (V& v : pixel) {
                v = hn::Zero(D());
            }
        }
    }
    // Adds them, times `factor`, to sums of 64 bits, `row` elements from a pixel to the next, and
    // begins anew.
    HWY_INLINE void move_to(std::int64_t* sums, std::size_t row, std::int64_t factor) {
        HWY_ALIGN std::int32_t lanes[kWideGroup];
        for (std::size_t p = 0; p < Pixels; ++p) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                hn::Store(of[p][v], D(), lanes + v * kLanes);
            }
            for (std::size_t c = 0; c < kWideGroup; ++c) {
                sums[p * row + c] += factor * lanes[c];
            }
        }
        clear();
    }
};

// Adds the products of some pairs of a tap.
template <std::size_t Pixels>
HWY_INLINE void add_pairs(const std::int16_t* src,
                          std::ptrdiff_t step,
                          const std::int16_t* wei,
                          std::size_t pairs,
                          Sums<Pixels>& sums) {
    const D d;
    const hn::Repartition<std::int16_t, D> d16;
    for (std::size_t i = 0; i < pairs; ++i, src += 2, wei += 2 * kWideGroup) {
        V unused = hn::Zero(d);
        for (std::size_t p = 0; p < Pixels; ++p) {
            std::int32_t pair;
            std::memcpy(&pair, src + static_cast<std::ptrdiff_t>(p) * step, sizeof(pair));
            const auto x = hn::BitCast(d16, hn::Set(d, pair));
            for (std::size_t v = 0; v < kVectors; ++v) {
                const auto w = hn::Load(d16, wei + 2 * v * kLanes);
                sums.of[p][v] = hn::ReorderWidenMulAccumulate(d, x, w, sums.of[p][v], unused);
            }
        }
    }
}

// Of one group of channels and one part of the weights.
template <std::size_t Pixels>
void add_part(const WideProductCall& call, std::size_t group, std::size_t part, std::int64_t* to) {
    const WideWeights& w = *call.weights;
    const std::size_t limit = w.pairs_in_32_bits();
    const std::int64_t factor = part == 0 ? 1 : WideWeights::kHighPart;
    Sums<Pixels> sums;
    sums.clear();
    std::size_t added = 0;
    for (const WideTap& tap : call.taps) {
        const std::int16_t* wei = w.of(group, tap.wei, part);
        const std::int16_t* src = call.src + tap.src;
        for (std::size_t i = 0; i < w.pairs();) {
            const std::size_t some = std::min(w.pairs() - i, limit - added);
            add_pairs<Pixels>(src + 2 * i, call.src_step, wei + 2 * i * kWideGroup, some, sums);
            i += some;
            added += some;
            if (added == limit) {
                sums.move_to(to, w.row(), factor);
                added = 0;
            }
        }
    }
    sums.move_to(to, w.row(), factor);
}

template <std::size_t Pixels>
void product_of(const WideProductCall& call) {
    const WideWeights& w = *call.weights;
    for (std::size_t group = 0; group < w.groups(); ++group) {
        std::int64_t* const to = call.sums + group * kWideGroup;
        for (std::size_t p = 0; p < Pixels; ++p) {
            std::fill_n(to + p * w.row(), kWideGroup, 0);
        }
        for (std::size_t part = 0; part < w.parts(); ++part) {
            add_part<Pixels>(call, group, part, to);
        }
    }
}

void wide_product_impl(const WideProductCall& call) {
    switch (call.pixels) {
        case 1: return product_of<1>(call);
        case 2: return product_of<2>(call);
        case 3: return product_of<3>(call);
        default: return product_of<4>(call);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(wide_product_impl);

WideWeights::WideWeights(std::size_t taps,
                         std::size_t depth,
                         std::size_t channels,
                         std::int64_t max_src,
                         const Value& value)
    : taps_(taps), depth_(depth), groups_((channels + kWideGroup - 1) / kWideGroup) {
    tap_sums_.assign(taps_ * row(), 0);
    std::int64_t max_weight = 1;
    for (std::size_t t = 0; t < taps; ++t) {
        for (std::size_t k = 0; k < depth; ++k) {
            for (std::size_t c = 0; c < channels; ++c) {
                const std::int32_t w = value(t, k, c);
                max_weight = std::max<std::int64_t>(max_weight, std::abs(w));
                tap_sums_[t * row() + c] += w;
            }
        }
    }
    parts_ = max_weight > kMaxWeightInOnePart ? 2 : 1;
    values_.assign(parts_ * part_size(), 0);
    for (std::size_t c = 0; c < channels; ++c) {
        for (std::size_t t = 0; t < taps; ++t) {
            const std::size_t to = ((c / kWideGroup * taps_ + t) * pairs()) * 2 * kWideGroup;
            for (std::size_t k = 0; k < depth; ++k) {
                put(to + (k / 2 * kWideGroup + c % kWideGroup) * 2 + k % 2, value(t, k, c));
            }
        }
    }
    constexpr std::int64_t kMaxSum = std::numeric_limits<std::int32_t>::max();
    const std::int64_t stored = parts_ == 1 ? max_weight : kHighPart / 2;
    const std::int64_t pair = 2 * std::max<std::int64_t>(max_src, 1) * stored;
    pairs_in_32_bits_ = static_cast<std::size_t>(std::max<std::int64_t>(kMaxSum / pair, 1));
}

void WideWeights::put(std::size_t at, std::int32_t weight) {
    if (parts_ == 1) {
        values_[at] = static_cast<std::int16_t>(weight);
        return;
    }
    constexpr std::int32_t kHalf = kHighPart / 2;
    const std::int32_t low = ((weight + kHalf) & (kHighPart - 1)) - kHalf;
    values_[at] = static_cast<std::int16_t>(low);
    values_[part_size() + at] = static_cast<std::int16_t>((weight - low) / kHighPart);
}

void wide_product(const WideProductCall& call) {
    HWY_DYNAMIC_DISPATCH(wide_product_impl)(call);
}

}  // namespace fuseq::kernels
#endif
