// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles of a row of the convolution and of the one below are folded into one.
#include "cpu/kernels/gemm/gemm_narrow_pool.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/gemm_narrow_pool.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Pixels 2 i and 2 i + 1 of both rows become pixel i.
void fold(const std::int32_t* upper,
          const std::int32_t* lower,
          std::size_t pixels,
          std::int32_t* to) {
    const hn::CappedTag<std::int32_t, gemm::kLanes> d;
    for (std::size_t i = 0; i < pixels; ++i) {
        for (std::size_t c = 0; c < gemm::kLanes; c += hn::Lanes(d)) {
            const auto both = [&](const std::int32_t* row) HWY_ATTR {
                return hn::Max(hn::Load(d, row + c), hn::Load(d, row + gemm::kLanes + c));
            };
            hn::Store(hn::Max(both(upper), both(lower)), d, to + c);
        }
        upper += 2 * gemm::kLanes;
        lower += 2 * gemm::kLanes;
        to += gemm::kLanes;
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(fold);

namespace gemm {

namespace {

// `count` pixels of the convolution, one after the other in tiles of about one size.
void run_row(const Panel& panel, std::size_t rows, MicroCall call, std::size_t count) {
    const std::size_t tiles = (count + rows - 1) / rows;
    const std::uint8_t* const src = call.src;
    std::int32_t* const tile = call.tile;
    for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t begin = count * t / tiles;
        call.src = src + static_cast<std::ptrdiff_t>(begin) * call.src_step;
        call.tile = tile + begin * kLanes;
        panel.micro[count * (t + 1) / tiles - begin - 1](call);
        call.ahead_step = 0;  // fetched by the first one
    }
}

}  // namespace

void run_narrow_pooled(const Panel& panel,
                       std::size_t rows,
                       const MicroCall& call,
                       std::size_t pixels) {
    constexpr std::size_t kMaxPixels = 2 * kMaxPooled[1];  // of the convolution
    alignas(64) std::int32_t sums[2][kMaxPixels * kLanes];
    MicroCall row = call;
    row.tile = sums[0];
    run_row(panel, rows, row, 2 * pixels);
    row.tile = sums[1];
    row.src += call.row_step;
    row.ahead_step = 0;
    run_row(panel, rows, row, 2 * pixels);
    HWY_DYNAMIC_DISPATCH(fold)(sums[0], sums[1], pixels, call.tile);
}

}  // namespace gemm
}  // namespace fuseq::kernels
#endif
