// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The micro-kernel on bytes for machines without VNNI: vpmaddubsw multiplies unsigned bytes by
// signed ones and adds two products in 16 bits, vpmaddwd with ones adds two of those in 32 bits.
// The 16 bits saturate where two products are too large. The weights decide, so every step of four
// bytes of depth and 16 channels is packed as one of
//
//   plain    no two weights that are added have a sum of positive or of negative ones beyond 128:
//            x * w, with the source as the unsigned operand. 255 * 128 fits.
//   signed   any other: |w| * s, with |w| as the unsigned operand, s = x - 128 for w >= 0 and
//            s = 127 - x for w < 0, both in [-128, 127]. Two such products are in
//            [-128 * (|w| + |w'|), 127 * (|w| + |w'|)] and fit for all weights of 8 bits. s is
//            x xor 0x80 or x xor 0x7F: a mask is packed beside |w|. What is added is
//            x * w - 128 * w or x * w + 127 * |w|: the second term is one constant a channel, in
//            the initial value of the sum.
//
// A plain step costs three instructions for 32 products, a signed one four, as many as 16-bit
// products in pairs take.
#include <algorithm>
#include <cstdlib>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_bytes.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/gemm/gemm_narrow_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using gemm::MicroCall;
using gemm::MicroFunction;
using gemm::TapSteps;
using narrow::kVectors;
using narrow::Sums;
using narrow::V16;
using narrow::V32;

// Products of unsigned and signed bytes, two added with saturation (not in Highway 1.0.3).
HWY_INLINE V16 add_two(V32 unsigned_bytes, V32 signed_bytes) {
#if HWY_MAX_BYTES == 64
    return V16{_mm512_maddubs_epi16(unsigned_bytes.raw, signed_bytes.raw)};
#elif HWY_MAX_BYTES == 32
    return V16{_mm256_maddubs_epi16(unsigned_bytes.raw, signed_bytes.raw)};
#else
    return V16{_mm_maddubs_epi16(unsigned_bytes.raw, signed_bytes.raw)};
#endif
}

HWY_INLINE V32 add_products(V32 sum, V32 unsigned_bytes, V32 signed_bytes) {
    const narrow::D32 d;
    V32 unused = hn::Zero(d);
    return hn::ReorderWidenMulAccumulate(d, add_two(unsigned_bytes, signed_bytes),
                                         hn::Set(narrow::D16(), std::int16_t{1}), sum, unused);
}

struct PlainBytes {
    static HWY_INLINE V32 add(V32 sum, V32 a, V32 b) { return add_products(sum, a, b); }
};

// Vector N of all rows: `magnitudes` and `mask` of the weights.
template <std::size_t N, std::size_t Count, std::size_t... Row>
HWY_INLINE void add_signed(Sums<Count>& sums,
                           const std::uint8_t* src,
                           std::ptrdiff_t step,
                           V32 magnitudes,
                           V32 mask,
                           std::index_sequence<Row...>) {
    // Each vector broadcasts the source again: there are no registers to keep it for the next.
    asm volatile("" : "+r"(src));
    ((sums.v[Row * kVectors + N] = add_products(
          sums.v[Row * kVectors + N], magnitudes,
          hn::Xor(narrow::broadcast(src + static_cast<std::ptrdiff_t>(Row) * step), mask))),
     ...);
}

template <std::size_t Rows, std::size_t... N>
HWY_INLINE void add_signed_step(Sums<Rows * kVectors>& sums,
                                const std::uint8_t* src,
                                std::ptrdiff_t step,
                                const std::int8_t* wei,
                                std::index_sequence<N...>) {
    (add_signed<N>(sums, src, step, narrow::load_weights(wei, N),
                   narrow::load_weights(wei + narrow::kStepBytes, N),
                   std::make_index_sequence<Rows>{}),
     ...);
}

template <std::size_t Rows>
void micro(const MicroCall& call) {
    Sums<Rows * kVectors> sums;
    narrow::begin(sums, call.init, std::make_index_sequence<Rows * kVectors>{});
    const std::int8_t* ahead = call.ahead;
    const TapSteps* steps = call.steps;
    for (const std::ptrdiff_t tap : call.taps) {
        const std::uint8_t* const src = call.src + tap;
        const std::int8_t* wei = call.wei + steps->wei;
        const std::uint32_t* at = call.order + steps->first;
        const std::uint32_t* const plain = at + steps->plain;
        const std::uint32_t* const end = at + call.depth4;
        for (; at != plain; ++at, wei += narrow::kStepBytes, ahead += call.ahead_step) {
            narrow::add_step<PlainBytes>(sums, src + *at, call.src_step, wei,
                                         std::make_index_sequence<Rows>{});
            __builtin_prefetch(ahead, 0, 2);
        }
        for (; at != end; ++at, wei += 2 * narrow::kStepBytes, ahead += call.ahead_step) {
            add_signed_step<Rows>(sums, src + *at, call.src_step, wei,
                                  std::make_index_sequence<kVectors>{});
            __builtin_prefetch(ahead, 0, 2);
        }
        ++steps;
    }
    narrow::store(sums, call.tile, std::make_index_sequence<Rows * kVectors>{});
}

template <std::size_t... Row>
gemm::NarrowKernel kernel_of(std::index_sequence<Row...>) {
    static constexpr MicroFunction kFunctions[] = {&micro<Row + 1>...};
    return {kFunctions, sizeof...(Row)};
}

gemm::NarrowKernel byte_kernel() {
    return kernel_of(std::make_index_sequence<narrow::kRows>{});
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(byte_kernel);

namespace gemm {

NarrowKernel byte_kernel() {
    return HWY_DYNAMIC_DISPATCH(byte_kernel)();
}

bool is_plain(const std::int8_t* weights) {
    constexpr std::int32_t kLargest = 128;  // 255 * 128 <= 32767, -255 * 128 >= -32768
    for (std::size_t i = 0; i < 4 * kLanes; i += 2) {
        const std::int32_t a{weights[i]};
        const std::int32_t b{weights[i + 1]};
        if (std::max(a, 0) + std::max(b, 0) > kLargest ||
            std::min(a, 0) + std::min(b, 0) < -kLargest) {
            return false;
        }
    }
    return true;
}

void pack_signed(const std::int8_t* weights, std::int8_t* to, std::int32_t* init) {
    constexpr std::size_t kBytes = 4 * kLanes;
    constexpr std::uint8_t kOfPositive = 0x80;
    constexpr std::uint8_t kOfNegative = 0x7F;
    for (std::size_t i = 0; i < kBytes; ++i) {
        const std::int32_t w{weights[i]};
        const auto magnitude = static_cast<std::uint8_t>(std::abs(w));
        to[i] = static_cast<std::int8_t>(magnitude);
        to[kBytes + i] = static_cast<std::int8_t>(w < 0 ? kOfNegative : kOfPositive);
        init[i / 4] += w < 0 ? -127 * magnitude : 128 * magnitude;
    }
}

}  // namespace gemm
}  // namespace fuseq::kernels
#endif
