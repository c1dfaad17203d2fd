// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The sums of a tile of small_conv_pairs.hpp. To be included after hwy/highway.h, once a target.
#if defined(FUSEQ_SMALL_CONV_PAIRS_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_SMALL_CONV_PAIRS_SUMS_INL_H_
#undef FUSEQ_SMALL_CONV_PAIRS_SUMS_INL_H_
#else
#define FUSEQ_SMALL_CONV_PAIRS_SUMS_INL_H_
#endif

#include <utility>

#include "cpu/kernels/small_conv/small_conv_pairs.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels::small_conv {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// 256 bits at most: wider vectors hold more parts of a pixel's sum than there are channels.
using D32 = hn::CappedTag<std::int32_t, 8>;
using V32 = hn::Vec<D32>;
constexpr std::size_t kLanes = hn::MaxLanes(D32());

// Source vectors at once for a group of so many channels: sums, the source and a product stay in 16
// registers.
constexpr std::size_t source_vectors(std::size_t group) {
    return group == 1 ? 8 : group == 2 ? 4 : group == 3 ? 3 : 2;
}

template <std::size_t Count, class V>
struct Vectors {
    V v[Count];
};

template <std::size_t... I>
HWY_INLINE void clear(Vectors<sizeof...(I), V32>& sums, std::index_sequence<I...>) {
    ((sums.v[I] = hn::Zero(D32())), ...);
}

template <class Math, std::size_t... U>
HWY_INLINE void load(Vectors<sizeof...(U), typename Math::V>& to,
                     const typename Math::Element* from,
                     std::size_t step,
                     std::index_sequence<U...>) {
    ((to.v[U] = Math::load(from + U * step)), ...);
}

template <class Math, std::size_t First, std::size_t Count, std::size_t... U>
HWY_INLINE void add_channel(Vectors<Count, V32>& sums,
                            const Vectors<sizeof...(U), typename Math::V>& src,
                            typename Math::V weights,
                            std::index_sequence<U...>) {
    ((sums.v[First + U] = Math::add(src.v[U], weights, sums.v[First + U])), ...);
}

template <class Math, std::size_t Count, std::size_t Sources, std::size_t... C>
HWY_INLINE void add_tap(Vectors<Count, V32>& sums,
                        const Vectors<Sources, typename Math::V>& src,
                        const typename Math::Element* weights,
                        std::index_sequence<C...>) {
    constexpr std::size_t kElements = 4 * kLanes / sizeof(typename Math::Element);
    (add_channel<Math, C * Sources>(sums, src, Math::load(weights + C * kElements),
                                    std::make_index_sequence<Sources>{}),
     ...);
}

template <std::size_t Sources, std::size_t... I>
HWY_INLINE void store(const Vectors<sizeof...(I), V32>& sums,
                      std::int32_t* to,
                      std::index_sequence<I...>) {
    constexpr std::size_t kPitch = kMaxPairSums + kPairSumsSlack;
    (hn::StoreU(sums.v[I], D32(), to + I / Sources * kPitch + I % Sources * kLanes), ...);
}

// Math: Element, V, load(from), and add(src, weights, sum).
template <class Math, std::size_t Group>
void sum_tile(const PairCall& call) {
    using Element = typename Math::Element;
    constexpr std::size_t kElements = 4 * kLanes / sizeof(Element);
    constexpr std::size_t kSources = source_vectors(Group);
    constexpr auto kAll = std::make_index_sequence<Group * kSources>{};
    for (std::size_t v = 0; v < call.vectors; v += kSources) {
        Vectors<Group * kSources, V32> sums;
        clear(sums, kAll);
        const auto* weights = static_cast<const Element*>(call.weights);
        for (std::size_t y = 0; y < call.kernel_rows; ++y) {
            const Element* row = static_cast<const Element*>(call.rows[y]) + v * call.step;
            for (std::size_t t = 0; t < call.tap_count; ++t, weights += Group * kElements) {
                Vectors<kSources, typename Math::V> src;
                load<Math>(src, row + call.taps[t], call.step,
                           std::make_index_sequence<kSources>{});
                add_tap<Math>(sums, src, weights, std::make_index_sequence<Group>{});
            }
        }
        store<kSources>(sums, call.sums + v * kLanes, kAll);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels::small_conv
HWY_AFTER_NAMESPACE();

#endif
