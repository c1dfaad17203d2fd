// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What CPU and operating system offer, whatever this process may use of it (isa_limit.hpp). The
// only file of the device that asks the CPU.
#pragma once

#include "cpu/machine/isa.hpp"

namespace fuseq::cpu {

struct CpuFeatures {
    bool avx2 = false;      // with FMA, F16C, BMI, BMI2 and LZCNT
    bool avx_vnni = false;  // dot products of bytes, 256 bits, in the VEX form
    bool avx512 = false;    // F, BW, DQ, VL
    bool avx512_vnni = false;
    bool avx512_vbmi = false;
    bool avx512_bf16 = false;
    bool amx_int8 = false;  // and the operating system gives tiles to those who ask
    bool amd = false;
    bool amd_family_19h = false;  // Zen 3 and 4; Zen 4 has AVX-512, on units of 256 bits
};

// Of this machine: asked once, when the library is loaded, because asking may trap in a virtual
// machine.
const CpuFeatures& cpu_features();

// Whether this process may use the tiles of AMX; asks the operating system for them at first.
bool may_use_tiles();

// Whether code of a level runs there. avx2_vnni does where the 256-bit dot products have the form
// of AVX-512 (EVEX) only, so that its kernels can be tested and measured.
bool has_level(const CpuFeatures& features, IsaLevel level);

// The highest level that a machine has of those that `limit` includes.
IsaLevel highest_level(const CpuFeatures& features, IsaLevel limit);

}  // namespace fuseq::cpu
