// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// As instructions.hpp: whether kernels may use dot products of bytes in 256 bits.
#pragma once

namespace fuseq::kernels {

// AVX2 with AVX-VNNI: the VEX form.
bool has_avx_vnni();
// The EVEX form of the same, of AVX-512 VNNI and VL: at the level avx2_vnni on a machine that lacks
// the VEX form.
bool has_avx_vnni_in_evex();

}  // namespace fuseq::kernels
