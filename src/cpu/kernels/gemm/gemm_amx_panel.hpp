// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A panel of the integer product by the tiles of AMX (GemmForm::kAmx).
#pragma once

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

// What a micro-kernel does: the sums of up to kAmxRows pixels to call.tile; with a pool, the maxima
// of `rows` windows.
void sum_panel_amx(
    AmxTiles& tiles, const Packed& p, const MicroCall& call, const Panel& panel, std::size_t rows);
// What panel.wide.all does, in `count` tiles, each with its epilogue.
void run_wide_amx(
    AmxTiles& tiles, const Packed& p, const WideCall& call, const Panel& panel, std::size_t count);

}  // namespace fuseq::kernels::gemm
