// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/gemm_amx_panel.hpp"

#include "cpu/kernels/gemm/gemm_vnni_ahead.hpp"

namespace fuseq::kernels::gemm {

void sum_panel_amx(
    AmxTiles& tiles, const Packed& p, const MicroCall& call, const Panel& panel, std::size_t rows) {
    tiles.sum({.src = call.src,
               .src_step = static_cast<std::size_t>(call.src_step),
               .rows = p.pool ? 4 * rows : rows,
               .second = p.pool ? call.row_step : 0,
               .wei = call.wei,
               .vectors = panel.vectors,
               .depth4 = call.depth4,
               .taps = call.taps,
               .skip = call.skip,
               .init = call.init,
               .init_step = kLanes,
               .src_signed = p.src_signed,
               .tile = call.tile,
               .ahead = call.ahead,
               .ahead_step = call.ahead_step});
    if (p.pool) {
        max_of_windows(call.tile, rows, panel.vectors);
    }
}

void run_wide_amx(
    AmxTiles& tiles, const Packed& p, const WideCall& call, const Panel& panel, std::size_t count) {
    alignas(kCacheLine) std::int32_t sums[kAmxRows * kAmxVectors * kLanes];
    const std::size_t steps = call.taps.size() * call.depth4;
    AmxCall amx{.src_step = static_cast<std::size_t>(call.src_step),
                .wei = call.wei,
                .vectors = panel.vectors,
                .depth4 = call.depth4,
                .taps = call.taps,
                .skip = call.skip,
                .init = call.panel->vectors[0].init,
                .init_step = sizeof(WideVector) / sizeof(std::int32_t),
                .src_signed = p.src_signed,
                .tile = sums,
                .ahead = call.ahead,
                .ahead_step = call.ahead_step};
    WideCall part = call;
    for (std::size_t t = 0; t < count; ++t) {
        const std::size_t begin = call.pixels * t / count;
        const auto at = static_cast<std::ptrdiff_t>(begin);
        part.pixels = call.pixels * (t + 1) / count - begin;
        part.dst = call.dst + at * call.dst_step;
        part.residual = call.residual == nullptr ? nullptr : call.residual + at * call.dst_step;
        part.sums = call.sums == nullptr ? nullptr : call.sums + begin;
        amx.src = call.src + at * call.src_step;
        amx.rows = part.pixels;
        tiles.sum(amx);
        amx.ahead += steps * call.ahead_step;
        panel.wide.finish(part, sums);
    }
}

}  // namespace fuseq::kernels::gemm
