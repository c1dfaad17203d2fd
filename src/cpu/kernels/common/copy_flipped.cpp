// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/copy_flipped.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/common/copy_flipped.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void copy_flipped(const std::uint8_t* src,
                  std::uint8_t* dst,
                  std::size_t bytes,
                  std::uint8_t flip) {
    const hn::ScalableTag<std::uint8_t> d;
    const auto by = hn::Set(d, flip);
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + lanes <= bytes; i += lanes) {
        hn::StoreU(hn::Xor(hn::LoadU(d, src + i), by), d, dst + i);
    }
    if constexpr (HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL) {
        const auto rest = hn::FirstN(d, bytes - i);
        hn::BlendedStore(hn::Xor(hn::MaskedLoad(rest, d, src + i), by), rest, d, dst + i);
        return;
    }
    for (; i < bytes; ++i) {
        dst[i] = src[i] ^ flip;
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(copy_flipped);

void copy_flipped(const std::uint8_t* src,
                  std::uint8_t* dst,
                  std::size_t bytes,
                  std::uint8_t flip) {
    HWY_DYNAMIC_DISPATCH(copy_flipped)(src, dst, bytes, flip);
}

}  // namespace fuseq::kernels
#endif
